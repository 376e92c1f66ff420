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
#include "cli/paper_directory.h"
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
  throw UsageError("unknown format: " + file,
                   "Use a name that ends in .html, .tex, .md, .csv or .json.");
}

/// A directory, which --latex fills.
bool is_directory(const std::string& output) {
  return output.ends_with('/') || std::filesystem::is_directory(output);
}

/// Before anything is computed: outputs and --latex fit together.
void check_outputs(const std::vector<std::string>& outputs, bool is_for_paper) {
  if (outputs.empty())
    throw UsageError("no output file was given", "prengdl report RESULT -o report.html");
  bool has_directory = false;
  for (const auto& output : outputs) {
    if (!is_directory(output)) {
      writer_for(output);
      continue;
    }
    has_directory = true;
    if (!is_for_paper)
      throw UsageError(output + " is a directory",
                       "add --latex for the files of a paper, or name a file such as " + output +
                           (output.ends_with('/') ? "" : "/") + "report.html");
  }
  if (is_for_paper && !has_directory)
    throw UsageError("--latex needs a directory", "prengdl report RESULT -o paper/ --latex");
}

/// Levels and labels of profiles that would fill a page.
ShownNames long_names_of(const GatheredReport& gathered) {
  auto names = level_names(gathered.found.study);
  for (const auto& profile : gathered.input.profiles) names.push_back(profile.label);
  return ShownNames::of_long(names);
}

enum class Reader { anyone, paper };

Report shown_as(const GatheredReport& gathered, const ShownNames& names, bool is_anonymous,
                Reader reader = Reader::anyone) {
  Report report = make_report(gathered.input);
  if (reader == Reader::paper) report.parts.push_back(paper_part(gathered.input));
  shorten_names(report, names);
  if (is_anonymous) make_anonymous(report, gathered.private_names);
  return report;
}

}  // namespace

int report_command(const std::vector<std::string>& words) {
  std::string result, window, analysis_file, least;
  std::vector<std::string> outputs;
  bool is_for_paper = false;
  ReportOptions options;
  AnalysisWords analysis;
  Arguments arguments("report", "Writes the report of a result.");
  arguments.word("RESULT", result, "the result directory");
  arguments.texts("-o,--output", outputs,
                  "the file: FILE.html, .tex, .md, .csv or .json; may be given several times",
                  "FILE");
  arguments.flag("--latex", is_for_paper,
                 "write the tables, figures and methods of a paper to the directory -o DIR/");
  arguments.flag("--anonymous", options.anonymous,
                 "leave out host, user, paths and serial numbers");
  arguments.text(
      "--compare-with", options.published,
      "show published values next to the computed ones: CSV with factors, measure, value", "FILE");
  arguments.text("--window", window,
                 "the part of each run that is compared: train, epoch>1, train|infer (default: as "
                 "the study says)",
                 "SPAN");
  declare_analysis_file(arguments, analysis_file);
  arguments.text("--metric", analysis.metric,
                 "compare energy with this metric (default: each case's own)", "NAME");
  arguments.flag("--lower-is-better", analysis.lower_is_better, "of the metric: a loss");
  arguments.text(
      "--reach", analysis.reach,
      "energy until the first epoch that reaches this (default: what the weaker level reaches)",
      "VALUE");
  arguments.text("--lifecycle", analysis.lifecycle,
                 "break-even of phases (default train=1,infer=N, if the study has them)", "PHASES");
  arguments.text("--least", least, "list APIs from this share of the time on (default 1%)",
                 "PERCENT");
  arguments.footer(
      "Examples:\n  prengdl report study.result -o study.html\n"
      "  prengdl report study.result -o paper.tex -o numbers.csv --anonymous\n"
      "  prengdl report study.result -o paper/ --latex\n"
      "  prengdl report icse22.result -o check.html --compare-with published.csv");
  if (!arguments.parse(words)) return 0;
  check_outputs(outputs, is_for_paper);

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
  for (const auto& file : outputs) {
    if (is_directory(file)) {
      write_paper(file, paper_files(shown_as(gathered, names, options.anonymous, Reader::paper)));
      continue;
    }
    const Writer writer = writer_for(file);
    const bool is_data = writer == report_json || writer == report_csv;
    const std::string text = writer(is_data ? report : for_people);
    replace_file(std::filesystem::absolute(file), text);  // which syncs the directory too
    std::cerr << fmt::format("{}: {:.1f} kB\n", file, static_cast<double>(text.size()) / 1000);
  }
  return 0;
}

}  // namespace prengdl
