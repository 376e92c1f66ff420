// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_commands.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prengdl {
namespace {

Run run(std::size_t block, double joules, double seconds, Quality quality = Quality::chip) {
  Run made;
  made.block = block;
  made.exit_code = 0;
  made.wall = Seconds{seconds};
  made.energy.metered = Energy{Joules{joules}, Joules{0.01}, quality};
  made.energy.domains["package"] = *made.energy.metered;
  made.energy.covers = {"package"};
  return made;
}

/// Runs around a mean, with the same spread in each command, so that it cancels within a block.
std::vector<Run> around(double joules, const std::vector<double>& factors,
                        Quality quality = Quality::chip) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < factors.size(); ++i)
    runs.push_back(run(i, joules * factors[i], 2 * factors[i], quality));
  return runs;
}

const Finding* find(const std::vector<Finding>& findings, const std::string& measure,
                    const std::string& first, const std::string& second) {
  for (const auto& finding : findings)
    if (finding.measure == measure && finding.pair[0] == first && finding.pair[1] == second)
      return &finding;
  return nullptr;
}

const std::vector<double> drift{1.00, 1.10, 1.21, 1.33, 1.46, 1.61, 1.77, 1.95};
const std::vector<double> drift_and_noise{1.01, 1.09, 1.22, 1.32, 1.47, 1.60, 1.78, 1.94};

TEST(CompareCommands, FindsAClearWinner) {
  const auto findings =
      compare_commands({"old", "new"}, {around(100, drift), around(80, drift_and_noise)});
  ASSERT_EQ(findings.size(), 2u);
  const auto* finding = find(findings, "metered", "old", "new");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->paired);
  EXPECT_EQ(finding->n, 8u);
  EXPECT_NEAR(finding->ratio, 1.25, 0.01);
  ASSERT_TRUE(finding->ci95);
  EXPECT_GT((*finding->ci95)[0], 1);
  EXPECT_LT((*finding->ci95)[0], finding->ratio);
  EXPECT_GT((*finding->ci95)[1], finding->ratio);
  EXPECT_LT(finding->p.value(), 1e-6);
  EXPECT_EQ(finding->p_corrected, finding->p) << "a family of one needs no correction";
  EXPECT_EQ(finding->verdict, "less");
  EXPECT_EQ(finding->winner, "new");
  EXPECT_EQ(finding->rank_test, "signed-rank, exact");
  EXPECT_DOUBLE_EQ(finding->rank_p.value(), 2.0 / 256);
  EXPECT_TRUE(finding->a12);
}

TEST(CompareCommands, TheWinnerIsTheCheaperOneWhicheverComesFirst) {
  const auto findings =
      compare_commands({"new", "old"}, {around(80, drift_and_noise), around(100, drift)});
  const auto* finding = find(findings, "metered", "new", "old");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->ratio, 0.8, 0.01);
  EXPECT_EQ(finding->winner, "new");
}

TEST(CompareCommands, PairsByBlockNotByPlace) {
  // The same runs, told in another order: a drift of a factor of two must cancel all the same.
  auto second = around(80, drift_and_noise);
  std::reverse(second.begin(), second.end());
  const auto findings = compare_commands({"old", "new"}, {around(100, drift), second});
  const auto* finding = find(findings, "metered", "old", "new");
  ASSERT_NE(finding, nullptr);
  EXPECT_LT(finding->p.value(), 1e-6);
  EXPECT_EQ(finding->winner, "new");
}

TEST(CompareCommands, SaysWhenItCannotTell) {
  const std::vector<double> noise{1.2, 0.9, 1.1, 1.0, 0.8, 1.15};
  const std::vector<double> other{0.9, 1.15, 1.0, 1.1, 1.05, 0.85};
  const auto findings = compare_commands({"a", "b"}, {around(100, noise), around(100, other)});
  const auto* finding = find(findings, "metered", "a", "b");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->verdict, "inconclusive");
  EXPECT_FALSE(finding->winner);
  EXPECT_GT(finding->p.value(), 0.05);
  EXPECT_LT((*finding->ci95)[0], 1);
  EXPECT_GT((*finding->ci95)[1], 1);
}

TEST(CompareCommands, ARunThatFailedTakesItsPartnerWithIt) {
  auto first = around(100, drift);
  auto second = around(80, drift_and_noise);
  first[1].exit_code = 1;
  first[1].energy.metered->value = Joules{1e9};
  second[3].timed_out = true;
  second[3].wall = Seconds{1e9};
  second[4].exit_code.reset();
  second[4].signal = 9;
  first[6].interrupted = true;
  const auto findings = compare_commands({"old", "new"}, {first, second});
  for (const auto* measure : {"metered", "seconds"}) {
    const auto* finding = find(findings, measure, "old", "new");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->n, 4u) << measure;
  }
  EXPECT_NEAR(find(findings, "metered", "old", "new")->ratio, 1.25, 0.02);
}

TEST(CompareCommands, ARunWithoutEnergyIsStillARunWithATime) {
  auto first = around(100, drift);
  first[0].energy.metered.reset();
  const auto findings = compare_commands({"old", "new"}, {first, around(80, drift_and_noise)});
  EXPECT_EQ(find(findings, "metered", "old", "new")->n, 7u);
  EXPECT_EQ(find(findings, "seconds", "old", "new")->n, 8u);
}

TEST(CompareCommands, WithoutAnyPairThereIsNoFinding) {
  auto first = around(100, {1, 1});
  auto second = around(80, {1, 1});
  for (auto& one : second) one.block += 10;
  EXPECT_TRUE(compare_commands({"a", "b"}, {first, second}).empty());
  EXPECT_TRUE(compare_commands({"a"}, {first}).empty());
  EXPECT_TRUE(compare_commands({}, {}).empty());
}

TEST(CompareCommands, OnePairGivesARatioAndNoMore) {
  const auto findings = compare_commands({"a", "b"}, {around(100, {1}), around(80, {1})});
  const auto* finding = find(findings, "metered", "a", "b");
  ASSERT_NE(finding, nullptr);
  EXPECT_DOUBLE_EQ(finding->ratio, 1.25);
  EXPECT_EQ(finding->verdict, "inconclusive");
  EXPECT_FALSE(finding->p);
  EXPECT_FALSE(finding->ci95);
  EXPECT_FALSE(finding->winner);
}

TEST(CompareCommands, ModelledEnergyGetsARatioAndNoMore) {
  const auto findings = compare_commands(
      {"old", "new"},
      {around(100, drift, Quality::model), around(80, drift_and_noise, Quality::model)});
  const auto* finding = find(findings, "metered", "old", "new");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->ratio, 1.25, 0.01);
  EXPECT_EQ(finding->verdict, "derived");
  EXPECT_FALSE(finding->p);
  EXPECT_FALSE(finding->p_corrected);
  EXPECT_FALSE(finding->rank_p);
  EXPECT_FALSE(finding->a12);
  EXPECT_FALSE(finding->ci95);
  EXPECT_FALSE(finding->winner);
  const auto* seconds = find(findings, "seconds", "old", "new");
  ASSERT_NE(seconds, nullptr);
  EXPECT_TRUE(seconds->p) << "time is measured, not modelled";
}

TEST(CompareCommands, OneModelledSideIsEnoughToBeDerived) {
  for (const bool first_is_modelled : {true, false}) {
    const auto first = around(100, drift, first_is_modelled ? Quality::model : Quality::chip);
    const auto second =
        around(80, drift_and_noise, first_is_modelled ? Quality::chip : Quality::model);
    const auto findings = compare_commands({"old", "new"}, {first, second});
    const auto* finding = find(findings, "metered", "old", "new");
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->verdict, "derived");
    EXPECT_FALSE(finding->winner);
  }
}

TEST(CompareCommands, ThreeCommandsAreOneFamilyPerMeasure) {
  const auto findings = compare_commands(
      {"a", "b", "c"},
      {around(100, drift), around(80, drift_and_noise), around(100.5, drift_and_noise)});
  ASSERT_EQ(findings.size(), 6u);
  const auto* ab = find(findings, "metered", "a", "b");
  const auto* ac = find(findings, "metered", "a", "c");
  const auto* bc = find(findings, "metered", "b", "c");
  ASSERT_TRUE(ab && ac && bc);
  EXPECT_EQ(ab->winner, "b");
  EXPECT_EQ(bc->winner, "b");
  EXPECT_FALSE(ac->winner);
  EXPECT_EQ(ac->verdict, "inconclusive");
  // Holm: the smallest p three times, the next at least as much, the largest at least its own.
  for (const auto* finding : {ab, ac, bc}) {
    EXPECT_GE(finding->p_corrected.value(), finding->p.value());
    EXPECT_LE(finding->p_corrected.value(), 1);
  }
  const auto* smallest = ab->p < bc->p ? ab : bc;
  EXPECT_DOUBLE_EQ(smallest->p_corrected.value(), 3 * smallest->p.value());
  EXPECT_DOUBLE_EQ(ac->p_corrected.value(), std::max(ac->p.value(), 2 * std::max(*ab->p, *bc->p)));
  EXPECT_DOUBLE_EQ(ab->rank_p_corrected.value(), 3 * 2.0 / 256);
}

TEST(CompareCommands, ACorrectedPDecides) {
  // Alone the difference would be clear (p about 0.03); among three comparisons it is not.
  const std::vector<double> a{1.00, 1.00, 1.00, 1.00, 1.00};
  const std::vector<double> b{1.02, 1.05, 1.00, 1.06, 1.04};
  const std::vector<double> c{1.01, 0.99, 1.00, 1.02, 0.98};
  const auto pair = compare_commands({"a", "b"}, {around(100, a), around(100, b)});
  ASSERT_LT(pair[0].p.value(), 0.05);
  ASSERT_GT(pair[0].p.value(), 0.05 / 3);
  EXPECT_EQ(pair[0].verdict, "less");
  const auto family =
      compare_commands({"a", "b", "c"}, {around(100, a), around(100, b), around(100, c)});
  const auto* finding = find(family, "metered", "a", "b");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->p, pair[0].p);
  EXPECT_EQ(finding->verdict, "inconclusive");
}

TEST(CompareCommands, GivesTheFiguresOfARunByName) {
  auto one = run(0, 50, 2);
  EXPECT_EQ(value_of(one, "seconds"), 2);
  EXPECT_EQ(value_of(one, "metered"), 50);
  EXPECT_EQ(value_of(one, "package"), 50);
  EXPECT_EQ(value_of(one, "gpu"), std::nullopt);
  one.energy.metered.reset();
  EXPECT_EQ(value_of(one, "metered"), std::nullopt);
  EXPECT_EQ(values_of({run(0, 50, 2), one, run(1, 60, 3)}, "metered"),
            (std::vector<double>{50, 60}));
}

TEST(RunsToAverage, AreThoseThatWereNotCutShort) {
  auto good = run(0, 50, 2);
  good.exit_code = 0;
  auto failed = good;
  failed.exit_code = 3;
  auto late = good;
  late.timed_out = true;
  auto interrupted = good;
  interrupted.interrupted = true;
  const std::vector all{good, failed, late, interrupted};
  EXPECT_EQ(runs_to_average(all, false).size(), 1u);
  EXPECT_EQ(runs_to_average(all, true).size(), 2u) << "failures are to be measured, too";
  EXPECT_EQ(runs_to_average({failed, interrupted}, false).size(), 1u) << "there is no other";
  EXPECT_TRUE(runs_to_average({late, interrupted}, true).empty());
}

}  // namespace
}  // namespace prengdl
