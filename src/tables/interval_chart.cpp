// SPDX-License-Identifier: Apache-2.0
#include "tables/interval_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

constexpr int usual_half = 24;  // columns on either side of 1
constexpr int widest_half = 36;
constexpr int narrowest_half = 12;
constexpr std::size_t wide_terminal = 120;
constexpr std::size_t longest_label = 48;
constexpr std::size_t shortest_label = 8;
constexpr double widest_scale = 100;  // a scale beyond this shows nothing
constexpr double narrowest_scale = 1.1;

/// The smallest of 1.1, 1.25, 1.5, 2, 3, 5, 10, ... that holds all intervals.
double end_of_scale(const std::vector<IntervalRow>& rows) {
  double needed = narrowest_scale;
  for (const auto& row : rows) {
    const auto ends = row.interval.value_or(std::array{row.ratio, row.ratio});
    for (const double end : {ends[0], ends[1]})
      if (end > 0 && std::isfinite(end)) needed = std::max(needed, std::max(end, 1 / end));
  }
  for (const double end : {1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0})
    if (needed <= end) return end;
  return widest_scale;
}

/// How the columns of a line are shared between label, scale and figure.
struct ChartWidths {
  std::size_t label = 0;
  int half = 0;
  std::size_t figure = 0;
};

std::optional<ChartWidths> widths_of(const IntervalChart& chart, std::size_t width) {
  ChartWidths widths;
  for (const auto& row : chart.rows) {
    widths.label = std::max(widths.label, std::min(longest_label, shown_width(row.label)));
    widths.figure = std::max(widths.figure, ratio_text(row.ratio).size());
  }
  widths.half = width >= wide_terminal && width != any_width ? widest_half : usual_half;
  const std::size_t gaps = 2 + 2 + 2 + 1 + widths.figure;  // in front, around the scale, the 1
  const auto needed = [&] {
    return gaps + widths.label + 2 * static_cast<std::size_t>(widths.half);
  };
  while (needed() > width && widths.half > narrowest_half + 4) --widths.half;
  while (needed() > width && widths.label > shortest_label) --widths.label;
  while (needed() > width && widths.half > narrowest_half) --widths.half;
  return needed() > width ? std::nullopt : std::optional(widths);
}

class RatioScale {
 public:
  RatioScale(double end, int half) : end_(end), half_(half) {}

  /// 0 to 2 half for a ratio on the scale, outside otherwise.
  int column(double ratio) const {
    if (!(ratio > 0)) return -1;
    return half_ + static_cast<int>(std::lround(half_ * std::log(ratio) / std::log(end_)));
  }
  int half() const { return half_; }
  int last() const { return 2 * half_; }

  std::string axis() const {
    const std::string low = fmt::format("{:.3g}", 1 / end_);
    const std::string high = fmt::format("{:.3g}", end_);
    const auto half = static_cast<std::size_t>(half_);
    return low + std::string(half - low.size(), ' ') + "1" + std::string(half - high.size(), ' ') +
           high;
  }

 private:
  double end_;
  int half_;
};

/// The line without its label and figure, with trailing spaces.
std::string drawn(const IntervalRow& row, const RatioScale& scale, double margin) {
  std::vector<std::string> cells(static_cast<std::size_t>(scale.last()) + 1, " ");
  const int shaded = scale.column(1 / (1 - margin)) - scale.half();
  for (int i = scale.half() - shaded; i <= scale.half() + shaded; ++i)
    if (i >= 0 && i <= scale.last()) cells[static_cast<std::size_t>(i)] = "░";
  cells[static_cast<std::size_t>(scale.half())] = "│";
  const auto put = [&](int column, const char* sign) {
    cells[static_cast<std::size_t>(std::clamp(column, 0, scale.last()))] = sign;
  };
  if (row.interval) {
    const int from = scale.column((*row.interval)[0]);
    const int to = scale.column((*row.interval)[1]);
    for (int i = std::max(from, 0); i <= std::min(to, scale.last()); ++i) put(i, "─");
    put(from, from < 0 ? "<" : "├");
    put(to, to > scale.last() ? ">" : "┤");
  }
  put(scale.column(row.ratio), row.is_group ? "◆" : row.interval ? "●" : "○");
  return joined(cells, "");
}

/// "    ← a used less   b used less →" above the axis.
std::string sides_line(const IntervalChart& chart, const ChartWidths& widths) {
  const auto half = static_cast<std::size_t>(widths.half);
  if (chart.sides[0].empty() || chart.sides[1].empty()) return "";
  const std::size_t before = widths.label + 4 + half - 1;  // columns up to one before the 1
  const std::string left = "← " + shortened(chart.sides[0], before - 2);
  const std::string right = shortened(chart.sides[1], half + widths.figure - 2) + " →";
  return std::string(before - std::min(before, shown_width(left)), ' ') + left + "   " + right;
}

std::string coloured(const std::string& text, const IntervalRow& row, const Style& style) {
  if (!row.is_shown) return text;
  return row.ratio < 1 ? style.first_side(text) : style.second_side(text);
}

}  // namespace

std::string interval_chart(const IntervalChart& chart, const Style& style) {
  if (chart.rows.empty()) return "";
  const auto widths = widths_of(chart, style.width);
  if (!widths) return "";
  const RatioScale scale(end_of_scale(chart.rows), widths->half);
  std::string out;
  if (const auto sides = sides_line(chart, *widths); !sides.empty()) out += style.dim(sides) + "\n";
  out += std::string(widths->label + 4, ' ') + style.dim(scale.axis()) + "\n";
  for (const auto& row : chart.rows) {
    const std::string label = shortened(row.label, widths->label);
    const std::size_t missing = widths->label - std::min(widths->label, shown_width(label));
    out += "  " + label + std::string(missing + 2, ' ') +
           coloured(drawn(row, scale, chart.margin), row, style) +
           fmt::format("  {:>{}}\n", ratio_text(row.ratio), widths->figure);
  }
  return out;
}

}  // namespace prengdl
