// SPDX-License-Identifier: Apache-2.0
//
// "Why: time or power?": energy against time, their correlation, and how long single spans take.
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
  table.title = thinning.is_needed() ? "Energy and time of a sample of the runs"
                                     : "Energy and time of every run";
  table.badge = badge_of(input, input.primary);
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
  chart.badge = table.badge;
  chart.says =
      fmt::format("{}. {}", thinning.says("One dot", "spread evenly over their order"),
                  is_wide ? "Both axes are logarithmic. Dotted lines join points of the same power."
                          : "Both axes are linear. Dotted lines join points of the same power.");
  chart.kind = ChartKind::scatter;
  chart.roles = {
      {"x", "time"}, {"y", "energy"}, {"colour", "level"}, {"label", "case"}, {"shape", "case"}};
  if (is_wide) chart.settings = {{"log", 1}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

void add_relations(const ReportInput& input, Part& part) {
  if (!input.energy_time.value) return;
  const auto& relations = *input.energy_time.value;
  for (auto table : {relations_across_table(relations, names_of(input)),
                     relations_within_table(relations, names_of(input))}) {
    table.is_folded = true;
    part.add(std::move(table));
  }
  for (const auto& measure : relations.left_out)
    part.note(
        fmt::format("No correlation is computed for {}: it was modelled from run time and "
                    "CPU time, so any correlation would describe the model.",
                    measure_title(measure)));
}

/// The value below which a share of the sorted values lies; the nearest rank.
double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

/// "p99" of "latency_p99": what a workload that times its requests itself reports.
std::optional<double> reported_percentile(const std::string& metric) {
  constexpr std::string_view start = "latency_p";
  if (!metric.starts_with(start)) return std::nullopt;
  return parse_number(metric.substr(start.size()));
}

/// The percentiles that the runs of one level reported: means over runs.
void add_reported_latencies(const ReportInput& input, const CaseRuns& one_case, std::size_t level,
                            Table& table) {
  std::map<double, std::vector<double>> reported;
  for (const auto* run : one_case.levels[level]) {
    std::map<double, double> last;
    for (const auto& metric : run->run.metrics)
      if (const auto percentile = reported_percentile(metric.name))
        last[*percentile] = *final_metric(run->run, metric.name);
    for (const auto& [percentile, value] : last) reported[percentile].push_back(value);
  }
  for (const auto& [percentile, values] : reported)
    table.rows.push_back({text_cell(case_label(input.study, one_case.cell)),
                          text_cell(input.levels[level]),
                          text_cell("reported"),
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
  table.title = "How long single spans take";
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
      add_reported_latencies(input, one_case, i, table);
    }
  if (table.rows.empty()) return;
  table.note =
      "Percentiles of each run, then their mean over runs; only those that the number of spans can "
      "support. Spans named \"reported\" are latencies that the workload timed itself.";
  Chart chart;
  chart.id = "latency-chart";
  chart.title = table.title;
  chart.says =
      "A row for each level of a case: the times below which 50 %, 90 %, 95 % and more of its "
      "spans "
      "lie, as a distribution from the median outwards.";
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

/// Energy = time x power: the two parts of each ratio, next to each other.
void add_parts(const ReportInput& input, Part& part) {
  if (!input.findings.value) return;
  Table table;
  table.id = "time-and-power";
  table.title = "The energy ratio as time ratio times power ratio";
  table.badge = badge_of(input, input.primary);
  table.columns = {text_column("case", "case"),
                   text_column("pair", "pair"),
                   number_column("energy", "energy ratio"),
                   number_column("time", "time ratio"),
                   number_column("power", "power ratio"),
                   text_column("because", "because of")};
  const auto cell = [](const Ratio& ratio) {
    TableCell made = ratio_cell(ratio.value);
    made.interval = ratio.ci95;
    return made;
  };
  for (const auto& one : input.findings.value->comparisons) {
    if (one.measure != input.primary || !one.estimate || !one.time || !one.power) continue;
    table.add({text_cell(case_label(input.study, one.cell)), text_cell(pair_name(one.pair)),
               cell(*one.estimate), cell(*one.time), cell(*one.power),
               text_cell(one.winner ? because(one) : "")});
  }
  drop_if_empty(table, "because");
  table.note =
      "Ratios are first / second. A level that uses less energy is faster, or draws less power, or "
      "both.";
  fold_column(table, "pair");
  part.add(std::move(table));
}

}  // namespace

Part why_part(const ReportInput& input) {
  Part part{"why", "Why: time or power?", {}};
  part.absent =
      "No run has both energy and time. Use a machine with a meter; `prengdl doctor` lists them.";
  add_parts(input, part);
  add_scatter(input, part);
  if (!part.blocks.empty()) add_relations(input, part);
  add_latency(input, part);
  return part;
}

}  // namespace prengdl
