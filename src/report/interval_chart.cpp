// SPDX-License-Identifier: Apache-2.0
#include "report/interval_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/table.h"

namespace prengdl {
namespace {

constexpr int half = 24;                       // columns on either side of 1
constexpr double widest_scale = 100;           // a scale beyond this shows nothing
constexpr double narrowest = 1.1;              // nor does one below
constexpr std::size_t longest_row_label = 32;  // of a label

/// The scale's end that shows most of the intervals: the next of 1.1, 1.25, 1.5, 2, 3, 5, 10, ...
double scale_of(const std::vector<IntervalRow>& rows) {
  double needed = narrowest;
  for (const auto& row : rows) {
    const auto ends = row.interval.value_or(std::array{row.ratio, row.ratio});
    for (const double end : {ends[0], ends[1]})
      if (end > 0 && std::isfinite(end)) needed = std::max(needed, std::max(end, 1 / end));
  }
  for (const double end : {1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0})
    if (needed <= end) return end;
  return widest_scale;
}

class RatioScale {
 public:
  explicit RatioScale(double end) : end_(end) {}
  /// 0 to 2 half for what lies on the scale, outside otherwise.
  int column(double ratio) const {
    if (!(ratio > 0)) return -1;
    return half + static_cast<int>(std::lround(half * std::log(ratio) / std::log(end_)));
  }
  std::string axis() const {
    const std::string low = fmt::format("{:.3g}", 1 / end_);
    const std::string high = fmt::format("{:.3g}", end_);
    std::string line = low + std::string(half - low.size(), ' ') + "1";
    return line + std::string(half - high.size(), ' ') + high;
  }

 private:
  double end_;
};

std::string line_of(const IntervalRow& row, const RatioScale& scale, double margin) {
  std::vector<std::string> cells(2 * half + 1, " ");
  const int shaded = scale.column(1 / (1 - margin)) - half;
  for (int i = half - shaded; i <= half + shaded; ++i)
    if (i >= 0 && i <= 2 * half) cells[static_cast<std::size_t>(i)] = "░";
  cells[half] = "│";
  const auto put = [&](int column, const char* sign) {
    cells[static_cast<std::size_t>(std::clamp(column, 0, 2 * half))] = sign;
  };
  if (row.interval) {
    const int from = scale.column((*row.interval)[0]);
    const int to = scale.column((*row.interval)[1]);
    for (int i = std::max(from, 0); i <= std::min(to, 2 * half); ++i) put(i, "─");
    put(from, from < 0 ? "<" : "├");
    put(to, to > 2 * half ? ">" : "┤");
  }
  put(scale.column(row.ratio), "●");
  std::string text;
  for (const auto& cell : cells) text += cell;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string interval_chart(const std::vector<IntervalRow>& rows, double margin,
                           const Style& style) {
  // Two columns in front, two between, and the chart itself.
  constexpr std::size_t taken = 2 + 2 + 2 * half + 1;
  constexpr std::size_t shortest_row_label = 8;
  if (rows.empty() || style.width < taken + shortest_row_label) return "";
  const std::size_t longest = std::min(longest_row_label, style.width - taken);
  const RatioScale scale(scale_of(rows));
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, std::min(longest, shown_width(row.label)));
  std::string out = "  " + std::string(width + 2, ' ') + style.dim(scale.axis()) + "\n";
  for (const auto& row : rows) {
    const std::string label = shortened(row.label, longest);
    const std::size_t missing = width - std::min(width, shown_width(label));
    out += "  " + label + std::string(missing + 2, ' ') + line_of(row, scale, margin) + "\n";
  }
  return out;
}

}  // namespace prengdl
