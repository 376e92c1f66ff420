// SPDX-License-Identifier: Apache-2.0
#include "conclude/standings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace prengdl {
namespace {

LevelFigures costing(const std::string& level, double cost) {
  LevelFigures figures;
  figures.level = level;
  figures.n = 6;
  figures.mean = figures.median = cost;
  figures.geomean = cost;
  return figures;
}

/// All pairs of a unit; of those in `open` no difference is shown.
void add_unit(Findings& findings, const std::string& model, const std::vector<double>& costs,
              const std::vector<std::array<std::string, 2>>& open) {
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (std::size_t j = i + 1; j < costs.size(); ++j) {
      Comparison one;
      one.cell = {{"model", model}};
      one.measure = "seconds";
      one.pair = {findings.levels[i], findings.levels[j]};
      one.levels = {costing(one.pair[0], costs[i]), costing(one.pair[1], costs[j])};
      one.n = 6;
      if (std::find(open.begin(), open.end(), one.pair) == open.end())
        one.winner = one.pair[costs[i] < costs[j] ? 0 : 1];
      findings.comparisons.push_back(one);
    }
}

Findings four_levels() {
  Findings findings;
  findings.compare = "runtime";
  findings.levels = {"a", "b", "c", "d"};
  add_unit(findings, "large", {4, 2, 1, 8}, {{{"b", "c"}}});
  add_unit(findings, "small", {1, 2, 4, 4}, {{{"c", "d"}}});
  return findings;
}

TEST(Standings, CountWhatIsShownOfEachLevel) {
  const Standings all = standings(four_levels(), "seconds");
  EXPECT_EQ(all.comparisons, 12u);
  EXPECT_EQ(all.shown, 10u);
  std::vector<std::string> order;
  for (const auto& one : all.levels) order.push_back(one.level);
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c", "d"}));
  const auto& a = all.levels[0];  // 4 times the lowest in one unit, the lowest in the other
  EXPECT_DOUBLE_EQ(a.over_least, 2);
  EXPECT_EQ(a.cases, 2u);
  EXPECT_EQ(a.least_in, 1u);
  EXPECT_EQ(a.less, 4u);
  EXPECT_EQ(a.more, 2u);
  EXPECT_EQ(a.open, 0u);
  EXPECT_EQ(all.levels[2].open, 2u);
}

TEST(Standings, NameTheLowestOfEachUnitAndItsRivals) {
  const Findings findings = four_levels();
  const Standings all = standings(findings, "seconds");
  ASSERT_EQ(all.cases.size(), 2u);
  EXPECT_EQ(all.cases[0].least, "c");
  EXPECT_EQ(all.cases[0].others, 3u);
  EXPECT_EQ(all.cases[0].not_shown_to_cost_more, std::vector<std::string>{"b"});
  EXPECT_EQ(all.cases[1].least, "a");
  EXPECT_TRUE(all.cases[1].not_shown_to_cost_more.empty());
  std::size_t with_least = 0;
  for (const auto& one : findings.comparisons) with_least += all.has_least(one);
  EXPECT_EQ(with_least, 6u);
}

TEST(Standings, AreEmptyWithoutRuns) {
  EXPECT_EQ(standings(four_levels(), "metered").comparisons, 0u);
  EXPECT_TRUE(standings(Findings{}, "seconds").levels.empty());
}

}  // namespace
}  // namespace prengdl
