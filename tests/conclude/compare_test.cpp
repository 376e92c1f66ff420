// SPDX-License-Identifier: Apache-2.0
#include "conclude/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "conclude/two_frameworks.h"

namespace prengdl {
namespace {

TEST(Compare, PairsRunsOfABlock) {
  const auto findings = compare(two_frameworks(), pairs("a", 1.2, 8), {});
  const Comparison& one = first_of(findings, "metered");
  EXPECT_TRUE(one.paired);
  EXPECT_EQ(one.n, 8u);
  EXPECT_EQ(one.pair, (std::array<std::string, 2>{"jax", "torch"}));
  EXPECT_EQ(one.cell, (CellPattern{{"model", "a"}}));
  EXPECT_NEAR(one.estimate->value, 1.2, 1e-3);
  // The blocks differ by up to 60 %, the pairs by a thousandth: unpaired it would be lost.
  ASSERT_TRUE(one.estimate->ci95);
  EXPECT_GT((*one.estimate->ci95)[0], 1.195);
  EXPECT_LT((*one.estimate->ci95)[1], 1.205);
  EXPECT_EQ(one.verdict, Verdict::less);
  EXPECT_EQ(one.winner, "torch");
  EXPECT_TRUE(one.is_primary);
  ASSERT_TRUE(one.time && one.power);
  EXPECT_NEAR(one.time->value, 2, 1e-12);
  EXPECT_NEAR(one.time->value * one.power->value, one.estimate->value, 1e-9);
}

TEST(Compare, ImportedRunsAreIndependent) {
  CompareSettings settings;
  settings.paired = false;
  auto runs = pairs("a", 1.2, 6);
  runs.push_back(run_of({"torch", "a"}, 77, 120));
  const auto findings = compare(two_frameworks(), runs, settings);
  const Comparison& one = first_of(findings, "metered");
  EXPECT_FALSE(one.paired);
  EXPECT_EQ(one.levels[0].n, 6u);
  EXPECT_EQ(one.levels[1].n, 7u);
  ASSERT_TRUE(one.rank);
  EXPECT_NE(one.rank->test.find("rank-sum"), std::string::npos) << one.rank->test;
}

TEST(Compare, CorrectsWithinAFamily) {
  auto runs = pairs("a", 1.05, 4, 0.02);
  const auto more = pairs("b", 1.05, 4, 0.02);
  runs.insert(runs.end(), more.begin(), more.end());
  const auto findings = compare(two_frameworks(), runs, {});
  ASSERT_EQ(findings.families.size(), 2u);
  EXPECT_EQ(findings.families[0].tests, 2u);
  const Comparison& one = first_of(findings, "metered");
  EXPECT_NEAR(*one.estimate->p_corrected, 2 * *one.estimate->p, 1e-12);
}

TEST(Compare, ModelledEnergyHasARatioAndNothingElse) {
  auto runs = pairs("a", 2, 6);
  for (auto& run : runs) {
    run.run.energy.metered->quality = Quality::model;
    run.run.wall *= 1 + 0.001 * static_cast<double>(run.block * run.block % 7);
    run.run.window = run.run.wall *=
        run.cell[0] == "jax" ? 1.0 : 1 + 0.001 * static_cast<double>(run.block % 3);
  }
  const auto findings = compare(two_frameworks(), runs, {});
  const Comparison& one = first_of(findings, "metered");
  EXPECT_EQ(one.verdict, Verdict::modelled);
  EXPECT_NEAR(one.estimate->value, 2, 0.01);
  EXPECT_FALSE(one.estimate->ci95 || one.estimate->p || one.estimate->p_corrected || one.rank ||
               one.a12 || one.winner);
  EXPECT_TRUE(findings.groups.empty() || findings.groups[0].measure == "seconds");
  // Time was measured.
  EXPECT_EQ(first_of(findings, "seconds").verdict, Verdict::less);
}

TEST(Compare, CostsArePerTheUnitThatTheStudyNames) {
  Study study = two_frameworks();
  auto runs = pairs("a", 1.11, 6);
  for (auto& run : runs)
    run.run.work = {{"batches", run.cell[0] == "jax" ? 200.0 : 100.0}, {"samples", 3200.0}};
  study.analysis.per = "samples";
  const Findings findings = compare(study, runs, {});
  const Comparison& one = first_of(findings, "metered");
  EXPECT_EQ(one.per, "samples");
  EXPECT_NEAR(one.estimate->value, 1.11, 0.01) << "batches come before samples in the alphabet";
  EXPECT_EQ(one.winner, "torch");
}

TEST(Compare, OtherAmountsOfWorkAreNotComparable) {
  Study study = two_frameworks();
  auto runs = pairs("a", 2, 6);
  for (auto& run : runs) run.run.work = {{"samples", run.cell[0] == "jax" ? 3200.0 : 32.0}};
  for (const char* per : {"", "samples"}) {
    study.analysis.per = per;
    const Findings findings = compare(study, runs, {});
    const Comparison& one = first_of(findings, "metered");
    EXPECT_EQ(one.verdict, Verdict::not_comparable) << per;
    EXPECT_NE(one.reason.find("3200 against 32 samples"), std::string::npos) << one.reason;
    ASSERT_TRUE(one.estimate) << "the ratio is shown";
    EXPECT_FALSE(one.winner || one.estimate->p || one.rank || one.a12 || one.equivalence);
  }
  study.analysis.per = "";
  study.analysis.varies = {"samples"};
  EXPECT_EQ(first_of(compare(study, runs, {}), "metered").verdict, Verdict::less);
  study.analysis.per = "tokens";
  const Findings without = compare(study, runs, {});
  EXPECT_EQ(first_of(without, "metered").verdict, Verdict::not_comparable);
}

TEST(Compare, LatenciesAreTimesOfTheWholeRun) {
  Study study = two_frameworks();
  study.analysis.secondary = {"seconds", "latency_p99"};
  study.analysis.per = "samples";
  auto runs = pairs("a", 1.2, 8);
  for (auto& run : runs) {
    run.run.work = {{"samples", 100.0}};
    run.run.metrics = {{"latency_p99", run.cell[0] == "jax" ? 0.03 : 0.02, 1, {}}};
  }
  const auto findings = compare(study, runs, {});
  const Comparison& one = first_of(findings, "latency_p99");
  EXPECT_FALSE(one.per) << "a latency is of one request, however many there are";
  EXPECT_DOUBLE_EQ(one.levels[0].mean, 0.03);
  EXPECT_NEAR(one.estimate->value, 1.5, 1e-12);
  EXPECT_FALSE(one.time || one.power || one.quality);
  EXPECT_EQ(first_of(findings, "seconds").per, "samples");
}

TEST(Compare, EnergyOfOtherPartsIsNotComparable) {
  auto runs = pairs("a", 2, 6);
  for (auto& run : runs)
    if (run.cell[0] == "jax") run.run.energy.covers = {"package", "dram"};
  const auto findings = compare(two_frameworks(), runs, {});
  EXPECT_EQ(first_of(findings, "metered").verdict, Verdict::not_comparable);
}

TEST(Compare, FailedAndExcludedRunsDoNotCountButAreTold) {
  auto runs = pairs("a", 1.2, 6);
  runs[0].outcome = Outcome::failed;
  runs[2].excluded = "the fan stood still";
  const auto findings = compare(two_frameworks(), runs, {});
  EXPECT_EQ(first_of(findings, "metered").n, 4u);
  ASSERT_EQ(findings.failures.size(), 1u);
  EXPECT_EQ(findings.failures[0].failed, 1u);
  EXPECT_EQ(findings.failures[0].runs, 5u) << "the excluded one is no run of its cell";
  EXPECT_GT(*findings.failures[0].burnt_joules, 0);
}

TEST(Compare, OfAPlaceThatWasTriedAgainTheLastGoodRunCounts) {
  auto runs = pairs("a", 1.2, 4);
  StoredRun again = runs[0];
  again.attempt = 1;
  again.run.energy.metered->value = Joules{1e6};
  runs.push_back(again);
  EXPECT_GT(first_of(compare(two_frameworks(), runs, {}), "metered").levels[0].mean, 1e5);
}

TEST(Compare, AStudyThatMayStopEarlyGetsIntervalsThatAllowForItsLooks) {
  Study study = two_frameworks();
  study.protocol.stopping = {Stopping::Rule::sequence, 10};
  CompareSettings settings;
  settings.planned_blocks = 30;
  const auto runs = pairs("a", 1.02, 12, 0.05);
  const auto looked = compare(study, runs, settings);
  const auto fixed = compare(two_frameworks(), runs, {});
  const Comparison& wide = first_of(looked, "metered");
  const Comparison& narrow = first_of(fixed, "metered");
  ASSERT_TRUE(wide.estimate->ci95 && narrow.estimate->ci95);
  EXPECT_EQ(wide.looks, 30u);
  EXPECT_LT((*wide.estimate->ci95)[0], (*narrow.estimate->ci95)[0]);
  EXPECT_GT(*wide.estimate->p, *narrow.estimate->p);
  // Before the first look there is no interval at all.
  const auto early = compare(study, pairs("a", 1.5, 6), settings);
  EXPECT_FALSE(first_of(early, "metered").estimate->ci95);
  EXPECT_EQ(first_of(early, "metered").verdict, Verdict::inconclusive);
  EXPECT_NE(first_of(early, "metered").reason, "");
}

TEST(Compare, SeveralMachinesArePairedWithinEach) {
  auto runs = pairs("a", 1.2, 4);
  auto others = pairs("a", 1.2, 4);
  for (auto& run : others) {
    run.machine = "other";
    run.run.energy.metered->value = 10 * run.run.energy.metered->value;
    run.run.energy.domains["package"] = *run.run.energy.metered;
  }
  runs.insert(runs.end(), others.begin(), others.end());
  const auto findings = compare(two_frameworks(), runs, {});
  const Comparison& one = first_of(findings, "metered");
  EXPECT_EQ(one.n, 8u);
  EXPECT_LT((*one.estimate->ci95)[1], 1.21);
}

TEST(Compare, GroupsSpeakOfTheseCases) {
  Study study = two_frameworks();
  study.factors[1].levels = {"a", "b", "c"};
  study.analysis.groups = {{"first", {"a", "b"}}};
  std::vector<StoredRun> runs;
  for (const auto& [model, ratio] : std::map<std::string, double>{{"a", 2}, {"b", 0.5}, {"c", 4}}) {
    const auto some = pairs(model, ratio, 8);
    runs.insert(runs.end(), some.begin(), some.end());
  }
  const auto findings = compare(study, runs, {});
  const auto group = [&](const std::string& name) {
    for (const auto& one : findings.groups)
      if (one.group == name && one.measure == "metered") return one;
    throw Error("no group " + name);
  };
  EXPECT_NEAR(group("first").these_cases.value, 1, 0.01);
  EXPECT_EQ(group("first").wins, (std::array<std::size_t, 2>{1, 1}));
  EXPECT_TRUE(group("first").these_cases.ci95) << "of these two cases, from their runs";
  EXPECT_NEAR(group("all").these_cases.value, std::cbrt(4.0), 0.01);
  EXPECT_TRUE(group("all").these_cases.ci95);
  EXPECT_FALSE(group("all").cases_like_these) << "the study does not generalise";
}

TEST(Compare, OneRunOfEachHasARatioAndNoInterval) {
  const auto findings = compare(two_frameworks(), pairs("a", 1.5, 1), {});
  const Comparison& one = first_of(findings, "metered");
  EXPECT_NEAR(one.estimate->value, 1.5, 0.01);
  EXPECT_FALSE(one.estimate->ci95);
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_NE(one.reason.find("single run"), std::string::npos);
}

TEST(Compare, AStudyThatComparesNothingSaysSo) {
  Study study = two_frameworks();
  study.analysis.compare = "";
  EXPECT_THROW(compare(study, {}, {}), Error);
}

}  // namespace
}  // namespace prengdl
