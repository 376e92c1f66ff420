// SPDX-License-Identifier: Apache-2.0
#include "import/csv_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {

CsvTable::CsvTable(const ForeignText& source, char separator) : file_(source.name) {
  CsvReader reader(source.text, {.separator = separator, .longest_cell = longest_foreign_line});
  CsvRow row;
  const auto has_next = [&] {
    const auto next = reader.next(row);
    if (!next) throw Error(file_ + ":" + next.error().what(), next.error().hint);
    return *next;
  };
  if (!has_next()) return;
  std::set<std::string> known;
  for (const auto& cell : row) {
    names_.push_back(cell.text);
    if (!cell.text.empty() && !known.insert(cell.text).second)
      throw error_at(cell, fmt::format("the column '{}' appears twice", cell.text),
                     "rename one of them");
  }
  while (has_next()) {
    if (row.size() > names_.size())
      throw error_at(
          row[names_.size()],
          fmt::format("more cells than the {} columns that the first line names", names_.size()));
    if (row.size() < names_.size())
      throw error_at(
          row.front(),
          fmt::format("{} cells, but the first line names {} columns", row.size(), names_.size()),
          "was the file cut off, or is the separator another one?");
    if (cells_.size() + row.size() > most_csv_cells)
      throw error_at(row.front(), "the table is too large");
    std::move(row.begin(), row.end(), std::back_inserter(cells_));
  }
}

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::optional<double> CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view text = cell(row, column);
  if (says_missing(text)) return std::nullopt;
  if (const auto value = parse_number(text)) return value;
  throw error(row, column, fmt::format("'{}' is not a number", shortened(std::string(text), 40)));
}

Error CsvTable::error(std::size_t row, std::size_t column, const std::string& what,
                      const std::string& hint) const {
  return error_at(at(row, column), what, hint);
}

Error CsvTable::error_at(const CsvCell& cell, const std::string& what,
                         const std::string& hint) const {
  return foreign_error(file_, cell.line, cell.column, what, hint);
}

char likely_separator(const ForeignText& source) {
  const auto first = std::string_view(source.text).substr(0, source.text.find('\n'));
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t'}) {
    const auto count = std::count(first.begin(), first.end(), candidate);
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

bool says_missing(std::string_view cell) {
  static constexpr std::array<std::string_view, 11> words{"",
                                                          "N/A",
                                                          "n/a",
                                                          "NA",
                                                          "nan",
                                                          "NaN",
                                                          "NAN",
                                                          "null",
                                                          "None",
                                                          "<not counted>",
                                                          "<not supported>"};
  cell = trimmed(cell);
  // nvidia-smi: [N/A], [Not Supported], [Unknown Error], [GPU requires reset]
  if (cell.starts_with('[') && cell.ends_with(']')) return true;
  return std::find(words.begin(), words.end(), cell) != words.end();
}

}  // namespace prengdl
