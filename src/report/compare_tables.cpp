// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/window.h"
#include "report/compare_report.h"
#include "report/compare_words.h"
#include "report/table.h"

namespace prengdl {
namespace {

using Align = Table::Align;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

/// All levels of a unit by one measure, put together from its pairs.
struct UnitRow {
  std::map<std::string, LevelFigures> levels;
  std::vector<const Comparison*> pairs;

  const LevelFigures* cheapest() const {
    const LevelFigures* least = nullptr;
    for (const auto& [name, level] : levels)
      if (level.n > 0 && (!least || level.mean < least->mean)) least = &level;
    return least;
  }
};

}  // namespace

std::string compare_csv(const CompareReport& report) {
  std::vector<Table::Column> columns;
  columns.reserve(report.factors.size() + 31);
  for (const auto& factor : report.factors) columns.push_back({factor, Align::left});
  for (const char* title : {"measure",     "per",           "family",         "first",
                            "second",      "n_first",       "n_second",       "mean_first",
                            "mean_second", "median_first",  "median_second",  "sd_first",
                            "sd_second",   "geomean_first", "geomean_second", "paired",
                            "ratio",       "ci95_low",      "ci95_high",      "p",
                            "p_corrected", "rank_test",     "rank_p",         "rank_p_corrected",
                            "a12",         "time_ratio",    "power_ratio",    "quality",
                            "winner",      "verdict",       "reason"})
    columns.push_back({title, Align::left});
  Table table(std::move(columns));
  for (const auto& one : report.findings.comparisons) {
    std::vector<std::string> cells;
    for (const auto& factor : report.factors) {
      const auto level = one.cell.find(factor);
      cells.push_back(level == one.cell.end() ? "" : level->second);
    }
    cells.insert(cells.end(), {one.measure, one.per.value_or(""),
                               one.is_primary ? "primary" : "secondary", one.pair[0], one.pair[1]});
    const auto both = [&](const auto& of) {
      for (const auto& level : one.levels) cells.push_back(level.n > 0 ? of(level) : std::string());
    };
    both([](const LevelFigures& level) { return std::to_string(level.n); });
    both([](const LevelFigures& level) { return number(level.mean); });
    both([](const LevelFigures& level) { return number(level.median); });
    both([](const LevelFigures& level) { return number(level.sd); });
    both([](const LevelFigures& level) { return number(level.geomean); });
    const auto& estimate = one.estimate;
    const auto end = [&](std::size_t i) {
      return estimate.ci95 ? number((*estimate.ci95)[i]) : std::string();
    };
    cells.insert(
        cells.end(),
        {one.paired ? "yes" : "no", one.n > 0 ? number(estimate.value) : "", end(0), end(1),
         number(estimate.p), number(estimate.p_corrected), one.rank ? one.rank->test : "",
         one.rank ? number(one.rank->p) : "", one.rank ? number(one.rank->p_corrected) : "",
         number(one.a12), one.time ? number(one.time->value) : "",
         one.power ? number(one.power->value) : "",
         one.quality ? std::string(name_of(*one.quality)) : "", one.winner.value_or(""),
         std::string(name_of(one.verdict)), one.reason});
    table.add(std::move(cells));
  }
  return table.csv();
}

std::string compare_as_published(const CompareReport& report, const Style& style) {
  std::string out;
  for (const auto& family : report.findings.families) {
    std::vector<CellPattern> order;
    std::map<CellPattern, UnitRow> units;
    for (const auto& one : report.findings.comparisons) {
      if (one.measure != family.measure) continue;
      if (!units.contains(one.cell)) order.push_back(one.cell);
      UnitRow& unit = units[one.cell];
      unit.pairs.push_back(&one);
      for (const auto& level : one.levels) unit.levels[level.level] = level;
    }
    if (order.empty()) continue;
    std::vector<Table::Column> columns;
    columns.reserve(report.factors.size() + 2 * report.findings.levels.size() + 2);
    for (const auto& factor : report.factors) columns.push_back({printable(factor), Align::left});
    for (const auto& level : report.findings.levels) {
      columns.push_back({printable(level), Align::right});
      columns.push_back({"/ least", Align::right});
    }
    columns.push_back({"p", Align::right});
    columns.push_back({"A12", Align::right});
    Table table(std::move(columns));
    for (const auto& cell : order) {
      const UnitRow& unit = units[cell];
      const LevelFigures* least = unit.cheapest();
      std::vector<std::string> cells;
      for (const auto& factor : report.factors) {
        const auto level = cell.find(factor);
        cells.push_back(level == cell.end() ? "" : printable(level->second));
      }
      for (const auto& name : report.findings.levels) {
        const auto level = unit.levels.find(name);
        if (level == unit.levels.end() || level->second.n == 0 || !least) {
          cells.insert(cells.end(), {"–", ""});
          continue;
        }
        const double mean = level->second.mean;
        cells.push_back((&level->second == least ? "* " : "") + fmt::format("{:.6g}", mean));
        cells.push_back(least->mean > 0 ? fmt::format("{:.2f}", mean / least->mean) : "");
      }
      std::string p;
      std::string effect;
      for (const auto* pair : unit.pairs) {
        if (!pair->rank || !pair->a12) continue;
        // The studies give the chance that the dearer one costs more.
        const bool first_is_dearer = pair->levels[0].mean > pair->levels[1].mean;
        p += (p.empty() ? "" : " ") + p_text(pair->rank->p);
        effect += (effect.empty() ? "" : " ") +
                  fmt::format("{:.2f}", first_is_dearer ? *pair->a12 : 1 - *pair->a12);
      }
      cells.insert(cells.end(), {p, effect});
      table.add(std::move(cells));
    }
    out += fmt::format("{}, {}, mean of the runs\n", measure_title(printable(family.measure)),
                       is_in_seconds(family.measure) ? "s" : "J");
    out += table.text("  ", style) + "\n";
  }
  out += "* least; / least: ratio of means; p of the rank test, not corrected\n";
  return out;
}

}  // namespace prengdl
