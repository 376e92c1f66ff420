// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace prengdl {
namespace {

std::uint32_t bounded(std::size_t number) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(number, UINT32_MAX));
}

}  // namespace

tl::unexpected<Error> CsvReader::trouble(const std::string& what, const std::string& hint) const {
  return failure(fmt::format("{}:{}: {}", line_, at_ - line_begin_ + 1, what), hint);
}

bool CsvReader::at_blank() const {
  return text_[at_] == ' ' || (text_[at_] == '\t' && form_.separator != '\t');
}

void CsvReader::begin_line() {
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++line_;
  line_begin_ = at_;
}

void CsvReader::skip_what_is_no_row() {
  while (!at_end()) {
    while (!at_end() && at_blank()) ++at_;
    if (form_.has_comments && !at_end() && text_[at_] == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_end()) return;
    if (!at_line_end()) {
      at_ = line_begin_;
      return;
    }
    begin_line();
  }
}

Result<std::string> CsvReader::plain_cell() {
  const std::size_t begin = at_;
  while (!at_end() && text_[at_] != form_.separator && !at_line_end())
    if (++at_ - begin > form_.longest_cell) return trouble("the cell is too long");
  return std::string(trimmed(text_.substr(begin, at_ - begin)));
}

Result<std::string> CsvReader::quoted_cell() {
  const auto open = trouble("a quote is not closed", "close it with \"");
  std::string value;
  for (++at_;; ++at_) {
    if (at_end()) return open;
    if (text_[at_] == '"') {
      if (text_.substr(at_, 2) != "\"\"") break;
      ++at_;
    }
    value += text_[at_];
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    if (value.size() > form_.longest_cell) return open;
  }
  ++at_;
  while (!at_end() && at_blank()) ++at_;
  if (!at_end() && text_[at_] != form_.separator && !at_line_end())
    return trouble("text after a closing quote", "double the quotes that belong to the text");
  return value;
}

Result<bool> CsvReader::next(CsvRow& row) {
  row.clear();
  skip_what_is_no_row();
  if (at_end()) return false;
  for (bool ends_row = false; !ends_row;) {
    if (row.size() == form_.most_columns) return trouble("there are too many columns");
    CsvCell cell{"", bounded(line_), bounded(at_ - line_begin_ + 1)};
    while (!at_end() && at_blank()) ++at_;
    auto text = !at_end() && text_[at_] == '"' ? quoted_cell() : plain_cell();
    if (!text) return tl::unexpected(text.error());
    if (text->find('\0') != std::string::npos) return trouble("a NUL byte: this is no text");
    cell.text = std::move(*text);
    row.push_back(std::move(cell));
    ends_row = at_end() || text_[at_] != form_.separator;
    if (!ends_row)
      ++at_;
    else if (!at_end())
      begin_line();
  }
  return true;
}

Result<std::vector<CsvRow>> csv_rows(std::string_view text, const std::string& name,
                                     const CsvForm& form) {
  CsvReader reader(text, form);
  std::vector<CsvRow> rows;
  for (CsvRow row;;) {
    const auto is_there = reader.next(row);
    if (!is_there) return failure(name + ":" + is_there.error().what(), is_there.error().hint);
    if (!*is_there) return rows;
    rows.push_back(std::move(row));
  }
}

}  // namespace prengdl
