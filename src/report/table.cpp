// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "base/text.h"

namespace prengdl {

std::string csv_cell(const std::string& text) {
  std::string cell = text;
  const bool is_number = parse_number(text).has_value();
  if (!is_number && !cell.empty() &&
      std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos)
    cell.insert(0, "'");
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string markdown_cell(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '@') {  // a name in a command line is not a person to be called
      safe += "&#64;";
      continue;
    }
    if (std::string_view("|\\`*_[]<>#~").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string Table::markdown() const {
  std::string out = "|";
  for (const auto& column : columns_) out += " " + markdown_cell(column.title) + " |";
  out += "\n|";
  for (const auto& column : columns_) out += column.align == Align::right ? "---:|" : "---|";
  out += "\n";
  for (const auto& row : rows_) {
    out += "|";
    for (const auto& cell : row) out += " " + markdown_cell(cell) + " |";
    out += "\n";
  }
  return out;
}

std::string Table::csv() const {
  std::string out;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    out += (i > 0 ? "," : "") + csv_cell(columns_[i].title);
  out += "\n";
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + csv_cell(row[i]);
    out += "\n";
  }
  return out;
}

}  // namespace prengdl
