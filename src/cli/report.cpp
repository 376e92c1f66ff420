// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/report_input.h"
#include "report/report_formats.h"
#include "store/durable.h"

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

}  // namespace

int report_command(const std::vector<std::string>& words) {
  std::string result;
  std::vector<std::string> files;
  ReportOptions options;
  Arguments arguments("report", "Writes the report of a result.");
  arguments.word("RESULT", result, "the result directory");
  arguments.texts("-o,--output", files,
                  "where to: FILE.html, .tex, .md, .csv or .json; may be given several times",
                  "FILE");
  arguments.flag("--anonymous", options.anonymous,
                 "leave out host, user, paths and serial numbers");
  arguments.text("--compare-with", options.compare_with,
                 "set published values beside the computed ones: CSV with factors, measure, value",
                 "FILE");
  arguments.text("--window", options.window,
                 "the part of each run that is compared: train, epoch>1, train|infer (default: as "
                 "the study says)",
                 "SPAN");
  arguments.text("--metric", options.metric,
                 "energy against this metric (default: of each unit what it is judged by)", "NAME");
  arguments.flag("--lower-is-better", options.lower_is_better, "of the metric: a loss");
  arguments.text(
      "--reach", options.reach,
      "energy until the first epoch that reaches this (default: what the weaker level reaches)",
      "VALUE");
  arguments.text("--lifecycle", options.lifecycle,
                 "break-even of phases (default train=1,infer=N, where there are such)", "PHASES");
  arguments.text("--least", options.least,
                 "share of the time from which on an API is listed (default 1%)", "PERCENT");
  arguments.footer(
      "Examples:\n  prengdl report study.result -o study.html\n"
      "  prengdl report study.result -o paper.tex -o numbers.csv --anonymous\n"
      "  prengdl report icse22.result -o check.html --compare-with published.csv");
  if (!arguments.parse(words)) return 0;
  if (files.empty())
    throw UsageError("where should the report go?", "prengdl report RESULT -o report.html");
  for (const auto& file : files) writer_for(file);  // before anything is computed

  const auto store = ResultStore::open(result, Access::read_only);
  AnalysedResult analysed;
  analyse(store, options, analysed);
  Report report = make_report(analysed.input);
  if (options.anonymous) make_anonymous(report, analysed.private_names);
  for (const auto& file : files) {
    const std::string text = writer_for(file)(report);
    replace_file(std::filesystem::absolute(file), text);  // which syncs the directory too
    std::cerr << fmt::format("{}: {:.1f} kB\n", file, static_cast<double>(text.size()) / 1000);
  }
  return 0;
}

}  // namespace prengdl
