// SPDX-License-Identifier: Apache-2.0
//
// Charts of the report as pgfplots. Each kind that can stand on paper has a function; the numbers
// are those of the chart's table.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/strings.h"
#include "report/formats.h"
#include "report/latex_plot.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

using namespace pgf;

/// A categorical axis, the first name at the top.
std::string names_axis(const std::vector<std::string>& names) {
  const Ticks ticks = ticks_of(names);
  return fmt::format(
      "ytick={{{}}}, yticklabels={{{}}}, y dir=reverse, ymin=-0.7, ymax={}, "
      "yticklabel style={{font=\\scriptsize}}, ",
      ticks.places, ticks.labels, static_cast<double>(names.size()) - 0.3);
}

std::string size_of(std::size_t rows) {
  return fmt::format("width=0.72\\linewidth, height={:.1f}cm, scale only axis, ",
                     std::clamp(0.38 * static_cast<double>(rows) + 0.5, 1.5, 18.0));
}

std::string mark_of(std::size_t level) {
  static constexpr std::array<const char*, 4> marks{"*", "square*", "triangle*", "diamond*"};
  return fmt::format(
      "only marks, mark={}, colour{}, mark size=1.1pt, mark options={{fill opacity=0.6, draw "
      "opacity=0.6}}",
      marks[level % marks.size()], level % colours);
}

std::string legend(const std::vector<std::string>& names) {
  return "\\legend{" + joined(names, ",", label) + "}\n";
}

/// Dots of runs by case, or of runs in their order: a row for each name on the y axis.
std::string strips(const Chart& chart) {
  const Rows rows(chart);
  const auto cases = rows.distinct("y");
  const auto levels = rows.distinct("colour");
  if (rows.size() > most_marks || cases.size() > most_rows) return "";
  std::string plots;
  Extent extent;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    plots += fmt::format("\\addplot[{}] coordinates {{", mark_of(level));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto x = rows.number(i, "x");
      if (!x || rows.text(i, "colour") != levels[level]) continue;
      extent.take(x);
      const double shift =
          (static_cast<double>(level) + 0.5) / static_cast<double>(levels.size()) - 0.5;
      plots += fmt::format(
          "({},{}) ", number(*x),
          number(static_cast<double>(place_of(cases, rows.text(i, "y"))) + 0.5 * shift));
    }
    plots += "};\n";
  }
  return picture(size_of(cases.size()) + names_axis(cases) +
                     (chart.setting("log") ? extent.log_mode('x') : "") + "xlabel=" + "{" +
                     latex_text(chart.title_of("x")) + "}, ",
                 plots + legend(levels));
}

/// Ratios that people know, as far from each other as their labels need.
std::string ratio_ticks(double least, double most) {
  static constexpr std::array<double, 15> known{0.1,  0.2,  0.33, 0.5, 0.67, 0.8, 0.9, 1,
                                                1.11, 1.25, 1.5,  2,   3,    5,   10};
  const double apart = std::log(most / least) / 9;
  std::vector<double> chosen;
  for (const double one : known) {
    if (one < least || one > most) continue;
    const bool is_close = !chosen.empty() && std::log(one / chosen.back()) < apart;
    if (is_close && one == 1) chosen.back() = 1;  // the line that all is read against
    if (!is_close) chosen.push_back(one);
  }
  if (chosen.size() < 2) return "";
  const std::string ticks = joined(chosen, ",", number);
  return fmt::format("xtick={{{0}}}, xticklabels={{{0}}}, minor x tick num=0, ", ticks);
}

/// Colours the ratios by the level that costs less. What is not decided has no level's colour.
class WinnerColours {
 public:
  explicit WinnerColours(const Chart& chart) {
    const Table& table = chart.tables.front();
    const auto pair = std::find_if(table.columns.begin(), table.columns.end(),
                                   [](const TableColumn& one) { return one.key == "pair"; });
    if (pair == table.columns.end()) return;
    for (const auto& row : table.rows) {
      const std::string& text = row[static_cast<std::size_t>(pair - table.columns.begin())].text;
      const auto middle = text.find(" / ");
      if (middle == std::string::npos) continue;
      for (const auto& level : {text.substr(0, middle), text.substr(middle + 3)})
        if (place_of(levels_, level) == levels_.size()) levels_.push_back(level);
    }
    if (levels_.size() > 3) levels_.clear();  // then the pairs are not in the order of the levels
  }

  std::string of(const std::string& verdict) const {
    for (std::size_t i = 0; i < levels_.size(); ++i)
      if (verdict.starts_with(levels_[i] + " ")) return fmt::format("colour{}", i % colours);
    return "darkgray";
  }

 private:
  std::vector<std::string> levels_;
};

std::string forest(const Chart& chart) {
  const Rows rows(chart);
  const auto cases = rows.distinct("y");
  if (cases.size() > most_rows) return "";
  const double margin = chart.setting("margin").value_or(0);
  Extent extent;
  extent.take(1 / (1 + margin));
  extent.take(1 + margin);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const char* role : {"x", "low", "high"}) extent.take(rows.number(i, role));
  const double bottom = static_cast<double>(cases.size()) - 0.3;
  const WinnerColours winners(chart);
  std::string plots = fmt::format(
      "\\fill[gray, opacity=0.2] (axis cs:{},-0.7) rectangle (axis cs:{},{});\n\\draw[dashed] "
      "(axis cs:1,-0.7) -- (axis cs:1,{});\n",
      number(1 / (1 + margin)), number(1 + margin), bottom, bottom);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto x = rows.number(i, "x"), low = rows.number(i, "low"), high = rows.number(i, "high");
    const auto y = place_of(cases, rows.text(i, "y"));
    const bool is_group = rows.text(i, "kind") == "group";
    const std::string colour = is_group             ? "black"
                               : rows.has("colour") ? winners.of(rows.text(i, "colour"))
                                                    : "darkgray";
    if (low && high && *low > 0)
      plots += fmt::format("\\draw[thick, {}] (axis cs:{},{}) -- (axis cs:{},{});\n", colour,
                           number(*low), y, number(*high), y);
    if (x)
      plots += fmt::format(
          "\\addplot[only marks, mark={}, {}, mark size=1.8pt] coordinates {{({},{})}};\n",
          is_group ? "diamond*" : "*", colour, number(*x), y);
  }
  return picture(size_of(cases.size()) + names_axis(cases) +
                     fmt::format("xmin={}, xmax={}, ", number(extent.least() / 1.03),
                                 number(extent.most() * 1.03)) +
                     extent.log_mode('x') + ratio_ticks(extent.least(), extent.most()) +
                     "xlabel={" + latex_text(chart.title_of("x")) + "}, ",
                 plots);
}

std::string scatter(const Chart& chart) {
  const Rows rows(chart);
  if (rows.size() > most_marks) return "";
  const auto levels = rows.distinct("colour");
  std::string plots;
  Extent of_x, of_y;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    plots += fmt::format("\\addplot[{}] coordinates {{", mark_of(level));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto x = rows.number(i, "x"), y = rows.number(i, "y");
      if (!x || !y || rows.text(i, "colour") != levels[level]) continue;
      plots += fmt::format("({},{}) ", number(*x), number(*y));
      of_x.take(x);
      of_y.take(y);
    }
    plots += "};\n";
  }
  // Both or none: a logarithm on one axis alone would bend the lines that the caption speaks of.
  const bool is_log =
      chart.setting("log") && !of_x.log_mode('x').empty() && !of_y.log_mode('y').empty();
  const std::string scale = is_log ? of_x.log_mode('x') + of_y.log_mode('y') : "";
  return picture("width=0.8\\linewidth, height=7cm, " + scale + "xlabel={" +
                     latex_text(chart.title_of("x")) + "}, ylabel={" +
                     latex_text(chart.title_of("y")) + "}, ",
                 plots + legend(levels));
}

std::string bars(const Chart& chart) {
  const Rows rows(chart);
  const auto names = rows.distinct("y");
  if (names.size() > most_rows) return "";
  const auto levels = rows.has("colour") ? rows.distinct("colour") : std::vector<std::string>{""};
  std::string plots;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::map<std::size_t, double> values;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows.has("colour") || rows.text(i, "colour") == levels[level])
        values[place_of(names, rows.text(i, "y"))] += rows.number(i, "x").value_or(0);
    plots += fmt::format("\\addplot[fill=colour{}{}, draw=none] coordinates {{", level % colours,
                         level < colours ? "" : "!45");
    for (std::size_t i = 0; i < names.size(); ++i)
      plots += fmt::format("({},{}) ", number(values[i] * 100), i);
    plots += "};\n";
  }
  if (rows.has("colour")) plots += legend(levels);
  return picture(size_of(names.size()) + names_axis(names) +
                     "xbar stacked, bar width=6pt, xmin=0, xlabel={" +
                     latex_text(chart.title_of("x")) + " [\\%]}, ",
                 plots);
}

/// The first run of each level in the first case.
std::string power(const Chart& chart) {
  std::vector<const PowerSeries*> chosen;
  for (const auto& series : chart.series) {
    const bool is_new = std::none_of(chosen.begin(), chosen.end(),
                                     [&](const auto* one) { return one->level == series.level; });
    if (series.case_name == chart.series.front().case_name && is_new && chosen.size() < 4)
      chosen.push_back(&series);
  }
  std::string plots;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    plots +=
        fmt::format("\\addplot[colour{}, mark=none, line width=0.4pt] coordinates {{", i % colours);
    const auto& series = *chosen[i];
    for (std::size_t k = 0; k < series.seconds.size(); ++k)
      plots += fmt::format("({},{}) ", number(series.seconds[k]),
                           fmt::format("{:.4g}", series.watts[k]));
    plots += "};\n";
    names.push_back(series.case_name + " " + series.level);
  }
  return picture(
      "width=0.95\\linewidth, height=6cm, xlabel={time [s]}, ylabel={power [W]}, xmin=0, ymin=0, ",
      plots + legend(names));
}

}  // namespace

std::string latex_picture(const Chart& chart) {
  switch (chart.kind) {
    case ChartKind::dots:
    case ChartKind::order:
      return strips(chart);
    case ChartKind::forest:
      return forest(chart);
    case ChartKind::bubble:
    case ChartKind::scatter:
      return scatter(chart);
    case ChartKind::bars:
      return bars(chart);
    case ChartKind::lines:
      return latex_lines(chart);
    case ChartKind::sweep:
      return latex_sweep(chart);
    case ChartKind::power:
      return power(chart);
    case ChartKind::heat:
    case ChartKind::flame:
    case ChartKind::call_graph:
      break;
  }
  return "";
}

}  // namespace prengdl
