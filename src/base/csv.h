// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// A cell of a table without the white space around it, and where it begins, counted from 1.
struct CsvCell {
  std::string text;
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in bytes
};
using CsvRow = std::vector<CsvCell>;

/// What may differ between tables, and what a hostile one may cost.
struct CsvForm {
  char separator = ',';
  bool has_comments = false;  // lines that begin with '#'
  std::size_t longest_cell = 1u << 20;
  std::size_t most_columns = 10'000;
};

/// Reads a table as in RFC 4180, row by row. Cells may be quoted, and then hold separators, ends of
/// lines and doubled quotes. Blank lines are passed over. The text must outlive the reader.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text, const CsvForm& form = {}) : text_(text), form_(form) {}

  /// The next row; false at the end. The Error begins with "LINE:COLUMN: ", for the caller to put
  /// the name of the file in front.
  Result<bool> next(CsvRow& row);

 private:
  bool at_end() const { return at_ >= text_.size(); }
  bool at_line_end() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }
  bool at_blank() const;
  void begin_line();
  void skip_what_is_no_row();
  Result<std::string> plain_cell();
  Result<std::string> quoted_cell();
  tl::unexpected<Error> trouble(const std::string& what, const std::string& hint = {}) const;

  std::string_view text_;
  CsvForm form_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

/// All rows of a table that is small. The Error begins with "NAME:LINE:COLUMN: ".
Result<std::vector<CsvRow>> csv_rows(std::string_view text, const std::string& name,
                                     const CsvForm& form = {});

}  // namespace prengdl
