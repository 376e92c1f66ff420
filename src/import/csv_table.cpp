// SPDX-License-Identifier: Apache-2.0
#include "import/csv_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/text.h"

namespace prengdl {
namespace {

/// Walks over a text cell by cell and knows where it is.
class CellReader {
 public:
  CellReader(const ForeignText& source, char separator)
      : file_(source.name), text_(source.text), separator_(separator) {}

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t line() const { return line_; }
  std::size_t column() const { return at_ - line_begin_ + 1; }

  /// Passes over lines that hold nothing.
  void skip_empty_lines() {
    while (!at_end() && (text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n")) {
      at_ += text_[at_] == '\r' ? 2 : 1;
      new_line();
    }
  }

  /// The next cell; `ends_row` says whether it was the last of its row.
  std::string cell(bool& ends_row) {
    while (!at_end() && (text_[at_] == ' ' || (text_[at_] == '\t' && separator_ != '\t'))) ++at_;
    std::string value = !at_end() && text_[at_] == '"' ? quoted_cell() : std::string(plain_cell());
    if (value.find('\0') != std::string::npos) throw here("a NUL byte: this is no text");
    ends_row = at_end() || text_[at_] != separator_;
    if (!at_end()) {
      if (!ends_row) {
        ++at_;
      } else {
        at_ += text_[at_] == '\r' ? 2 : 1;
        new_line();
      }
    }
    return value;
  }

 private:
  Error here(const std::string& what, const std::string& hint = {}) const {
    return foreign_error(file_, line_, column(), what, hint);
  }

  void new_line() {
    ++line_;
    line_begin_ = at_;
    if (line_ == std::numeric_limits<std::uint32_t>::max()) throw here("too many lines");
  }

  /// Whether the text here ends a line.
  bool is_end_of_line() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }

  std::string_view plain_cell() {
    const std::size_t begin = at_;
    while (!at_end() && text_[at_] != separator_ && !is_end_of_line()) {
      if (++at_ - begin > longest_foreign_line) throw here("the cell is too long");
    }
    return trimmed(text_.substr(begin, at_ - begin));
  }

  std::string quoted_cell() {
    const Error open = here("a quote is not closed", "close it with \"");
    std::string value;
    for (++at_;; ++at_) {
      if (at_end()) throw open;
      if (text_[at_] == '"') {
        if (text_.substr(at_, 2) != "\"\"") break;
        ++at_;
      }
      value += text_[at_];
      if (text_[at_] == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      }
      if (value.size() > longest_foreign_line) throw open;
    }
    ++at_;
    while (!at_end() && text_[at_] == ' ') ++at_;
    if (!at_end() && text_[at_] != separator_ && !is_end_of_line())
      throw here("text after a closing quote", "double the quotes that belong to the text");
    return value;
  }

  const std::string& file_;
  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace

CsvTable::CsvTable(const ForeignText& source, char separator) : file_(source.name) {
  CellReader reader(source, separator);
  reader.skip_empty_lines();
  std::set<std::string> known;
  for (bool ends_row = reader.at_end(); !ends_row;) {
    const std::size_t line = reader.line();
    const std::size_t column = reader.column();
    names_.push_back(reader.cell(ends_row));
    if (names_.size() > most_csv_columns)
      throw foreign_error(file_, line, column, "there are too many columns");
    if (!names_.back().empty() && !known.insert(names_.back()).second)
      throw foreign_error(file_, line, column,
                          fmt::format("the column '{}' is there twice", names_.back()),
                          "rename one of them");
  }
  for (;;) {
    reader.skip_empty_lines();
    if (reader.at_end()) return;
    const std::size_t row_line = reader.line();
    std::size_t count = 0;
    for (bool ends_row = false; !ends_row; ++count) {
      const std::size_t line = reader.line();
      const std::size_t column = reader.column();
      if (cells_.size() == most_csv_cells)
        throw foreign_error(file_, line, column, "the table is too large");
      std::string text = reader.cell(ends_row);
      if (count < names_.size())
        cells_.push_back({std::move(text), static_cast<std::uint32_t>(line),
                          static_cast<std::uint32_t>(std::min<std::size_t>(column, UINT32_MAX))});
      else
        throw foreign_error(
            file_, line, column,
            fmt::format("more cells than the {} columns that the first line names", names_.size()));
    }
    if (count < names_.size())
      throw foreign_error(
          file_, row_line, 1,
          fmt::format("{} cells where the first line names {} columns", count, names_.size()),
          "was the file cut off, or is the separator another one?");
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
  const Cell& where = at(row, column);
  return foreign_error(file_, where.line, where.column, what, hint);
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
