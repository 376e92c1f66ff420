// SPDX-License-Identifier: Apache-2.0
#include "tables/table.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "tables/escape.h"

namespace prengdl {

std::string TableColumn::heading() const {
  return unit.empty() ? title : title + " [" + unit + "]";
}

std::string badged(const std::string& title, const std::string& badge) {
  return badge.empty() ? title : title + " [" + badge + "]";
}

std::size_t Table::column(const std::string& key) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].key == key) return i;
  throw Error("the table " + id + " has no column " + key);
}

std::string table_markdown(const Table& table) {
  std::string out = "|";
  for (const auto& column : table.columns) out += " " + markdown_text(column.heading()) + " |";
  out += "\n|";
  for (const auto& column : table.columns) out += column.is_number ? "---:|" : "---|";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text =
          table.columns[i].is_prose ? markdown_prose(row[i].text) : markdown_text(row[i].text);
      out += row[i].is_marked && !text.empty() ? " **" + text + "** |" : " " + text + " |";
    }
    out += "\n";
  }
  return out;
}

std::string table_csv(const Table& table) {
  const auto key = [](const TableColumn& column) { return csv_cell(column.key); };
  const auto value = [](const TableCell& cell) {
    return csv_cell(cell.number ? fmt::format("{}", *cell.number) : cell.text);
  };
  std::string out = joined(table.columns, ",", key) + "\n";
  for (const auto& row : table.rows) out += joined(row, ",", value) + "\n";
  return out;
}

}  // namespace prengdl
