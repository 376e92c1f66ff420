// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "base/own_files.h"
#include "base/strings.h"
#include "cli/analysis_options.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "conclude/comparable_runs.h"
#include "print/shown_names.h"
#include "report/formats.h"
#include "report/gather.h"

namespace prengdl {
namespace {

using Writer = std::string (*)(const Report&);

Writer writer_for(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension();
  if (extension == ".html" || extension == ".htm") return report_html;
  if (extension == ".tex") return report_latex;
  if (extension == ".md") return report_markdown;
  if (extension == ".csv") return report_csv;
  if (extension == ".json") return report_json;
  throw UsageError("cannot tell the format of " + file,
                   "let its name end in .html, .tex, .md, .csv or .json");
}

/// Levels and labels of profiles that would fill a page.
ShownNames long_names_of(const GatheredReport& gathered) {
  auto names = level_names(gathered.found.study);
  for (const auto& profile : gathered.input.profiles) names.push_back(profile.label);
  return ShownNames::of_long(names);
}

Report shown_as(const GatheredReport& gathered, const ShownNames& names, bool is_anonymous) {
  Report report = make_report(gathered.input);
  shorten_names(report, names);
  if (is_anonymous) make_anonymous(report, gathered.private_names);
  return report;
}

}  // namespace

int report_command(const std::vector<std::string>& words) {
  std::string result, window, analysis_file, least;
  std::vector<std::string> files;
  ReportOptions options;
  AnalysisWords analysis;
  Arguments arguments("report", "Writes the report of a result.");
  arguments.word("RESULT", result, "the result directory");
  arguments.texts("-o,--output", files,
                  "where to: FILE.html, .tex, .md, .csv or .json; may be given several times",
                  "FILE");
  arguments.flag("--anonymous", options.anonymous,
                 "leave out host, user, paths and serial numbers");
  arguments.text("--compare-with", options.published,
                 "set published values beside the computed ones: CSV with factors, measure, value",
                 "FILE");
  arguments.text("--window", window,
                 "the part of each run that is compared: train, epoch>1, train|infer (default: as "
                 "the study says)",
                 "SPAN");
  declare_analysis_file(arguments, analysis_file);
  arguments.text("--metric", analysis.metric,
                 "energy against this metric (default: of each case what it is judged by)", "NAME");
  arguments.flag("--lower-is-better", analysis.lower_is_better, "of the metric: a loss");
  arguments.text(
      "--reach", analysis.reach,
      "energy until the first epoch that reaches this (default: what the weaker level reaches)",
      "VALUE");
  arguments.text("--lifecycle", analysis.lifecycle,
                 "break-even of phases (default train=1,infer=N, where there are such)", "PHASES");
  arguments.text("--least", least, "share of the time from which on an API is listed (default 1%)",
                 "PERCENT");
  arguments.footer(
      "Examples:\n  prengdl report study.result -o study.html\n"
      "  prengdl report study.result -o paper.tex -o numbers.csv --anonymous\n"
      "  prengdl report icse22.result -o check.html --compare-with published.csv");
  if (!arguments.parse(words)) return 0;
  if (files.empty())
    throw UsageError("where should the report go?", "prengdl report RESULT -o report.html");
  for (const auto& file : files) writer_for(file);  // before anything is computed

  if (!least.empty()) options.least_share = share_option("--least", least);
  options.version = PRENGDL_VERSION;

  const auto store = ResultStore::open(result, Access::read_only);
  GatheredReport gathered;
  gathered.found = read_result(store, analysis_file);
  note_look(store, gathered.found, "report");
  options.stated_window = take_window(window, gathered.found.runs, gathered.found.study);
  options.analysis = analysis_options(analysis, gathered.found.study);
  gather(store, options, gathered);
  if (!analysis_file.empty() && gathered.input.findings.value)
    gathered.input.findings.value->notes.push_back(analysis_file_note(analysis_file));
  const Report report = shown_as(gathered, {}, options.anonymous);
  const ShownNames names = long_names_of(gathered);
  const Report for_people = names.empty() ? report : shown_as(gathered, names, options.anonymous);
  for (const auto& file : files) {
    const Writer writer = writer_for(file);
    const bool is_data = writer == report_json || writer == report_csv;
    const std::string text = writer(is_data ? report : for_people);
    replace_file(std::filesystem::absolute(file), text);  // which syncs the directory too
    std::cerr << fmt::format("{}: {:.1f} kB\n", file, static_cast<double>(text.size()) / 1000);
  }
  return 0;
}

}  // namespace prengdl
