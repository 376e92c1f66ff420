// SPDX-License-Identifier: Apache-2.0
//
// Findings as tables and charts: the cells that all formats of `compare` and the report share.
#include <fmt/core.h>

#include <map>

#include "base/error.h"
#include "print/compare.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

using CellOf = std::function<TableCell(const Comparison&)>;

TableCell exact(const std::optional<double>& value) { return number_cell(value); }

/// A figure of the first or second level; nothing of one without runs.
template <class Figure>
CellOf of_level(std::size_t place, Figure figure) {
  return [place, figure](const Comparison& one) {
    const LevelFigures& level = one.levels[place];
    return level.n > 0 ? figure(level) : TableCell{};
  };
}

/// Nothing of a comparison without a ratio.
template <class Figure>
CellOf of_estimate(Figure figure) {
  return [figure](const Comparison& one) {
    return one.estimate ? figure(*one.estimate) : TableCell{};
  };
}

CellOf end_of_interval(std::size_t place) {
  return [place](const Comparison& one) {
    return one.estimate && one.estimate->ci95 ? ratio_cell((*one.estimate->ci95)[place])
                                              : TableCell{};
  };
}

TableCell short_ratio(const std::optional<Ratio>& ratio) {
  if (!ratio) return {};
  return {fmt::format("{:#.3g}", ratio->value), ratio->value, false};
}

TableColumn spare(TableColumn column, int order) {
  column.spare = order;
  return column;
}

void add_names(std::map<std::string, ComparisonColumn>& all) {
  const auto text = [&](const char* key,
                        const std::function<std::string(const Comparison&)>& words) {
    all[key] = {text_column(key, key),
                [words](const Comparison& one) { return text_cell(words(one)); }};
  };
  text("measure", [](const auto& one) { return one.measure; });
  text("per", [](const auto& one) { return one.per.value_or(""); });
  text("family", [](const auto& one) { return one.is_primary ? "primary" : "secondary"; });
  text("pair", [](const auto& one) { return pair_name(one.pair); });
  text("first", [](const auto& one) { return one.pair[0]; });
  text("second", [](const auto& one) { return one.pair[1]; });
  text("paired", [](const auto& one) { return one.paired ? "yes" : "no"; });
  text("rank_test", [](const auto& one) { return one.rank ? one.rank->test : ""; });
  text("quality",
       [](const auto& one) { return one.quality ? std::string(name_of(*one.quality)) : ""; });
  text("winner", [](const auto& one) { return one.winner.value_or(""); });
  text("verdict", [](const auto& one) { return std::string(name_of(one.verdict)); });
  text("conclusion", [](const auto& one) { return verdict_text(one); });
  text("reason", [](const auto& one) { return one.reason; });
}

void add_levels(std::map<std::string, ComparisonColumn>& all) {
  for (const std::size_t place : {0U, 1U}) {
    const std::string which = place == 0 ? "_first" : "_second";
    const auto add = [&](const std::string& figure, auto cell) {
      all[figure + which] = {number_column(figure + which, figure + which), of_level(place, cell)};
    };
    add("n", [](const LevelFigures& level) { return count_cell(level.n); });
    add("mean", [](const LevelFigures& level) { return exact(level.mean); });
    add("median", [](const LevelFigures& level) { return exact(level.median); });
    add("sd", [](const LevelFigures& level) { return exact(level.sd); });
    add("geomean", [](const LevelFigures& level) { return exact(level.geomean); });
  }
}

void add_figures(std::map<std::string, ComparisonColumn>& all) {
  const auto add = [&](const TableColumn& column, CellOf cell) {
    all[column.key] = {column, std::move(cell)};
  };
  add(spare(number_column("n", "n"), 3), [](const auto& one) { return count_cell(one.n); });
  add(number_column("ratio", "ratio"),
      [](const auto& one) { return one.estimate ? ratio_cell(one.estimate->value) : TableCell{}; });
  add(spare(interval_column(), 1),
      of_estimate([](const Ratio& ratio) { return interval_cell(ratio.ci95); }));
  add(number_column("ci95_low", "95 % from"), end_of_interval(0));
  add(number_column("ci95_high", "95 % to"), end_of_interval(1));
  add(number_column("p", "p"), of_estimate([](const Ratio& ratio) { return p_cell(ratio.p); }));
  add(spare(number_column("p_corrected", "corrected p"), 2),
      of_estimate([](const Ratio& ratio) { return p_cell(ratio.p_corrected); }));
  add(number_column("rank_p", "rank p"),
      [](const auto& one) { return one.rank ? p_cell(one.rank->p) : TableCell{}; });
  add(spare(number_column("rank_p_corrected", "corrected rank p"), 5),
      [](const auto& one) { return one.rank ? p_cell(one.rank->p_corrected) : TableCell{}; });
  add(spare(number_column("a12", "A12"), 6), [](const auto& one) {
    return one.a12 ? TableCell{fmt::format("{:.2f}", *one.a12), one.a12, false} : TableCell{};
  });
  add(spare(number_column("time_ratio", "time"), 4),
      [](const auto& one) { return short_ratio(one.time); });
  add(spare(number_column("power_ratio", "power"), 4),
      [](const auto& one) { return short_ratio(one.power); });
}

/// The comparison the other way round.
Comparison turned(Comparison one) {
  const auto turn = [](std::optional<Ratio>& ratio) {
    if (!ratio) return;
    ratio->value = 1 / ratio->value;
    if (ratio->ci95) ratio->ci95 = {1 / (*ratio->ci95)[1], 1 / (*ratio->ci95)[0]};
  };
  turn(one.estimate);
  turn(one.time);
  turn(one.power);
  if (one.a12) one.a12 = 1 - *one.a12;
  std::swap(one.pair[0], one.pair[1]);
  std::swap(one.levels[0], one.levels[1]);
  return one;
}

}  // namespace

ComparisonColumn comparison_column(const std::string& name) {
  static const std::map<std::string, ComparisonColumn> all = [] {
    std::map<std::string, ComparisonColumn> columns;
    add_names(columns);
    add_levels(columns);
    add_figures(columns);
    return columns;
  }();
  const auto found = all.find(name);
  if (found == all.end()) throw Error("comparisons have no column " + name);
  return found->second;
}

ComparisonColumn factor_column(const std::string& factor) {
  return {text_column(factor, factor), [factor](const Comparison& one) {
            const auto level = one.cell.find(factor);
            return text_cell(level == one.cell.end() ? "" : level->second);
          }};
}

ComparisonColumn titled_column(const std::string& name, std::string key, std::string title) {
  ComparisonColumn column = comparison_column(name);
  column.column.key = std::move(key);
  column.column.title = std::move(title);
  return column;
}

Table comparisons_table(const std::vector<ComparisonColumn>& columns,
                        const std::vector<const Comparison*>& rows) {
  Table table;
  table.columns.reserve(columns.size());
  for (const auto& one : columns) table.columns.push_back(one.column);
  for (const auto* row : rows) {
    std::vector<TableCell> cells;
    cells.reserve(columns.size());
    for (const auto& one : columns) cells.push_back(one.cell(*row));
    table.add(std::move(cells));
  }
  return table;
}

std::vector<Comparison> against_the_lowest(const Findings& findings, const std::string& measure) {
  const Standings all = standings(findings, measure);
  std::vector<Comparison> rows;
  for (const auto& one : findings.comparisons)
    if (one.measure == measure && all.has_least(one))
      rows.push_back(one.pair[0] == all.least_of(one.cell) ? turned(one) : one);
  return rows;
}

Table standings_table(const Standings& standings, const Names& names) {
  Table table;
  table.id = "levels";
  table.columns = {
      text_column("level", names.compared),         number_column("cases", "cases"),
      number_column("least", "lowest in"),          number_column("over_least", "over the lowest"),
      spare(number_column("less", "less than"), 1), spare(number_column("more", "more than"), 1),
      spare(number_column("open", "undecided"), 2)};
  for (const auto& one : standings.levels)
    table.add({text_cell(one.level), count_cell(one.cases), count_cell(one.least_in),
               ratio_cell(one.over_least), count_cell(one.less), count_cell(one.more),
               count_cell(one.open)});
  return table;
}

Table groups_table(const std::vector<GroupComparison>& groups, const Names& names) {
  Table table;
  table.id = "groups";
  table.columns = {text_column("group", "group"),
                   text_column("measure", "measure"),
                   text_column("pair", "pair"),
                   number_column("cases", "cases"),
                   number_column("ratio", "these cases"),
                   interval_column(),
                   number_column("ratio_like", "cases like these"),
                   interval_column(),
                   text_column("prediction", "one more case"),
                   number_column("first", "first less in"),
                   number_column("second", "second less in")};
  table.columns[7].key = "interval_like";
  for (const auto& group : groups) {
    const auto& like = group.cases_like_these;
    table.add({text_cell(group.group), text_cell(names.of_measure(group.measure)),
               text_cell(pair_name(group.pair)), count_cell(group.cases),
               ratio_cell(group.these_cases.value), interval_cell(group.these_cases.ci95),
               like ? ratio_cell(like->ratio) : TableCell{},
               like ? interval_cell(like->ci95) : TableCell{},
               like ? interval_cell(like->prediction95) : TableCell{}, count_cell(group.wins[0]),
               count_cell(group.wins[1])});
  }
  fold_column(table, "pair");
  for (const char* key : {"ratio_like", "interval_like", "prediction"}) drop_if_empty(table, key);
  return table;
}

Chart ratios_chart(const Findings& findings, const std::string& measure, const Names& names) {
  Table table;
  table.id = "forest-data-" + measure;
  table.title = "Ratios of " + names.of_measure(measure);
  table.columns = {text_column("case", "case"),         text_column("pair", "pair"),
                   number_column("ratio", "ratio"),     number_column("low", "95 % from"),
                   number_column("high", "95 % to"),    text_column("verdict", "verdict"),
                   text_column("winner", "costs less"), text_column("kind", "kind")};
  const bool has_one_pair = findings.levels.size() == 2;
  const bool has_many = findings.levels.size() >= many_levels;
  const auto add = [&](std::string name, const Comparison& one, std::string verdict,
                       const char* kind) {
    const auto& ci = one.estimate->ci95;
    if (!has_one_pair) name = (name == "all runs" ? "" : name + ": ") + pair_name(one.pair);
    table.add({text_cell(std::move(name)), text_cell(pair_name(one.pair)),
               ratio_cell(one.estimate->value), ci ? ratio_cell((*ci)[0]) : TableCell{},
               ci ? ratio_cell((*ci)[1]) : TableCell{},
               toned_cell(std::move(verdict), one.winner ? CellTone::strong : CellTone::plain),
               text_cell(one.winner.value_or("")), text_cell(kind)});
  };
  for (const auto& one : has_many ? against_the_lowest(findings, measure) : findings.comparisons)
    if (one.measure == measure && one.estimate)
      add(names.of_case(one.cell), one, verdict_text(one), "case");
  const auto leader = leader_of(findings, measure);
  for (const auto& group : findings.groups) {
    if (group.measure != measure || group.cases < 2) continue;
    if (leader && group.pair[0] != *leader && group.pair[1] != *leader) continue;
    Comparison one;
    one.pair = group.pair;
    one.estimate = group.these_cases;
    add(group.group == "all" ? "all cases" : "group " + group.group,
        leader == group.pair[0] ? turned(one) : one, "several cases", "group");
  }
  Chart chart;
  chart.id = "forest-" + measure;
  chart.title = table.title + " with 95 % intervals";
  const std::string ratio = has_one_pair ? pair_name({findings.levels[0], findings.levels[1]})
                            : has_many   ? "of every other level to the lowest"
                                         : "of each pair";
  chart.says = fmt::format(
      "A row for each case: the ratio {} and its interval, the line at 1, and the margin of "
      "{:.3g} %.",
      ratio, findings.margin * 100);
  chart.kind = ChartKind::forest;
  chart.roles = {{"x", "ratio"}, {"low", "low"},       {"high", "high"},
                 {"y", "case"},  {"colour", "winner"}, {"kind", "kind"}};
  chart.settings = {{"margin", findings.margin}};
  chart.titles = {{"x", has_one_pair ? ratio : has_many ? "other / lowest" : "first / second"}};
  const std::array<std::string, 2> sides =
      has_one_pair ? std::array{findings.levels[0], findings.levels[1]}
      : has_many   ? std::array<std::string, 2>{"other", "lowest"}
                   : std::array<std::string, 2>{"first", "second"};
  chart.titles.emplace_back("left", sides[0] + " " + less_words(measure));
  chart.titles.emplace_back("right", sides[1] + " " + less_words(measure));
  chart.tables.push_back(std::move(table));
  return chart;
}

std::optional<std::string> leader_of(const Findings& findings, const std::string& measure) {
  if (findings.levels.size() < many_levels) return std::nullopt;
  const auto all = standings(findings, measure);
  return all.levels.empty() ? std::nullopt : std::optional(all.levels.front().level);
}

std::string compare_csv(const CompareReport& report) {
  std::vector<ComparisonColumn> columns;
  columns.reserve(report.factors.size() + 31);
  for (const auto& factor : report.factors) columns.push_back(factor_column(factor));
  for (const char* name : {"measure",     "per",           "family",         "first",
                           "second",      "n_first",       "n_second",       "mean_first",
                           "mean_second", "median_first",  "median_second",  "sd_first",
                           "sd_second",   "geomean_first", "geomean_second", "paired",
                           "ratio",       "ci95_low",      "ci95_high",      "p",
                           "p_corrected", "rank_test",     "rank_p",         "rank_p_corrected",
                           "a12",         "time_ratio",    "power_ratio",    "quality",
                           "winner",      "verdict",       "reason"})
    columns.push_back(comparison_column(name));
  std::vector<const Comparison*> rows;
  rows.reserve(report.findings.comparisons.size());
  for (const auto& one : report.findings.comparisons) rows.push_back(&one);
  return table_csv(comparisons_table(columns, rows));
}

}  // namespace prengdl
