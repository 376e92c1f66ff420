// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/shown_width.h"
#include "report/terminal.h"

namespace prengdl {

/// A table of texts that can be shown on a terminal, in Markdown and as CSV.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    int spare = 0;  // columns with the highest are left out first where there is no room; 0: never
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Aligned, two spaces between columns, `indent` before each line; columns without any text are
  /// left out. Within the style's width: texts go on in a second line, spare columns are left out,
  /// of which a line below says so; where even that is too wide, each row becomes a few lines.
  std::string text(std::string_view indent, const Style& style = {}) const;
  std::string markdown() const;
  std::string csv() const;

 private:
  class Layout;

  /// A few lines for each row: what it is about, then all of its figures by name.
  std::string cards(std::string_view indent, const std::vector<std::size_t>& shown,
                    std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Quoted where needed; a cell that a spreadsheet would run as a formula is made text.
std::string csv_cell(const std::string& text);

/// Text that Markdown shows as it is.
std::string markdown_cell(const std::string& text);

}  // namespace prengdl
