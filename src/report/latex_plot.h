// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/report_model.h"

// What the charts for pgfplots have in common.
namespace prengdl::pgf {

/// TeX has little memory: charts with more marks are left to the other formats.
inline constexpr std::size_t most_marks = 3000;
inline constexpr std::size_t most_rows = 60;  // of a categorical axis
inline constexpr std::size_t most_panels = 30;
inline constexpr std::size_t colours = 6;
inline constexpr std::size_t longest_label = 40;

/// The rows of a chart by the names of their roles.
class Rows {
 public:
  explicit Rows(const Chart& chart) : chart_(chart), table_(chart.tables.front()) {}

  std::size_t size() const { return table_.rows.size(); }
  bool has(const char* role) const { return chart_.role(role) != nullptr; }
  const std::string& text(std::size_t row, const char* role) const { return cell(row, role).text; }
  std::optional<double> number(std::size_t row, const char* role) const {
    const auto& one = cell(row, role);
    if (!one.number || !std::isfinite(*one.number)) return std::nullopt;
    return *one.number / factor(role);
  }

  /// Different texts in the order in which they appear.
  std::vector<std::string> distinct(const char* role) const {
    std::vector<std::string> found;
    std::map<std::string, bool> seen;
    for (std::size_t i = 0; i < size(); ++i)
      if (!seen[text(i, role)]) {
        seen[text(i, role)] = true;
        found.push_back(text(i, role));
      }
    if (role == std::string_view("colour") && !chart_.coloured.empty()) {
      const auto place = [&](const std::string& name) {
        return std::find(chart_.coloured.begin(), chart_.coloured.end(), name);
      };
      std::stable_sort(found.begin(), found.end(),
                       [&](const auto& a, const auto& b) { return place(a) < place(b); });
    }
    return found;
  }

 private:
  const TableCell& cell(std::size_t row, const char* role) const {
    return table_.rows[row][table_.column(*chart_.role(role))];
  }

  /// Numbers are in SI units, texts and axes in the unit of the column.
  double factor(const char* role) const {
    const std::string& unit = table_.columns[table_.column(*chart_.role(role))].unit;
    if (unit.size() < 2) return 1;
    static const std::map<char, double> prefixes{{'G', 1e9},  {'M', 1e6},  {'k', 1e3},
                                                 {'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};
    const auto known = prefixes.find(unit.front());
    return known == prefixes.end() ? 1 : known->second;
  }

  const Chart& chart_;
  const Table& table_;
};

std::string label(const std::string& text);  // in braces, not too long
std::string number(double value);
std::size_t place_of(const std::vector<std::string>& names, const std::string& name);

/// "0,1" and "{a},{b}": ticks of an axis of names.
struct Ticks {
  std::string places, labels;
};
Ticks ticks_of(const std::vector<std::string>& names, std::size_t longest = longest_label);

/// What an axis has to show, and whether logarithms suit it.
class Extent {
 public:
  void take(const std::optional<double>& value) {
    if (!value || *value <= 0) return;
    least_ = std::min(least_, *value);
    most_ = std::max(most_, *value);
  }
  double least() const { return least_; }
  double most() const { return most_; }

  /// "xmode=log, ..." or nothing: pgfplots finds no ticks on a logarithmic axis of some percent,
  /// and stops; numbers of many digits are better left as powers of ten.
  std::string log_mode(char axis) const;

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = 0;
};

/// What OT1 fonts lack: letters are taken from T1, which must be loaded, and quotes from OT1. For
/// after textcomp. Documents in OT1 get fonts that scale: without cm-super, TeX sets T1 and TS1 in
/// bitmaps, which publishers refuse.
std::string letters();

/// What a document needs in its preamble to show the pictures: fonts, packages and colours.
std::string preamble();

/// A picture with one axis.
std::string picture(const std::string& axis_options, const std::string& plots);

}  // namespace prengdl::pgf
