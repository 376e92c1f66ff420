// SPDX-License-Identifier: Apache-2.0
//
// Charts of many small panels for pgfplots: lines by case, and sweeps by factor.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/parse.h"
#include "base/strings.h"
#include "report/formats.h"
#include "report/latex_plot.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

using namespace pgf;

/// One small axis for each panel, a few to a line.
class Panels {
 public:
  explicit Panels(std::size_t count) : width_(count == 1 ? "0.95" : count == 2 ? "0.48" : "0.33") {}

  void add(const std::string& title, const std::string& options, const std::string& plots) {
    if (++count_ > most_panels) return;
    out_ += picture("width=" + width_ + "\\linewidth, height=3.6cm, title={\\tiny " +
                        latex_text(shortened(title, longest_label)) +
                        "}, title style={yshift=-1.5ex}, tick label style={font=\\tiny}, label "
                        "style={font=\\tiny}, " +
                        options,
                    plots);
    out_.insert(out_.size() - 1, "%");
    out_ += count_ % 3 == 0 ? "\n\n" : "";
  }
  std::string text(const std::vector<std::string>& names) const {
    std::string key;
    for (std::size_t i = 0; i < names.size() && names.size() > 1; ++i)
      key += fmt::format("{}\\textcolor{{colour{}}}{{\\rule{{1em}}{{2pt}}}} {}",
                         i > 0 ? "\\quad " : "", i % colours,
                         latex_text(shortened(names[i], longest_label)));
    std::string more =
        count_ > most_panels
            ? fmt::format(
                  "\\\\{{\\scriptsize The first {} of {} panels; the HTML report has all.}}",
                  most_panels, count_)
            : "";
    return out_ + "\n{\\scriptsize " + key + "}" + more + "\n";
  }

 private:
  const std::string width_;  // of the line
  std::size_t count_ = 0;
  std::string out_;
};

}  // namespace

std::string latex_lines(const Chart& chart) {
  const Rows rows(chart);
  const auto levels = rows.distinct("colour");
  const bool is_ordinal = chart.setting("ordinal").has_value();
  const auto steps = is_ordinal ? rows.distinct("x") : std::vector<std::string>{};
  std::map<std::string, std::map<std::string, std::map<std::string, std::string>>>
      curves;  // panel, level, line
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto x =
        is_ordinal ? std::optional<double>(static_cast<double>(place_of(steps, rows.text(i, "x"))))
                   : rows.number(i, "x");
    const auto y = rows.number(i, "y");
    if (x && y)
      curves[rows.text(i, "facet")][rows.text(i, "colour")]
            [rows.has("line") ? rows.text(i, "line") : ""] +=
          fmt::format("({},{}) ", number(*x), number(*y));
  }
  std::string axis = "xlabel={" + latex_text(chart.title_of("x")) + "}, ylabel={" +
                     latex_text(chart.title_of("y")) + "}, ";
  if (is_ordinal) {
    const Ticks ticks = ticks_of(steps);
    axis += fmt::format("xtick={{{}}}, xticklabels={{{}}}, ", ticks.places, ticks.labels);
  }
  const auto names = rows.distinct("facet");
  Panels panels(names.size());
  for (const auto& name : names) {
    std::string plots;
    for (std::size_t level = 0; level < levels.size(); ++level)
      for (const auto& [line, points] : curves[name][levels[level]])
        plots += fmt::format("\\addplot[colour{}, mark={}, mark size=0.7pt] coordinates {{{}}};\n",
                             level % colours, chart.setting("points") ? "*" : "none", points);
    panels.add(name, axis, plots);
  }
  return panels.text(levels);
}

std::string latex_sweep(const Chart& chart) {
  const Rows rows(chart);
  const auto levels = rows.distinct("colour");
  if (rows.size() > most_marks) return "";
  const auto names = rows.distinct("panel");
  Panels panels(names.size());
  for (const auto& name : names) {
    std::vector<std::string> steps;
    std::map<std::string, std::map<std::string, std::vector<std::pair<std::size_t, double>>>>
        curves;  // level, others
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.text(i, "panel") != name || !rows.number(i, "y")) continue;
      if (place_of(steps, rows.text(i, "x")) == steps.size()) steps.push_back(rows.text(i, "x"));
      curves[rows.text(i, "colour")][rows.text(i, "line")].emplace_back(
          place_of(steps, rows.text(i, "x")), *rows.number(i, "y"));
    }
    // A line says that there is something in between: of names there is not.
    const bool is_ordered = std::all_of(steps.begin(), steps.end(), [](const std::string& step) {
      return parse_number(step).has_value();
    });
    std::string plots;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const char* join = is_ordered ? "" : ", only marks";
      std::map<std::size_t, std::pair<double, double>> sums;
      for (const auto& [others, points] : curves[levels[level]]) {
        plots += fmt::format("\\addplot[colour{}, opacity=0.3, thin, mark={}{}] coordinates {{",
                             level % colours, is_ordered ? "none" : "o, mark size=0.8pt", join);
        for (const auto& [x, y] : points) {
          plots += fmt::format("({},{}) ", x, number(y));
          sums[x].first += y;
          sums[x].second += 1;
        }
        plots += "};\n";
      }
      plots += fmt::format("\\addplot[colour{}, very thick, mark=*, mark size={}{}] coordinates {{",
                           level % colours, is_ordered ? "1pt" : "1.6pt", join);
      for (const auto& [x, sum] : sums)
        plots += fmt::format("({},{}) ", x, number(sum.first / sum.second));
      plots += "};\n";
    }
    const Ticks ticks = ticks_of(steps, 14);
    panels.add(name,
               fmt::format("xtick={{{}}}, xticklabels={{{}}}, x tick label style={{rotate=30, "
                           "anchor=east}}, ylabel={{{}}}, ",
                           ticks.places, ticks.labels, latex_text(chart.title_of("y"))),
               plots);
  }
  return panels.text(levels);
}

}  // namespace prengdl
