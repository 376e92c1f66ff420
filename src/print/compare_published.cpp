// SPDX-License-Identifier: Apache-2.0
//
// Findings as the published studies print them: arithmetic means, p of the rank test and A12.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/lifecycle.h"
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
    // The studies give the chance that the more expensive one costs more.
    const bool first_is_dearer = pair->levels[0].mean > pair->levels[1].mean;
    p += (p.empty() ? "" : " ") + p_text(pair->rank->p);
    effect += (effect.empty() ? "" : " ") +
              fmt::format("{:.2f}", first_is_dearer ? *pair->a12 : 1 - *pair->a12);
  }
  cells.insert(cells.end(), {text_cell(p), text_cell(effect)});
}

/// Whether a level costs less than every other level of its case, by the verdicts.
bool is_winner(const CaseRow& row, const std::string& level) {
  std::size_t others = 0, beaten = 0;
  for (const auto* pair : row.pairs) {
    if (pair->pair[0] != level && pair->pair[1] != level) continue;
    ++others;
    beaten += pair->verdict == Verdict::less && pair->winner == level;
  }
  return others > 0 && beaten == others;
}

/// The rows of one measure for a table of a paper, with means in one unit, and that unit.
struct MeasureRows {
  std::string title;  // "package [kJ]"
  std::map<CellPattern, std::vector<TableCell>> cells;
};

MeasureRows measure_rows(const Findings& findings, const std::string& measure, const Names& names) {
  const auto rows = case_rows(findings, measure);
  MeasureRows made;
  Table means;                                    // one column, so that all means get the same unit
  std::string title = names.of_measure(measure);  // "package energy": short, for a narrow column
  if (const auto at = title.find(" energy"); at != std::string::npos) title.erase(at, 7);
  means.columns = {number_column("mean", title, unit_of_measure(measure))};
  const auto mean_of = [](const CaseRow& row, const std::string& level) -> std::optional<double> {
    const auto found = row.levels.find(level);
    if (found == row.levels.end() || found->second.n == 0) return std::nullopt;
    return found->second.mean;
  };
  for (const auto& row : rows)
    for (const auto& level : findings.levels) means.add({scaled_cell(mean_of(row, level))});
  scale_columns(means);
  std::size_t place = 0;
  for (const auto& row : rows) {
    auto& cells = made.cells[row.cell];
    for (const auto& level : findings.levels) {
      cells.push_back(means.rows[place++].front());
      cells.back().is_marked = is_winner(row, level);
    }
    const Comparison& pair = *row.pairs.front();
    if (pair.per && made.title.empty()) means.columns.front().unit += "/" + singular(*pair.per);
    made.title = means.columns.front().heading();
    if (findings.levels.size() != 2) continue;
    for (const char* name : {"ratio", "p_corrected", "a12"})
      cells.push_back(comparison_column(name).cell(pair));
  }
  return made;
}

std::string note_of_tests(const Findings& findings) {
  const bool is_rank = findings.test == "rank";
  if (findings.levels.size() != 2)
    return "Arithmetic means over runs. Bold: costs less than every other level.";
  return fmt::format(
      "Arithmetic means over runs. Bold: costs less than the other level. Ratio: first level over "
      "second, {}. p: {}, {}, corrected after Holm within each measure. A12: chance that a run of "
      "the first level costs more.",
      is_rank ? "Hodges-Lehmann estimate" : "geometric means",
      is_rank ? "Wilcoxon's rank test" : "t-test on logarithms",
      findings.paired ? "of pairs" : "of independent samples");
}

}  // namespace

std::vector<Table> study_tables(const Findings& findings, const Study& study,
                                const std::string& headline, const Names& names) {
  std::vector<std::pair<std::string, MeasureRows>> measures;
  measures.reserve(findings.families.size());
  for (const auto& family : findings.families)
    measures.emplace_back(family.measure, measure_rows(findings, family.measure, names));
  std::stable_partition(measures.begin(), measures.end(),
                        [&](const auto& one) { return one.first == headline; });
  const auto factor = phase_factor(study);
  std::vector<std::string> phases{""};
  if (factor) phases = study.factors[*factor_index(study, *factor)].levels;
  std::vector<Table> tables;
  for (const auto& phase : phases) {
    Table table;
    table.id = "study-costs" + (phase.empty() ? "" : "-" + phase);
    table.title = "Energy and time" + (phase.empty() ? "" : " of " + phase);
    table.columns = {text_column("case", "case"), text_column("measure", "mean of")};
    for (const auto& level : findings.levels) table.columns.push_back(number_column(level, level));
    if (findings.levels.size() == 2)
      for (const char* name : {"ratio", "p_corrected", "a12"})
        table.columns.push_back(comparison_column(name).column);
    table.note = note_of_tests(findings);
    std::set<CellPattern> seen;
    for (const auto& one : findings.comparisons) {
      if (factor && one.cell.at(*factor) != phase) continue;
      if (!seen.insert(one.cell).second) continue;
      CellPattern shown = one.cell;
      if (factor) shown.erase(*factor);
      for (const auto& [measure, rows] : measures) {
        const auto found = rows.cells.find(one.cell);
        if (found == rows.cells.end()) continue;
        std::vector<TableCell> cells{text_cell(names.of_case(shown)), text_cell(rows.title)};
        cells.insert(cells.end(), found->second.begin(), found->second.end());
        table.add(std::move(cells));
      }
    }
    if (table.rows.empty()) continue;
    if (std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
          return row.front().text == table.rows.front().front().text;
        }))
      drop_column(table, "case");
    tables.push_back(std::move(table));
  }
  return tables;
}

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
