// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "import/foreign.h"

namespace prengdl {

constexpr std::size_t most_csv_cells = 10'000'000;

/// Where a cell begins in its file; lines and columns (bytes) count from 1.
struct CellPlace {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// A foreign table with a line of names.
class CsvTable {
 public:
  /// Throws an Error with line and column for what is no such table: a quote that is not closed, a
  /// row of another length, two columns of one name.
  CsvTable(const ForeignText& source, char separator);

  const std::vector<std::string>& names() const { return names_; }
  std::size_t rows() const { return names_.empty() ? 0 : cells_.size() / names_.size(); }

  std::optional<std::size_t> column(std::string_view name) const;
  std::string_view cell(std::size_t row, std::size_t column) const { return at(row, column).text; }

  /// A number, or nothing for an empty cell, "N/A", "nan" and similar. Anything else is refused.
  std::optional<double> number(std::size_t row, std::size_t column) const;

  CellPlace place(std::size_t row, std::size_t column) const {
    return {at(row, column).line, at(row, column).column};
  }

  /// An Error at a cell.
  Error error(std::size_t row, std::size_t column, const std::string& what,
              const std::string& hint = {}) const;

 private:
  Error error_at(const CsvCell& cell, const std::string& what, const std::string& hint = {}) const;
  const CsvCell& at(std::size_t row, std::size_t column) const {
    return cells_[row * names_.size() + column];
  }

  std::string file_;
  std::vector<std::string> names_;
  std::vector<CsvCell> cells_;  // row by row, without the names
};

/// Which of comma, semicolon and tab the first line has most of.
char likely_separator(const ForeignText& source);

/// Whether a cell says that there is no value: empty, "N/A", "[N/A]", "nan", "null", "None".
bool says_missing(std::string_view cell);

}  // namespace prengdl
