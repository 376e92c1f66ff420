// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/terminal.h"

namespace prengdl {

/// How a terminal colours a cell. Other formats ignore it.
enum class CellTone { plain, strong, faint, good, caution, bad };

/// What a cell shows, and the number behind it in SI units.
struct TableCell {
  std::string text;
  std::optional<double> number;
  bool is_marked = false;  // the cheapest, the one on the front
  CellTone tone = CellTone::plain;
  std::optional<std::array<double, 2>> interval = {};  // of a ratio: a page draws it as a bar
};

struct TableColumn {
  std::string key;    // for programs: "ratio"
  std::string title;  // for people: "ratio"
  std::string unit;   // "J", "s", "W": set by scale_columns() to the one that the texts are in
  bool is_number = true;
  bool is_prose = false;   // sentences of our own: `code` is marked as such
  int spare = 0;           // a narrow terminal leaves out columns with the highest first; 0: never
  bool is_detail = false;  // a page shows it on demand

  std::string heading() const;  // "energy [kJ]"
};

/// The one model of tables: commands and reports fill it, and each format writes it.
struct Table {
  std::string id;  // unique in a report, for programs and links
  std::string title;
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;  // as many cells as columns
  std::string note;                          // what a reader of the table must know
  std::string badge;         // how its energy was obtained: "measured: package", "modelled"
  bool has_headings = true;  // a terminal shows none above a list that explains itself
  bool is_folded = false;    // for reference: a page shows it on demand

  void add(std::vector<TableCell> cells) { rows.push_back(std::move(cells)); }
  std::size_t column(const std::string& key) const;  // throws an Error if there is none
};

/// With the badge behind it, for formats that draw none: "Energy by level [modelled]".
std::string badged(const std::string& title, const std::string& badge);

/// The rows for a terminal: aligned, two spaces between columns, `indent` before each line; columns
/// without any text are left out. To fit the style's width, texts continue in a second line, and
/// spare columns are left out and named in a line below. If that is still too wide, each row
/// becomes a few lines. Marked cells begin with a star.
std::string table_text(const Table& table, const Style& style = {}, std::string_view indent = "  ");

/// Marked cells are bold.
std::string table_markdown(const Table& table);

/// The columns' keys, then the rows, with numbers in full.
std::string table_csv(const Table& table);

}  // namespace prengdl
