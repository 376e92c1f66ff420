// SPDX-License-Identifier: Apache-2.0
//
// A table as text of a given width.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "report/table.h"

namespace prengdl {
namespace {

constexpr std::size_t column_gap = 2;    // between columns
constexpr std::size_t comfortable = 12;  // a text that is narrower is hard to read
constexpr std::size_t narrowest_text = 8;
constexpr std::size_t longest_whole = 24;  // longer words may be broken

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::string space(width - std::min(width, shown_width(text)), ' ');
  return align == Table::Align::right ? space + text : text + space;
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

}  // namespace

/// Which columns are shown, and how wide.
class Table::Layout {
 public:
  Layout(const Table& table, std::size_t indent, std::size_t width) : table_(table) {
    for (std::size_t i = 0; i < table.columns_.size(); ++i)
      if (cells_width(i) > 0) shown_.push_back(i);
    if (shown_.empty()) return;
    const auto room = [&] {
      const std::size_t taken = indent + column_gap * (shown_.size() - 1);
      return width > taken ? width - taken : 0;
    };
    if (width == any_width || sum_of(natural()) <= room()) {
      widths_ = natural();
      return;
    }
    while (!(widths_ = squeezed(natural(), floors(comfortable), room())))
      if (!leave_out_one()) break;
    if (!widths_) widths_ = squeezed(natural(), floors(narrowest_text), room());
  }

  bool fits() const { return shown_.empty() || widths_.has_value(); }
  const std::vector<std::size_t>& shown() const { return shown_; }
  const std::vector<std::size_t>& left_out() const { return left_out_; }
  std::size_t width(std::size_t place) const { return (*widths_)[place]; }

 private:
  std::size_t cells_width(std::size_t column) const {
    std::size_t width = 0;
    for (const auto& row : table_.rows_) width = std::max(width, shown_width(row[column]));
    return width;
  }

  /// The longest word of a column that is not to be broken.
  std::size_t whole_words(std::size_t column) const {
    std::size_t longest = 0;
    for (const auto& row : table_.rows_)
      longest = std::max(longest, std::min(longest_word(row[column]), longest_whole));
    return longest;
  }

  std::vector<std::size_t> natural() const {
    std::vector<std::size_t> all;
    all.reserve(shown_.size());
    for (const std::size_t i : shown_)
      all.push_back(std::max(cells_width(i), shown_width(table_.columns_[i].title)));
    return all;
  }

  /// How narrow the shown columns may become: texts and titles as `least` says, or narrower where
  /// their longest word is. Numbers are never broken.
  std::vector<std::size_t> floors(std::size_t least) const {
    std::vector<std::size_t> all;
    for (const std::size_t i : shown_) {
      const auto& [title, align, spare] = table_.columns_[i];
      const std::size_t cells = cells_width(i);
      all.push_back(align == Align::left
                        ? std::min(std::max(cells, shown_width(title)),
                                   std::max(least, least < comfortable ? 0 : whole_words(i)))
                        : std::max(cells, std::min(longest_word(title), least / 2)));
    }
    return all;
  }

  bool leave_out_one() {
    std::size_t most = shown_.size();
    for (std::size_t at = 0; at < shown_.size(); ++at) {
      const int spare = table_.columns_[shown_[at]].spare;
      if (spare > 0 && (most == shown_.size() || spare >= table_.columns_[shown_[most]].spare))
        most = at;
    }
    if (most == shown_.size() || shown_.size() == 1) return false;
    left_out_.push_back(shown_[most]);
    shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(most));
    return true;
  }

  const Table& table_;
  std::vector<std::size_t> shown_;
  std::vector<std::size_t> left_out_;
  std::optional<std::vector<std::size_t>> widths_;
};

std::string Table::cards(std::string_view indent, const std::vector<std::size_t>& shown,
                         std::size_t width) const {
  std::string out;
  const auto add = [&](const std::string& before, const std::string& text) {
    if (text.empty()) return;
    for (const auto& line : lines_of(text, width - before.size())) out += before + line + "\n";
  };
  for (const auto& row : rows_) {
    std::string about;
    std::string figures;
    for (const std::size_t i : shown) {
      if (row[i].empty()) continue;
      const bool is_text = columns_[i].align == Align::left;
      std::string& to = is_text ? about : figures;
      to += to.empty() ? "" : "  ";
      to += is_text || columns_[i].title.empty() ? row[i] : columns_[i].title + " " + row[i];
    }
    add(std::string(indent), about);
    add(std::string(indent) + std::string(column_gap, ' '), figures);
  }
  return out;
}

std::string Table::text(std::string_view indent, const Style& style) const {
  const Layout layout(*this, indent.size(), style.width);
  const auto& shown = layout.shown();
  if (!layout.fits()) return cards(indent, shown, style.width);
  const auto row_text = [&](const auto& cell_of) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t at = 0; at < shown.size(); ++at) {
      cells.push_back(lines_of(cell_of(shown[at]), layout.width(at)));
      height = std::max(height, cells.back().size());
    }
    std::string text;
    for (std::size_t line = 0; line < height; ++line) {
      std::string one(indent);
      for (std::size_t at = 0; at < shown.size(); ++at)
        one += (at > 0 ? std::string(column_gap, ' ') : "") +
               padded(line < cells[at].size() ? cells[at][line] : "", layout.width(at),
                      columns_[shown[at]].align);
      text += without_end(std::move(one)) + "\n";
    }
    return text;
  };
  std::string out = row_text([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) out += row_text([&](std::size_t i) { return row[i]; });
  std::string names;
  for (const std::size_t i : layout.left_out())
    names += (names.empty() ? "" : ", ") + columns_[i].title;
  if (!names.empty())
    for (const auto& line : lines_of("no room for: " + names, style.width - indent.size()))
      out += std::string(indent) + style.dim(line) + "\n";
  return out;
}

}  // namespace prengdl
