// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>

#include "base/text.h"

namespace prengdl {
namespace {

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::string space(width - std::min(width, shown_width(text)), ' ');
  return align == Table::Align::right ? space + text : text + space;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

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

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (const auto& row : rows_) widths[i] = std::max(widths[i], shown_width(row[i]));
  const auto line = [&](const auto& cell_of) {
    std::string text(indent);
    bool is_first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::size_t width = std::max(widths[i], shown_width(columns_[i].title));
      text += (is_first ? "" : "  ") + padded(cell_of(i), width, columns_[i].align);
      is_first = false;
    }
    return without_end(std::move(text)) + "\n";
  };
  std::string out = line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) out += line([&](std::size_t i) { return row[i]; });
  return out;
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
