// SPDX-License-Identifier: Apache-2.0
//
// The parts of a report in their order, and what several of them ask of the runs.
#include <algorithm>

#include "model/window.h"
#include "report/report_input.h"
#include "stats/summary.h"
#include "tables/cells.h"

namespace prengdl {

Report make_report(const ReportInput& input) {
  Report report;
  report.study = input.study.name;
  report.version = input.version;
  report.made_at = input.made_at;
  if (!input.study.analysis.compare.empty())
    for (const auto& level : input.levels) report.levels.push_back(text_cell(level).text);
  report.summary = summary_of(input);
  Table absent;
  absent.id = "absent";
  absent.title = "What this report does not answer";
  absent.columns = {text_column("question", "question"), prose_column("why", "why not")};
  for (const auto make : {answer_part, certainty_part, why_part, scores_part, factors_part,
                          power_part, calls_part, larger_run_part, method_part}) {
    Part part = make(input);
    if (part.blocks.empty())
      absent.add({text_cell(part.title), text_cell(part.absent)});
    else
      report.parts.push_back(std::move(part));
  }
  report.parts.back().add(std::move(absent));
  return report;
}

std::optional<double> run_figure(const ReportInput& input, const Run& run,
                                 const std::string& measure) {
  const auto window = parse_window(input.study.analysis.window);
  if (!window) return std::nullopt;
  if (measure == "watts") {
    const auto joules = value_in(run, *window, input.primary);
    const auto seconds = value_in(run, *window, "seconds");
    if (!joules || !seconds || !(*seconds > 0)) return std::nullopt;
    return *joules / *seconds;
  }
  if (const auto value = value_in(run, *window, measure)) return value;
  for (const auto& channel : run.channels)
    if (channel.name == measure) return channel.mean;
  return final_metric(run, measure);
}

std::optional<double> cell_mean(const ReportInput& input, const std::vector<const StoredRun*>& runs,
                                const std::string& measure) {
  std::vector<double> values;
  for (const auto* run : runs)
    if (const auto value = run_figure(input, run->run, measure)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return mean(values);
}

bool is_modelled(const ReportInput& input, const std::string& measure) {
  return input.modelled.contains(measure);
}

std::string headline_of(const ReportInput& input) { return input.headline; }

std::string titled(const ReportInput& input, const std::string& measure) {
  return measure_title(measure) + (is_modelled(input, measure) ? " (modelled)" : "");
}

Names names_of(const ReportInput& input) {
  return {level_title(input),
          [&input](const CellPattern& cell) { return case_label(input.study, cell); },
          [&input](const std::string& measure) { return titled(input, measure); }};
}

Names plain_names_of(const ReportInput& input) {
  Names names = names_of(input);
  names.of_measure = measure_title;
  return names;
}

ComparisonColumn case_column(const ReportInput& input) {
  return {text_column("case", "case"),
          [&input](const Comparison& one) { return text_cell(case_label(input.study, one.cell)); }};
}

Thinning thinning_of(const ReportInput& input) {
  std::size_t runs = 0, cells = 0;
  for (const auto& one_case : input.cases)
    for (const auto& level : one_case.levels) {
      runs += level.size();
      cells += level.empty() ? 0 : 1;
    }
  return {runs, cells};
}

std::string level_title(const ReportInput& input) {
  return input.study.analysis.compare.empty() ? "level" : input.study.analysis.compare;
}

}  // namespace prengdl
