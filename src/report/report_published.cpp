// SPDX-License-Identifier: Apache-2.0
//
// Computed values beside published ones, cell by cell.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/report_cells.h"
#include "report/report_input.h"

namespace prengdl {
namespace {

/// Runs of all cells that the published row may mean.
std::vector<const StoredRun*> runs_of(const ReportInput& input, const CellPattern& cell) {
  std::vector<const StoredRun*> found;
  for (const auto& unit : input.units)
    for (const auto& runs : unit.levels)
      for (const auto* run : runs)
        if (fits(input.study, cell, run->cell)) found.push_back(run);
  return found;
}

}  // namespace

ReportTable published_table(const ReportInput& input) {
  ReportTable table;
  table.id = "published";
  table.title = "Computed beside published values";
  for (const auto& factor : input.study.factors)
    if (std::any_of(input.published.begin(), input.published.end(),
                    [&](const auto& one) { return one.cell.contains(factor.name); }))
      table.columns.push_back(text_column(factor.name, factor.name));
  const std::size_t heads = table.columns.size();
  for (auto column :
       {text_column("measure", "measure"), number_column("n", "n"),
        number_column("published", "published"), number_column("computed", "computed"),
        number_column("difference", "difference"),
        number_column("relative", "relative difference")})
    table.columns.push_back(std::move(column));
  std::size_t same = 0, missing = 0;
  for (const auto& one : input.published) {
    std::vector<ReportCell> row;
    for (std::size_t i = 0; i < heads; ++i) {
      const auto level = one.cell.find(table.columns[i].key);
      row.push_back(text_cell(level == one.cell.end() ? "" : level->second));
    }
    const auto runs = runs_of(input, one.cell);
    const auto computed = cell_mean(input, runs, one.measure);
    row.push_back(text_cell(one.measure));
    row.push_back(count_cell(computed ? runs.size() : 0));
    row.push_back(number_cell(one.value, 6));
    row.push_back(number_cell(computed, 6));
    if (computed) {
      const double difference = *computed - one.value;
      const double relative = one.value == 0 ? 0 : difference / one.value;
      row.push_back(number_cell(difference, 4));
      row.push_back(
          {fmt::format("{:+.3f} %", relative * 100), relative, std::fabs(relative) > 0.01});
      if (std::fabs(relative) < 0.0005) ++same;
    } else {
      row.insert(row.end(), {text_cell("no such runs here"), {}});
      ++missing;
    }
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "computed: arithmetic mean over the counted runs, in SI units; {} of {} agree to 0.05 %, {} "
      "have no runs here; "
      "differences above 1 % are marked",
      same, input.published.size(), missing);
  return table;
}

}  // namespace prengdl
