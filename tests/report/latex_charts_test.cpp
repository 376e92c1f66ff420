// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "report/formats.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

Chart forest_of(const std::string& verdict) {
  Chart chart;
  chart.kind = ChartKind::forest;
  chart.roles = {{"x", "ratio"}, {"low", "low"},        {"high", "high"},
                 {"y", "case"},  {"colour", "verdict"}, {"kind", "kind"}};
  Table table;
  table.columns = {text_column("case", "case"),     text_column("pair", "pair"),
                   number_column("ratio", "ratio"), number_column("low", "low"),
                   number_column("high", "high"),   text_column("verdict", "verdict"),
                   text_column("kind", "kind")};
  table.add({text_cell("ncf"), text_cell("a / b"), ratio_cell(1.5), ratio_cell(1.2),
             ratio_cell(1.9), text_cell(verdict), text_cell("case")});
  chart.tables = {table};
  return chart;
}

TEST(LatexForest, HasTheColourOfTheLevelThatCostsLess) {
  EXPECT_TRUE(has(latex_picture(forest_of("a costs less")), "only marks, mark=*, colour0"));
  EXPECT_TRUE(has(latex_picture(forest_of("b costs less")), "only marks, mark=*, colour1"));
}

TEST(LatexForest, GivesWhatIsNotDecidedNoColourOfALevel) {
  EXPECT_FALSE(has(latex_picture(forest_of("inconclusive")), "colour"));
}

TEST(LatexForest, HasTicksThatPeopleKnow) {
  EXPECT_TRUE(has(latex_picture(forest_of("inconclusive")), "xtick={1,1.11,1.25,1.5}"))
      << latex_picture(forest_of("inconclusive"));
}

Chart sweep_over(const std::vector<std::string>& steps) {
  Chart chart;
  chart.kind = ChartKind::sweep;
  chart.roles = {
      {"x", "step"}, {"y", "value"}, {"colour", "level"}, {"panel", "factor"}, {"line", "others"}};
  Table table;
  table.columns = {text_column("step", "step"), number_column("value", "value"),
                   text_column("level", "level"), text_column("factor", "factor"),
                   text_column("others", "others")};
  for (const auto& step : steps)
    table.add({text_cell(step), number_cell(1.0), text_cell("a"), text_cell("f"), text_cell("")});
  chart.tables = {table};
  return chart;
}

TEST(LatexSweep, JoinsNumbersAndNoNames) {
  EXPECT_FALSE(has(latex_picture(sweep_over({"16", "32"})), "only marks"));
  EXPECT_TRUE(has(latex_picture(sweep_over({"ncf", "bert"})), "only marks"));
}

}  // namespace
}  // namespace prengdl
