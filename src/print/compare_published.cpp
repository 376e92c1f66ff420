// SPDX-License-Identifier: Apache-2.0
//
// Findings as the published studies print them: arithmetic means, p of the rank test and A12.
#include <fmt/core.h>

#include <map>

#include "print/compare.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// All levels of a case by one measure, put together from its pairs.
struct CaseRow {
  CellPattern cell;
  std::map<std::string, LevelFigures> levels;
  std::vector<const Comparison*> pairs;

  const LevelFigures* cheapest() const {
    const LevelFigures* least = nullptr;
    for (const auto& [name, level] : levels)
      if (level.n > 0 && (!least || level.mean < least->mean)) least = &level;
    return least;
  }
};

std::vector<CaseRow> case_rows(const Findings& findings, const std::string& measure) {
  std::vector<CaseRow> rows;
  std::map<CellPattern, std::size_t> places;
  for (const auto& one : findings.comparisons) {
    if (one.measure != measure) continue;
    const auto [place, is_new] = places.try_emplace(one.cell, rows.size());
    if (is_new) rows.emplace_back().cell = one.cell;
    CaseRow& row = rows[place->second];
    row.pairs.push_back(&one);
    for (const auto& level : one.levels) row.levels[level.level] = level;
  }
  return rows;
}

void add_levels(const CaseRow& row, const std::vector<std::string>& levels,
                std::vector<TableCell>& cells) {
  const LevelFigures* least = row.cheapest();
  for (const auto& name : levels) {
    const auto level = row.levels.find(name);
    if (level == row.levels.end() || level->second.n == 0 || !least) {
      cells.insert(cells.end(), {text_cell("–"), {}});
      continue;
    }
    const double mean = level->second.mean;
    const double ratio = mean / least->mean;
    cells.push_back({fmt::format("{:.6g}", mean), mean, &level->second == least});
    cells.push_back(least->mean > 0 ? TableCell{fmt::format("{:.2f}", ratio), ratio, false}
                                    : TableCell{});
  }
}

/// p and A12 of all pairs, in their order.
void add_tests(const CaseRow& row, std::vector<TableCell>& cells) {
  std::string p;
  std::string effect;
  for (const auto* pair : row.pairs) {
    if (!pair->rank || !pair->a12) continue;
    // The studies give the chance that the dearer one costs more.
    const bool first_is_dearer = pair->levels[0].mean > pair->levels[1].mean;
    p += (p.empty() ? "" : " ") + p_text(pair->rank->p);
    effect += (effect.empty() ? "" : " ") +
              fmt::format("{:.2f}", first_is_dearer ? *pair->a12 : 1 - *pair->a12);
  }
  cells.insert(cells.end(), {text_cell(p), text_cell(effect)});
}

}  // namespace

std::string compare_as_published(const CompareReport& report, const Style& style) {
  const Findings& findings = report.findings;
  std::string out;
  for (const auto& family : findings.families) {
    Table table;
    for (const auto& factor : report.factors) table.columns.push_back(text_column(factor, factor));
    for (const auto& level : findings.levels) {
      table.columns.push_back(number_column(level, level));
      table.columns.push_back(number_column(level + "_ratio", "/ least"));
    }
    table.columns.push_back(number_column("rank_p", "p"));
    table.columns.push_back(number_column("a12", "A12"));
    for (const auto& row : case_rows(findings, family.measure)) {
      std::vector<TableCell> cells;
      for (const auto& factor : report.factors) {
        const auto level = row.cell.find(factor);
        cells.push_back(text_cell(level == row.cell.end() ? "" : level->second));
      }
      add_levels(row, findings.levels, cells);
      add_tests(row, cells);
      table.add(std::move(cells));
    }
    if (table.rows.empty()) continue;
    Part part{family.measure, measure_title(family.measure), {}};
    part.remark = fmt::format("mean of the runs, {}", unit_of_measure(family.measure));
    part.add(std::move(table));
    out += part_text(part, style);
  }
  return out +
         "* marks the lowest mean. / least: ratio of means. p of the rank test, not corrected.\n";
}

}  // namespace prengdl
