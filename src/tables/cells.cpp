// SPDX-License-Identifier: Apache-2.0
#include "tables/cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/amounts.h"

namespace prengdl {
namespace {

struct Prefix {
  double factor;
  const char* text;
};

constexpr std::array<Prefix, 7> prefixes{
    {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}}};

/// The prefix that leaves one to three digits before the point. Time has none above seconds, and
/// energy none above MJ, for that is what such studies print.
Prefix prefix_for(double magnitude, const std::string& unit) {
  if (!(magnitude > 0)) return {1, ""};
  for (const auto& prefix : prefixes) {
    if (unit == "s" && prefix.factor > 1) continue;
    if (magnitude >= prefix.factor) return prefix;
  }
  return prefixes.back();
}

double median_magnitude(const Table& table, std::size_t column) {
  std::vector<double> sizes;
  for (const auto& row : table.rows)
    if (row[column].number && *row[column].number != 0 && std::isfinite(*row[column].number))
      sizes.push_back(std::fabs(*row[column].number));
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

}  // namespace

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (exponent < -5 || exponent > 8) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

TableCell text_cell(std::string text) { return {std::move(text), std::nullopt, false}; }

TableCell toned_cell(std::string text, CellTone tone) {
  return {std::move(text), std::nullopt, false, tone};
}

TableCell count_cell(std::size_t count) {
  return {std::to_string(count), static_cast<double>(count), false};
}

TableCell number_cell(const std::optional<double>& value, int digits) {
  if (!value) return {};
  return {significant(*value, digits), value, false};
}

TableCell ratio_cell(double ratio) { return {ratio_text(ratio), ratio, false}; }

TableCell interval_cell(const std::optional<std::array<double, 2>>& interval) {
  return text_cell(interval_text(interval));
}

TableCell p_cell(const std::optional<double>& p) {
  if (!p) return {};
  return {p_text(p), p, false};
}

TableCell share_cell(const std::optional<double>& share) {
  if (!share) return {};
  return {fmt::format("{:.1f} %", *share * 100), share, false};
}

TableCell scaled_cell(const std::optional<double>& value) { return {"", value, false}; }

TableColumn text_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), "", false};
}

TableColumn prose_column(std::string key, std::string title) {
  TableColumn column = text_column(std::move(key), std::move(title));
  column.is_prose = true;
  return column;
}

TableColumn number_column(std::string key, std::string title, std::string unit) {
  return {std::move(key), std::move(title), std::move(unit), true};
}

TableColumn interval_column() { return number_column("interval", "95 % interval"); }

void scale_columns(Table& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto& column = table.columns[i];
    if (column.unit.empty()) continue;
    const Prefix prefix = prefix_for(median_magnitude(table, i), column.unit);
    for (auto& row : table.rows)
      if (row[i].number && row[i].text.empty())
        row[i].text = significant(*row[i].number / prefix.factor);
    column.unit = prefix.text + column.unit;
  }
}

std::string in_unit(double value, const std::string& unit, const std::string& scaled) {
  for (const auto& prefix : prefixes)
    if (scaled == prefix.text + unit) return significant(value / prefix.factor);
  return significant(value);
}

namespace {

void erase_column(Table& table, std::size_t place) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

}  // namespace

void drop_column(Table& table, const std::string& key) { erase_column(table, table.column(key)); }

bool drop_if_empty(Table& table, const std::string& key) {
  const std::size_t place = table.column(key);
  if (!std::all_of(table.rows.begin(), table.rows.end(),
                   [&](const auto& row) { return row[place].text.empty() && !row[place].number; }))
    return false;
  erase_column(table, place);
  return true;
}

void fold_column(Table& table, const std::string& key) {
  const std::size_t place = table.column(key);
  if (table.rows.empty()) return;
  const std::string same = table.rows.front()[place].text;
  if (!std::all_of(table.rows.begin(), table.rows.end(),
                   [&](const auto& row) { return row[place].text == same; }))
    return;
  table.title += (table.title.empty() ? "" : ": ") + same;
  erase_column(table, place);
}

std::string figure_text(double value, std::string_view unit) {
  return unit == "s" ? for_people(Seconds{value}) : with_prefix(value, unit);
}

std::string ratio_text(double ratio) { return fmt::format("{:#.4g}", ratio); }

std::string interval_text(const std::optional<std::array<double, 2>>& interval) {
  if (!interval) return "";
  return fmt::format("{:#.4g} … {:#.4g}", (*interval)[0], (*interval)[1]);
}

std::string p_text(const std::optional<double>& p) {
  if (!p) return "";
  if (*p < 0.0001) return "< 0.0001";
  // 0.0498 is below 0.05 and must not look as if it were that.
  std::string text = fmt::format("{:.2g}", *p);
  for (int digits = 3; digits <= 5 && (text == "0.1" || text == "0.05" || text == "0.01"); ++digits)
    text = fmt::format("{:.{}g}", *p, digits);
  return text;
}

std::string percent_text(double share) {
  const double percent = std::fabs(share) * 100;
  // What is nearly all of it must not look like all of it.
  if (percent >= 99.5 && percent < 100) return fmt::format("{:.1f} %", std::min(percent, 99.9));
  return percent < 10 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

}  // namespace prengdl
