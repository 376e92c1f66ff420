// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

/// A table of texts that can be shown on a terminal, in Markdown and as CSV.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Aligned, two spaces between columns, `indent` before each line; columns without any text are
  /// left out.
  std::string text(std::string_view indent) const;
  std::string markdown() const;
  std::string csv() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Quoted where needed; a cell that a spreadsheet would run as a formula is made text.
std::string csv_cell(const std::string& text);

/// Text that Markdown shows as it is.
std::string markdown_cell(const std::string& text);

/// How many characters a text shows on a terminal: code points of UTF-8.
std::size_t shown_width(std::string_view text);

}  // namespace prengdl
