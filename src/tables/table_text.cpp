// SPDX-License-Identifier: Apache-2.0
//
// A table as text of a given width.
#include <algorithm>
#include <numeric>
#include <optional>

#include "base/escaping.h"
#include "base/strings.h"
#include "tables/table.h"

namespace prengdl {
namespace {

constexpr std::size_t column_gap = 2;    // between columns
constexpr std::size_t comfortable = 12;  // a text that is narrower is hard to read
constexpr std::size_t narrowest_text = 8;
constexpr std::size_t narrowest_title = 4;
constexpr std::size_t longest_whole = 24;  // longer words may be broken

/// The texts of a table as a terminal shows them.
struct Grid {
  struct Column {
    std::string title;
    bool is_number;
    int spare;
  };
  struct Cell {
    std::string text;
    CellTone tone = CellTone::plain;
  };
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;

  explicit Grid(const Table& table) {
    for (const auto& column : table.columns)
      columns.push_back(
          {table.has_headings ? printable(column.heading()) : "", column.is_number, column.spare});
    for (const auto& row : table.rows) {
      auto& cells = rows.emplace_back();
      for (const auto& cell : row)
        cells.push_back(
            {(cell.is_marked && !cell.text.empty() ? "* " : "") + printable(cell.text), cell.tone});
    }
  }

  std::vector<Cell> titles() const {
    std::vector<Cell> cells;
    cells.reserve(columns.size());
    for (const auto& column : columns) cells.push_back({column.title});
    return cells;
  }
};

std::string toned(const std::string& text, CellTone tone, const Style& style) {
  if (text.empty()) return text;
  switch (tone) {
    case CellTone::strong:
      return style.bold(text);
    case CellTone::faint:
      return style.dim(text);
    case CellTone::good:
      return style.good(text);
    case CellTone::caution:
      return style.warn(text);
    case CellTone::bad:
      return style.bad(text);
    case CellTone::plain:
      break;
  }
  return text;
}

std::string padded(const std::string& text, std::size_t width, bool is_number) {
  const std::string space(width - std::min(width, shown_width(text)), ' ');
  return is_number ? space + text : text + space;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0});
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const auto word : words(text)) longest = std::max(longest, shown_width(word));
  return longest;
}

/// Takes columns away from the widest until all fit; nothing if the floors are too wide.
std::optional<std::vector<std::size_t>> squeezed(std::vector<std::size_t> widths,
                                                 const std::vector<std::size_t>& floors,
                                                 std::size_t room) {
  if (sum_of(floors) > room) return std::nullopt;
  for (std::size_t all = sum_of(widths); all > room; --all) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > floors[i] && (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    --widths[widest];
  }
  return widths;
}

/// Which columns are shown, and how wide.
class Layout {
 public:
  Layout(const Grid& grid, std::size_t indent, std::size_t width) : grid_(grid) {
    for (std::size_t i = 0; i < grid.columns.size(); ++i)
      if (cells_width(i) > 0) shown_.push_back(i);
    if (shown_.empty()) return;
    const auto fitted = [&]() -> std::optional<std::vector<std::size_t>> {
      const std::size_t taken = indent + column_gap * (shown_.size() - 1);
      room_ = width == any_width ? any_width : width > taken ? width - taken : 0;
      // Titles are broken before texts, which would take a line more in every row.
      if (auto widths = squeezed(natural(), compact(), room_)) return widths;
      return squeezed(compact(), floors(), room_);
    };
    while (!(widths_ = fitted()))
      if (!leave_out_one()) break;
    if (!widths_) widths_ = squeezed(compact(), lowest_floors(), room_);
  }

  bool fits() const { return shown_.empty() || widths_.has_value(); }
  const std::vector<std::size_t>& shown() const { return shown_; }
  const std::vector<std::size_t>& left_out() const { return left_out_; }
  std::size_t width(std::size_t place) const { return (*widths_)[place]; }

 private:
  std::size_t cells_width(std::size_t column) const {
    std::size_t width = 0;
    for (const auto& row : grid_.rows) width = std::max(width, shown_width(row[column].text));
    return width;
  }

  /// The longest word of a column that is not to be broken.
  std::size_t whole_words(std::size_t column) const {
    std::size_t longest = 0;
    for (const auto& row : grid_.rows)
      longest = std::max(longest, std::min(longest_word(row[column].text), longest_whole));
    return longest;
  }

  std::size_t natural_width(std::size_t column) const {
    return std::max(cells_width(column), shown_width(grid_.columns[column].title));
  }

  std::size_t compact_width(std::size_t column) const {
    return std::max(cells_width(column), longest_word(grid_.columns[column].title));
  }

  std::vector<std::size_t> natural() const {
    return each_shown([&](std::size_t i) { return natural_width(i); });
  }

  /// As wide as the cells and the longest words of the titles.
  std::vector<std::size_t> compact() const {
    return each_shown([&](std::size_t i) { return compact_width(i); });
  }

  /// How narrow the shown columns may become while no word is broken.
  std::vector<std::size_t> floors() const {
    return each_shown([&](std::size_t i) {
      return grid_.columns[i].is_number
                 ? compact_width(i)
                 : std::min(compact_width(i), std::max(comfortable, whole_words(i)));
    });
  }

  /// How narrow they may become at all. Numbers are never broken.
  std::vector<std::size_t> lowest_floors() const {
    return each_shown([&](std::size_t i) {
      return grid_.columns[i].is_number
                 ? std::max(cells_width(i),
                            std::min(longest_word(grid_.columns[i].title), narrowest_title))
                 : std::min(compact_width(i), narrowest_text);
    });
  }

  template <class Width>
  std::vector<std::size_t> each_shown(const Width& width) const {
    std::vector<std::size_t> all;
    all.reserve(shown_.size());
    for (const std::size_t i : shown_) all.push_back(width(i));
    return all;
  }

  bool leave_out_one() {
    std::size_t most = shown_.size();
    for (std::size_t at = 0; at < shown_.size(); ++at) {
      const int spare = grid_.columns[shown_[at]].spare;
      if (spare > 0 && (most == shown_.size() || spare >= grid_.columns[shown_[most]].spare))
        most = at;
    }
    if (most == shown_.size() || shown_.size() == 1) return false;
    left_out_.push_back(shown_[most]);
    shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(most));
    return true;
  }

  const Grid& grid_;
  std::size_t room_ = 0;
  std::vector<std::size_t> shown_;
  std::vector<std::size_t> left_out_;
  std::optional<std::vector<std::size_t>> widths_;
};

/// A few lines for each row: what it is about, then all of its figures by name.
std::string cards(const Grid& grid, std::string_view indent, const std::vector<std::size_t>& shown,
                  const Style& style) {
  std::string out;
  const auto add = [&](const std::string& before, const std::string& text) {
    if (text.empty()) return;
    for (const auto& line : lines_of(text, style.width - before.size()))
      out += before + line + "\n";
  };
  for (const auto& row : grid.rows) {
    std::string about;
    std::string figures;
    for (const std::size_t i : shown) {
      if (row[i].text.empty()) continue;
      const auto& column = grid.columns[i];
      std::string& to = column.is_number ? figures : about;
      to += to.empty() ? "" : "  ";
      if (column.is_number && !column.title.empty()) to += column.title + " ";
      to += toned(row[i].text, row[i].tone, style);
    }
    add(std::string(indent), about);
    add(std::string(indent) + std::string(column_gap, ' '), figures);
  }
  return out;
}

/// One row, in as many lines as its longest text needs.
std::string row_text(const Grid& grid, const Layout& layout, std::string_view indent,
                     const std::vector<Grid::Cell>& row, const Style& style) {
  const auto& shown = layout.shown();
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    cells.push_back(lines_of(row[shown[at]].text, layout.width(at)));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string one(indent);
    for (std::size_t at = 0; at < shown.size(); ++at)
      one +=
          (at > 0 ? std::string(column_gap, ' ') : "") +
          padded(line < cells[at].size() ? toned(cells[at][line], row[shown[at]].tone, style) : "",
                 layout.width(at), grid.columns[shown[at]].is_number);
    text += without_end(std::move(one)) + "\n";
  }
  return text;
}

}  // namespace

std::string table_text(const Table& table, const Style& style, std::string_view indent) {
  const Grid grid(table);
  const Layout layout(grid, indent.size(), style.width);
  if (!layout.fits()) return cards(grid, indent, layout.shown(), style);
  std::string out;
  if (table.has_headings) {
    const auto head = row_text(grid, layout, indent, grid.titles(), style);
    for (const auto line : split(std::string_view(head).substr(0, head.size() - 1), '\n'))
      out += style.dim(std::string(line)) + "\n";
  }
  for (const auto& row : grid.rows) out += row_text(grid, layout, indent, row, style);
  const auto names =
      joined(layout.left_out(), ", ", [&](std::size_t i) { return grid.columns[i].title; });
  if (!names.empty())
    for (const auto& line :
         lines_of("not shown at this width: " + names, style.width - indent.size()))
      out += std::string(indent) + style.dim(line) + "\n";
  return out;
}

}  // namespace prengdl
