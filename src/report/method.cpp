// SPDX-License-Identifier: Apache-2.0
//
// "How was it measured, and how do I repeat it?": the design, the order of the runs, the machine.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/amounts.h"
#include "base/strings.h"
#include "print/provenance.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

std::string order_words(Order order) {
  switch (order) {
    case Order::adjacent:
      return "adjacent: the compared levels run next to each other, in random order";
    case Order::shuffled:
      return "shuffled: all cells of a block in random order";
    case Order::as_written:
      return "as written: the same order in every block";
  }
  return "";
}

void add_factors(const ReportInput& input, Part& part) {
  Table table;
  table.id = "factors";
  table.title = "Factors and levels";
  table.columns = {text_column("factor", "factor"), text_column("levels", "levels"),
                   text_column("role", "role")};
  for (const auto& factor : input.study.factors)
    table.rows.push_back(
        {text_cell(factor.name), text_cell(listed(factor.levels)),
         text_cell(factor.name == input.study.analysis.compare ? "compared" : "")});
  part.add(std::move(table));
}

void add_settings(const ReportInput& input, Part& part) {
  const auto& study = input.study;
  const auto& protocol = study.protocol;
  const auto& analysis = study.analysis;
  Table table;
  table.id = "protocol";
  table.title = "Design, protocol and analysis";
  table.columns = {text_column("what", "what"), text_column("setting", "setting")};
  const auto add = [&](const char* what, std::string setting) {
    if (!setting.empty()) table.rows.push_back({text_cell(what), text_cell(std::move(setting))});
  };
  add("study", study.name);
  add("preset", study.preset);
  if (!study.imported.empty()) {
    add("runs", "imported as " + study.imported + ": made elsewhere");
  } else {
    add("blocks", std::to_string(input.record.blocks));
    add("planned runs", std::to_string(input.record.planned_runs));
    add("seed", std::to_string(input.record.seed));
    add("order", order_words(protocol.order));
    add("sampling", fmt::format("{:.4g} Hz", 1 / protocol.interval.count()));
    add("warm-up", counted(protocol.warmup, "run") + " of each cell per start");
    add("idle baseline", protocol.idle ? for_people(*protocol.idle) : "none");
    add("start", protocol.start == Start::warm ? "warm: the same load before every run"
                 : protocol.settle_at_most     ? "settled: back at idle, waiting at most " +
                                                 for_people(*protocol.settle_at_most)
                                           : "immediately: no settling");
    add("time limit", protocol.timeout ? for_people(*protocol.timeout) : "none");
    add("governor", protocol.control.governor.value_or(""));
    add("stopping", protocol.stopping.rule == Stopping::Rule::never
                        ? "never before the planned runs"
                        : "may stop early, allowing for all looks");
  }
  add("compared", analysis.compare);
  add("primary measure", analysis.primary);
  add("secondary measures", listed(analysis.secondary));
  add("test", analysis.test);
  add("window", analysis.window);
  add("margin", fmt::format("{:.3g} %", analysis.margin * 100));
  add("alpha", fmt::format("{:.3g}", analysis.alpha));
  if (input.findings.value) add("pairing", input.findings.value->pairing);
  part.add(std::move(table));
}

/// What became of the runs, cell by cell.
void add_outcomes(const ReportInput& input, Part& part) {
  std::map<Cell, std::array<std::size_t, 5>> cells;  // good, failed, excluded, warm-ups, flagged
  for (const auto& run : *input.runs) {
    auto& counts = cells[run.cell];
    if (run.is_warmup)
      ++counts[3];
    else if (run.excluded)
      ++counts[2];
    else
      ++counts[run.outcome == Outcome::ok ? 0 : 1];
    if (!run.is_warmup && !run.run.flags.empty()) ++counts[4];
  }
  Table table;
  table.id = "outcomes";
  table.title = "Runs of each cell";
  table.columns = {text_column("cell", "cell"),          number_column("good", "good"),
                   number_column("failed", "failed"),    number_column("excluded", "excluded"),
                   number_column("warmups", "warm-ups"), number_column("flagged", "flagged")};
  for (const auto& cell : cells_of(input.study)) {
    const auto found = cells.find(cell);
    std::vector<TableCell> row{text_cell(joined(cell, " "))};
    for (std::size_t i = 0; i < 5; ++i)
      row.push_back(count_cell(found == cells.end() ? 0 : found->second[i]));
    table.rows.push_back(std::move(row));
  }
  part.add(std::move(table));
}

void add_exclusions(const ReportInput& input, Part& part) {
  Table table;
  table.id = "exclusions";
  table.title = "Runs that were excluded or included again";
  table.columns = {text_column("run", "run"), text_column("decision", "decision"),
                   text_column("reason", "reason"), text_column("who", "who"),
                   text_column("at", "at")};
  for (const auto& one : input.exclusions)
    table.rows.push_back(
        {text_cell(one.run), text_cell(one.excluded ? "excluded" : "included again"),
         text_cell(one.reason), text_cell(input.is_anonymous ? "" : one.who), text_cell(one.at)});
  part.add(std::move(table));
}

/// The runs that were to count, in the order in which they were made; empty where that is not
/// known.
std::vector<const StoredRun*> ordered_runs(const ReportInput& input) {
  std::vector<const StoredRun*> runs;
  for (const auto& run : *input.runs)
    if (!run.is_warmup && run.cell.size() == input.study.factors.size()) runs.push_back(&run);
  if (input.record.blocks > 0) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return a->place < b->place; });
    return runs;
  }
  const bool knows = std::all_of(runs.begin(), runs.end(),
                                 [](const auto* run) { return !run->run.started_at.empty(); });
  if (!knows) return {};
  std::stable_sort(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
    return a->run.started_at < b->run.started_at;
  });
  return runs;
}

void add_order(const ReportInput& input, Part& part) {
  const auto runs = ordered_runs(input);
  if (runs.empty())
    return part.note(
        "The order of the runs is not known: they have neither blocks nor start times.");
  const bool has_blocks = input.record.blocks > 0;
  Table table;
  table.id = "order";
  table.title = "The runs in the order they were made";
  table.columns = {number_column("place", "place"),   number_column("block", "block"),
                   text_column("case", "case"),       text_column("level", level_title(input)),
                   text_column("outcome", "outcome"), text_column("started", "started at"),
                   text_column("flags", "flags")};
  const auto compared = factor_index(input.study, input.study.analysis.compare);
  const Thinning thinning(runs.size(), 1);
  for (const std::size_t at : thinning.shown(runs.size())) {
    const auto* run = runs[at];
    CellPattern rest;
    for (std::size_t i = 0; i < run->cell.size(); ++i)
      if (i != compared) rest[input.study.factors[i].name] = run->cell[i];
    const std::string flags = names_of(run->run.flags, ", ");
    table.rows.push_back({count_cell(at + 1), has_blocks ? count_cell(run->block + 1) : TableCell{},
                          text_cell(case_label(input.study, rest)),
                          text_cell(compared ? run->cell[*compared] : "all runs"),
                          text_cell(std::string(name_of(run->outcome))),
                          text_cell(run->run.started_at), text_cell(flags)});
  }
  Chart chart;
  chart.id = "order-chart";
  chart.title = "The runs in the order they were made";
  chart.says = fmt::format(
      "{}, in a row for each case. Levels that alternate were exposed to the same conditions.",
      thinning.is_needed()
          ? fmt::format("One mark for each of {} of the {} runs, spread evenly over the order",
                        Thinning::most_marks, runs.size())
          : "One mark for each run");
  chart.kind = ChartKind::order;
  chart.roles = {{"x", "place"}, {"y", "case"}, {"colour", "level"}, {"label", "outcome"}};
  if (compared)
    for (const auto& level : input.study.factors[*compared].levels)
      chart.coloured.push_back(text_cell(level).text);
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

void add_provenance(const ReportInput& input, Part& part) {
  for (auto& line : registration_lines(input, input.study)) part.say(std::move(line));
  for (auto& line : look_lines(input)) part.say(std::move(line));
}

}  // namespace

Part method_part(const ReportInput& input) {
  Part part{"method", "How was it measured, and how do I repeat it?", {}};
  add_factors(input, part);
  add_settings(input, part);
  add_provenance(input, part);
  add_outcomes(input, part);
  add_order(input, part);
  add_exclusions(input, part);
  add_machine(input, part);
  return part;
}

}  // namespace prengdl
