// SPDX-License-Identifier: Apache-2.0
//
// Part 7: whether time stands for energy, and how long single spans take.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/parse.h"
#include "model/window.h"
#include "print/costs.h"
#include "report/report_input.h"
#include "stats/summary.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// How far numbers above zero reach.
struct Reach {
  double least = std::numeric_limits<double>::infinity(), most = 0;

  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool is_over(double times) const { return most > times * least; }
};

void add_scatter(const ReportInput& input, Part& part) {
  Table table;
  table.id = "energy-time";
  const Thinning thinning = thinning_of(input);
  table.title = thinning.is_needed() ? "Energy and time of a part of the runs"
                                     : "Energy and time of every run";
  table.columns = {text_column("case", "case"), text_column("level", level_title(input)),
                   text_column("run", "run"), number_column("time", "time", "s"),
                   number_column("energy", titled(input, input.primary), "J")};
  Reach energy, time;
  for (const auto& one_case : input.cases)
    for (std::size_t i = 0; i < one_case.levels.size(); ++i)
      for (const std::size_t place : thinning.shown(one_case.levels[i].size())) {
        const auto* run = one_case.levels[i][place];
        const auto joules = run_figure(input, run->run, input.primary);
        const auto seconds = run_figure(input, run->run, "seconds");
        if (!joules || !seconds || !(*joules > 0) || !(*seconds > 0)) continue;
        energy.take(*joules);
        time.take(*seconds);
        table.rows.push_back({text_cell(case_label(input.study, one_case.cell)),
                              text_cell(input.levels[i]), text_cell(run->id), scaled_cell(seconds),
                              scaled_cell(joules)});
      }
  // An axis of some percent has no ticks on a logarithmic scale, and the two go together.
  const bool is_wide =
      (energy.is_over(3) || time.is_over(3)) && energy.is_over(1.5) && time.is_over(1.5);
  Chart chart;
  chart.id = "energy-time-chart";
  chart.title = "Energy against time";
  chart.says = fmt::format(
      "{}; {}.", thinning.says("One dot", "spread evenly over their order"),
      is_wide ? "both axes are logarithmic: runs of the same power lie on a line of slope 1"
              : "both axes are linear: runs of the same power lie on a line through zero");
  chart.kind = ChartKind::scatter;
  chart.roles = {
      {"x", "time"}, {"y", "energy"}, {"colour", "level"}, {"label", "case"}, {"shape", "case"}};
  if (is_wide) chart.settings = {{"log", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

void add_relations(const ReportInput& input, Part& part) {
  if (!input.energy_time.value)
    return part.say("No correlation is computed: " + input.energy_time.why_not);
  const auto& relations = *input.energy_time.value;
  part.add(relations_across_table(relations, names_of(input)));
  part.add(relations_within_table(relations, names_of(input)));
  for (const auto& measure : relations.left_out)
    part.caution(
        fmt::format("No correlation is computed for {}: it was modelled from run time and "
                    "CPU time, so any correlation would describe the model.",
                    measure_title(measure)));
  if (relations.across.empty() && relations.within.empty() && relations.left_out.empty())
    part.say(
        "No correlation is computed: neither three runs of a cell nor three cells have energy.");
}

/// The value below which a share of the sorted values lies; the nearest rank.
double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

/// "p99" of "latency_p99": what a workload that times its requests itself tells of them.
std::optional<double> told_percentile(const std::string& metric) {
  constexpr std::string_view start = "latency_p";
  if (!metric.starts_with(start)) return std::nullopt;
  return parse_number(metric.substr(start.size()));
}

/// The percentiles that the runs of one level told: means over runs.
void add_told_latencies(const ReportInput& input, const CaseRuns& one_case, std::size_t level,
                        Table& table) {
  std::map<double, std::vector<double>> told;
  for (const auto* run : one_case.levels[level]) {
    std::map<double, double> last;
    for (const auto& metric : run->run.metrics)
      if (const auto percentile = told_percentile(metric.name))
        last[*percentile] = *final_metric(run->run, metric.name);
    for (const auto& [percentile, value] : last) told[percentile].push_back(value);
  }
  for (const auto& [percentile, values] : told)
    table.rows.push_back({text_cell(case_label(input.study, one_case.cell)),
                          text_cell(input.levels[level]),
                          text_cell("told"),
                          count_cell(values.size()),
                          {},
                          text_cell(fmt::format("p{:g}", percentile)),
                          {fmt::format("{:g}", percentile), percentile / 100, false},
                          scaled_cell(mean(values))});
}

/// Spans of a kind inside of a run are aggregated first: percentiles of each run, then their means.
void add_latency(const ReportInput& input, Part& part) {
  static constexpr std::array<double, 5> shares{0.5, 0.9, 0.95, 0.99, 0.999};
  Table table;
  table.id = "latency";
  table.title = "Percentiles of the time of spans, and latencies that workloads told";
  table.columns = {text_column("case", "case"),           text_column("level", level_title(input)),
                   text_column("span", "span"),           number_column("runs", "runs"),
                   number_column("spans", "spans a run"), text_column("percentile", "percentile"),
                   number_column("rank", "rank"),         number_column("seconds", "time", "s")};
  for (const auto& one_case : input.cases)
    for (std::size_t i = 0; i < one_case.levels.size(); ++i) {
      std::map<std::string, std::vector<std::vector<double>>> kinds;
      for (const auto* run : one_case.levels[i]) {
        std::map<std::string, std::vector<double>> times;
        for (const auto& span : run->run.spans)
          times[span.span.span].push_back(
              static_cast<double>(span.span.end_ns - span.span.begin_ns) * 1e-9);
        for (auto& [kind, values] : times) {
          std::sort(values.begin(), values.end());
          kinds[kind].push_back(std::move(values));
        }
      }
      for (const auto& [kind, runs] : kinds) {
        std::size_t fewest = runs.front().size();
        for (const auto& values : runs) fewest = std::min(fewest, values.size());
        if (fewest < 2) continue;
        for (const double share : shares) {
          // A percentile above all but a part of one span is the maximum by another name.
          if (static_cast<double>(fewest) * (1 - share) < 0.999) break;
          std::vector<double> found;
          for (const auto& values : runs) found.push_back(percentile(values, share));
          table.rows.push_back({text_cell(case_label(input.study, one_case.cell)),
                                text_cell(input.levels[i]),
                                text_cell(kind),
                                count_cell(runs.size()),
                                count_cell(fewest),
                                text_cell(fmt::format("p{:g}", share * 100)),
                                {fmt::format("{:g}", share * 100), share, false},
                                scaled_cell(mean(found))});
        }
      }
      add_told_latencies(input, one_case, i, table);
    }
  if (table.rows.empty())
    return part.say(
        "There are no latencies: no run told spans (requests, steps, epochs) that repeat, nor a "
        "metric such as latency_p99.");
  table.note =
      "percentiles of each run, then their mean over runs; only as far as the number of spans can "
      "tell them";
  Chart chart;
  chart.id = "latency-chart";
  chart.title = table.title;
  chart.says =
      "A panel for each case: the time below which half, 90 %, 95 % and more of the spans of a run "
      "lie, or of the requests that the workload timed itself.";
  chart.kind = ChartKind::lines;
  chart.roles = {{"x", "percentile"},
                 {"y", "seconds"},
                 {"colour", "level"},
                 {"facet", "case"},
                 {"line", "span"}};
  chart.settings = {{"points", 1}, {"ordinal", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

}  // namespace

Part time_part(const ReportInput& input) {
  Part part{"time", "Energy against time, and latency", {}};
  add_scatter(input, part);
  add_relations(input, part);
  add_latency(input, part);
  return part;
}

}  // namespace prengdl
