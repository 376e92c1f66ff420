// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/headline.h"
#include "analysis/standings.h"
#include "base/text.h"
#include "model/measure.h"
#include "report/compare_report.h"
#include "report/compare_words.h"
#include "report/interval_chart.h"
#include "report/table.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

using Align = Table::Align;

std::string level_of(const CellPattern& cell, const std::string& factor) {
  const auto found = cell.find(factor);
  return found == cell.end() ? "" : printable(found->second);
}

/// The columns that name a unit and a pair, and their cells.
class RowHead {
 public:
  explicit RowHead(const CompareReport& report)
      : report_(report), has_one_pair_(report.findings.levels.size() == 2) {}

  void add_columns(const std::vector<const Comparison*>& rows,
                   std::vector<Table::Column>& columns) const {
    for (const auto& factor : report_.factors) {
      const bool is_same = std::all_of(rows.begin(), rows.end(), [&](const Comparison* one) {
        return level_of(one->cell, factor) == level_of(rows.front()->cell, factor);
      });
      columns.push_back({printable(factor), Align::left, is_same ? 7 : 0});
    }
    if (has_one_pair_) {
      for (const auto& level : report_.findings.levels)
        columns.push_back({printable(level), Align::right});
    } else {
      columns.push_back({"pair", Align::left});
      columns.push_back({"first", Align::right});
      columns.push_back({"second", Align::right});
    }
  }

  void add_cells(const Comparison& one, std::vector<std::string>& cells) const {
    for (const auto& factor : report_.factors) cells.push_back(level_of(one.cell, factor));
    if (!has_one_pair_) cells.push_back(printable(one.pair[0] + " : " + one.pair[1]));
    for (const auto& level : one.levels) {
      const auto mean = level.geomean ? level.geomean : std::optional(level.mean);
      std::string cost = level.n > 0 ? cost_text(*mean, one) : "–";
      if (one.winner == level.level) cost.insert(0, "* ");
      cells.push_back(std::move(cost));
    }
  }

 private:
  const CompareReport& report_;
  bool has_one_pair_;
};

Table table_of(const CompareReport& report, const std::vector<const Comparison*>& rows) {
  const RowHead head(report);
  std::vector<Table::Column> columns;
  head.add_columns(rows, columns);
  columns.insert(columns.end(), {{"n", Align::right, 3},
                                 {"ratio", Align::right},
                                 {"95 % interval", Align::right, 1},
                                 {"p", Align::right, 2},
                                 {"rank p", Align::right, 5},
                                 {"A12", Align::right, 6},
                                 {"time", Align::right, 4},
                                 {"power", Align::right, 4}});
  columns.push_back({"", Align::left});
  Table table(std::move(columns));
  for (const auto* one : rows) {
    std::vector<std::string> cells;
    head.add_cells(*one, cells);
    cells.push_back(std::to_string(one->n));
    cells.push_back(one->n > 0 ? ratio_text(one->estimate.value) : "");
    cells.push_back(interval_text(one->estimate.ci95));
    cells.push_back(p_text(one->estimate.p_corrected));
    cells.push_back(one->rank ? p_text(one->rank->p_corrected) : "");
    cells.push_back(one->a12 ? fmt::format("{:.2f}", *one->a12) : "");
    for (const auto* part : {&one->time, &one->power})
      cells.push_back(*part ? fmt::format("{:#.3g}", (*part)->value) : "");
    cells.push_back(printable(verdict_text(*one)));
    table.add(std::move(cells));
  }
  return table;
}

std::string quality_note(const std::vector<const Comparison*>& rows) {
  std::set<std::string> words;
  for (const auto* one : rows) {
    if (one->quality == Quality::model) words.insert("modelled, not measured");
    if (one->quality == Quality::virtual_machine) words.insert("reported by the hypervisor");
  }
  std::string text;
  for (const auto& word : words) text += (text.empty() ? " [" : "; ") + word;
  return text.empty() ? "" : text + "]";
}

/// A few dozen lines can be taken in at a glance; more are for the report.
constexpr std::size_t most_lines = 40;

std::string chart_of(const CompareReport& report, const std::vector<const Comparison*>& rows,
                     const Style& style) {
  std::vector<IntervalRow> lines;
  for (const auto* one : rows) {
    if (one->n == 0 || one->quality == Quality::model || !one->estimate.ci95) continue;
    std::string label;
    for (const auto& factor : report.factors)
      label += (label.empty() ? "" : " ") + level_of(one->cell, factor);
    if (report.findings.levels.size() > 2 || label.empty())
      label += (label.empty() ? "" : " ") + printable(one->pair[0] + " : " + one->pair[1]);
    lines.push_back({label, one->estimate.value, one->estimate.ci95});
  }
  if (lines.size() > most_lines) return "";
  return interval_chart(lines, report.findings.margin, style);
}

/// How each of many levels stands among the others, by the measure of the headline.
std::string standings_text(const CompareReport& report, const Style& style) {
  if (report.findings.levels.size() < many_levels) return "";
  const std::string measure = headline_measure(report.findings);
  const Standings all = standings(report.findings, measure);
  if (all.comparisons == 0) return "";
  Table table({{printable(report.findings.compare), Align::left},
               {"units", Align::right},
               {"lowest in", Align::right},
               {"over the lowest", Align::right},
               {"costs less", Align::right, 1},
               {"costs more", Align::right, 1},
               {"neither is shown", Align::right, 2}});
  for (const auto& one : all.levels)
    table.add({printable(one.level), std::to_string(one.units), std::to_string(one.least_in),
               ratio_text(one.over_least), std::to_string(one.less), std::to_string(one.more),
               std::to_string(one.open)});
  return style.bold("how the levels stand by " + measure_title(printable(measure))) +
         style.dim(fmt::format("   {} of {} comparisons of two levels show a difference", all.shown,
                               all.comparisons)) +
         "\n" + table.text("  ", style) +
         style.dim(
             "  below: in each unit the level of the lowest cost with every other; --csv and "
             "--json have all pairs") +
         "\n\n";
}

std::string family_text(const CompareReport& report, const Family& family, const Style& style) {
  std::vector<const Comparison*> rows;
  const bool has_many_levels = report.findings.levels.size() >= many_levels;
  const Standings all = has_many_levels ? standings(report.findings, family.measure) : Standings{};
  for (const auto& one : report.findings.comparisons)
    if (one.measure == family.measure && (!has_many_levels || all.has_least(one)))
      rows.push_back(&one);
  if (rows.empty()) return "";
  std::string per = rows.front()->per ? " per unit of work" : "";
  std::string out =
      style.bold(measure_title(printable(family.measure)) + per) +
      style.dim(fmt::format("   {}, {} test{}", family.is_primary ? "primary" : "secondary",
                            family.tests, family.tests == 1 ? "" : "s, Holm")) +
      style.warn(quality_note(rows)) + "\n";
  out += table_of(report, rows).text("  ", style);
  if (family.measure == headline_measure(report.findings)) out += chart_of(report, rows, style);
  std::set<std::string> reasons;
  for (const auto* one : rows)
    if (!one->reason.empty()) reasons.insert(one->reason);
  for (const auto& reason : reasons) out += "  " + style.warn(printable(reason)) + "\n";
  return out + "\n";
}

/// The parts of the energy are in the JSON: here they would bury the answer.
bool is_worth_a_line(const CompareReport& report, const GroupComparison& group) {
  if (is_in_seconds(group.measure)) return true;
  const auto& families = report.findings.families;
  return std::any_of(families.begin(), families.end(), [&](const Family& family) {
    return family.is_primary && family.measure == group.measure;
  });
}

/// Of many levels the one that stands first, which is set against all others; else nothing.
std::optional<std::string> leader_of(const Findings& findings) {
  if (findings.levels.size() < many_levels) return std::nullopt;
  const auto all = standings(findings, headline_measure(findings));
  return all.levels.empty() ? std::nullopt : std::optional(all.levels.front().level);
}

std::string groups_text(const CompareReport& report, const Style& style) {
  const auto& groups = report.findings.groups;
  if (groups.empty()) return "";
  Table table({{"group", Align::left},
               {"measure", Align::left},
               {"pair", Align::left},
               {"units", Align::right},
               {"ratio", Align::right},
               {"95 % interval", Align::right},
               {"costs less in", Align::left}});
  const auto leader = leader_of(report.findings);
  for (const auto& group : groups) {
    if (!is_worth_a_line(report, group)) continue;
    if (leader && group.pair[0] != *leader && group.pair[1] != *leader) continue;
    std::string wins;
    for (std::size_t i = 0; i < 2; ++i)
      if (group.wins[i] > 0)
        wins += fmt::format("{}{} {} of {}", wins.empty() ? "" : ", ", group.pair[i], group.wins[i],
                            group.units);
    table.add({printable(group.group), measure_title(printable(group.measure)),
               printable(group.pair[0] + " : " + group.pair[1]), std::to_string(group.units),
               ratio_text(group.ratio), interval_text(group.ci95),
               wins.empty() ? "none is shown" : printable(wins)});
  }
  return style.bold("several units as one") +
         style.dim("   geometric means of ratios; the units are the sample") + "\n" +
         table.text("  ", style) + "\n";
}

std::string failures_text(const CompareReport& report, const Style& style) {
  if (report.findings.failures.empty()) return "";
  std::string out = style.bold("failures") + "\n";
  for (const auto& cell : report.findings.failures) {
    std::string name;
    for (const auto& level : cell.cell) name += (name.empty() ? "" : " ") + level;
    out += fmt::format("  {}: {} of {} runs", printable(name), cell.failed, cell.runs);
    if (cell.burnt_joules) out += ", " + with_prefix(*cell.burnt_joules, "J") + " burnt";
    out += "\n";
  }
  return out + "\n";
}

/// What the answer is about comes first.
std::vector<Family> headline_first(const Findings& findings) {
  std::vector<Family> families = findings.families;
  std::stable_partition(families.begin(), families.end(),
                        [measure = headline_measure(findings)](const Family& family) {
                          return family.measure == measure;
                        });
  return families;
}

}  // namespace

std::string compare_text(const CompareReport& report, const Style& style) {
  const Findings& findings = report.findings;
  std::string levels;
  for (const auto& level : findings.levels) levels += (levels.empty() ? "" : ", ") + level;
  std::string out = fmt::format("{}: {} of {}\n", style.bold(printable(report.study)),
                                printable(findings.compare), printable(levels));
  out += style.dim(fmt::format("  {}; window: {}; alpha {:.3g}; margin {:.3g} %", findings.pairing,
                               printable(findings.window), findings.alpha, findings.margin * 100)) +
         "\n";
  out += style.dim(
             "  costs are geometric means, * the lower one where a difference is shown; ratio = "
             "first / second = time x power") +
         "\n\n";
  out += standings_text(report, style);
  for (const auto& family : headline_first(findings)) out += family_text(report, family, style);
  out += groups_text(report, style);
  out += failures_text(report, style);
  for (const auto& part : report.parts) out += part.text;
  for (const auto& note : findings.notes) out += style.warn("note: " + printable(note)) + "\n";
  return out;
}

std::string compare_markdown(const CompareReport& report) {
  std::string out;
  for (const auto& family : headline_first(report.findings)) {
    std::vector<const Comparison*> rows;
    for (const auto& one : report.findings.comparisons)
      if (one.measure == family.measure) rows.push_back(&one);
    if (rows.empty()) continue;
    out +=
        fmt::format("**{}**, {}{}\n\n", markdown_cell(measure_title(family.measure)),
                    family.is_primary ? "primary" : "secondary", markdown_cell(quality_note(rows)));
    out += table_of(report, rows).markdown() + "\n";
  }
  return out;
}

}  // namespace prengdl
