// SPDX-License-Identifier: Apache-2.0
//
// Figures that someone published: read from a CSV, and shown next to the computed ones.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// Runs of all cells that the published row may mean.
std::vector<const StoredRun*> runs_of(const ReportInput& input, const CellPattern& cell) {
  std::vector<const StoredRun*> found;
  for (const auto& one_case : input.cases)
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs)
        if (fits(input.study, cell, run->cell)) found.push_back(run);
  return found;
}

/// Cells of CSV with quotes as in RFC 4180; a row may not go over several lines.
std::vector<std::string> csv_row(std::string_view line, const std::string& where) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  if (quoted)
    throw Error(where + ": a quote is not closed",
                "each row is one line, quotes inside of quotes are doubled");
  for (auto& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

}  // namespace

std::vector<PublishedValue> read_published(const std::string& file, const Study& study) {
  const auto text = read_text(file);
  if (!text) throw Error(text.error());
  std::vector<PublishedValue> values;
  std::vector<std::string> head;
  std::size_t number = 0;
  for (const auto line : split(*text, '\n')) {
    const std::string where = fmt::format("{}:{}", file, ++number);
    if (trimmed(line).empty()) continue;
    auto cells = csv_row(line, where);
    if (head.empty()) {
      head = std::move(cells);
      for (const char* needed : {"measure", "value"})
        if (std::find(head.begin(), head.end(), needed) == head.end())
          throw Error(fmt::format("{} has no column '{}'", where, needed),
                      "its first line names the factors, then measure and value");
      continue;
    }
    if (cells.size() != head.size())
      throw Error(
          fmt::format("{} has {} cells, and the first line {}", where, cells.size(), head.size()));
    PublishedValue one;
    one.line = number;
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (head[i] == "measure") {
        one.measure = cells[i];
      } else if (head[i] == "value") {
        const auto value = parse_number(cells[i]);
        if (!value)
          throw Error(fmt::format("{}: '{}' is not a number", where, cells[i]),
                      "in SI units, without thousands separators");
        one.value = *value;
      } else if (factor_index(study, head[i])) {
        one.cell[head[i]] = cells[i];
      } else {
        throw Error(fmt::format("{}:1: '{}' is neither a factor of the study nor measure or value",
                                file, head[i]),
                    "leave out columns that are something else");
      }
    }
    values.push_back(std::move(one));
  }
  if (values.empty()) throw Error(file + " has no published values in it");
  return values;
}

Table published_table(const ReportInput& input) {
  Table table;
  table.id = "published";
  table.title = "Computed and published values";
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
    std::vector<TableCell> row;
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
      "Computed values are arithmetic means over the counted runs, in SI units. {} of {} agree to "
      "0.05 %, {} have no runs here. Differences above 1 % are marked.",
      same, input.published.size(), missing);
  return table;
}

}  // namespace prengdl
