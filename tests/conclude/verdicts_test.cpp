// SPDX-License-Identifier: Apache-2.0
//
// The rules of concluding, one by one: each of these studies once got a wrong verdict.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bench/simulated_studies.h"
#include "conclude/robustness.h"
#include "conclude/two_frameworks.h"

namespace prengdl {
namespace {

Comparison metered(const Study& study, const std::vector<StoredRun>& runs,
                   const CompareSettings& settings = {}) {
  return first_of(compare(study, runs, settings), "metered");
}

/// Costs of both frameworks that scatter by `spread`, jax at `ratio` times torch.
std::vector<StoredRun> scattered(double ratio, double spread, std::size_t blocks,
                                 const std::string& model = "a", const std::string& machine = "m",
                                 std::uint64_t seed = 1) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> noise(0, spread);
  std::vector<double> jax, torch;
  for (std::size_t i = 0; i < blocks; ++i) {
    jax.push_back(100 * ratio * std::exp(noise(words)));
    torch.push_back(100 * std::exp(noise(words)));
  }
  return blocks_of(jax, torch, model, machine);
}

void add(std::vector<StoredRun>& to, const std::vector<StoredRun>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

TEST(Verdicts, WithoutSpreadThereIsNoTest) {
  const auto one = metered(two_frameworks(), blocks_of({100, 100}, {110, 110}));
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  ASSERT_TRUE(one.estimate);
  EXPECT_FALSE(one.estimate->p || one.winner);
  EXPECT_NE(one.reason.find("do not differ"), std::string::npos) << one.reason;
}

TEST(Verdicts, AZeroHasNoRatio) {
  Study study = two_frameworks();
  auto runs = blocks_of({0, 100, 101, 99}, {110, 111, 109, 110});
  add(runs, scattered(2, 0.01, 6, "b"));
  const Findings findings = compare(study, runs, {});
  EXPECT_FALSE(first_of(findings, "metered").estimate);
  for (const auto& group : findings.groups)
    if (group.measure == "metered") {
      EXPECT_EQ(group.cases, 1u);
      EXPECT_NEAR(group.these_cases.value, 2, 0.1);
    }
}

TEST(Verdicts, TheRankTestNamesItsOwnWinner) {
  Study study = two_frameworks();
  study.analysis.test = "rank";
  // jax is a little lower in 13 blocks, and far above in one: its geometric mean is higher.
  std::vector<double> jax, torch;
  for (int i = 0; i < 13; ++i) {
    torch.push_back(100 + i);
    jax.push_back(torch.back() * (0.97 - 0.001 * i));
  }
  torch.push_back(100);
  jax.push_back(400);
  const auto one = metered(study, blocks_of(jax, torch));
  EXPECT_GT(*one.levels[0].geomean, *one.levels[1].geomean);
  ASSERT_TRUE(one.estimate && one.rank && one.rank->ratio);
  EXPECT_LT(one.estimate->value, 1);
  EXPECT_EQ(one.estimate->value, *one.rank->ratio);
  EXPECT_EQ(one.verdict, Verdict::less);
  EXPECT_EQ(one.winner, "jax");
}

TEST(Verdicts, CostsAndRatioAreOfTheSameRuns) {
  auto runs = blocks_of({100, 102, 99, 101}, {110, 112, 109, 111});
  runs.push_back(run_of({"jax", "a"}, 9, 5000));  // without a partner
  const auto one = metered(two_frameworks(), runs);
  EXPECT_EQ(one.levels[0].n, 4u);
  EXPECT_NEAR(*one.levels[0].geomean / *one.levels[1].geomean, one.estimate->value, 1e-12);
}

TEST(Verdicts, EquivalenceIsATestThatKnowsAlphaAndTheFamily) {
  Study study = two_frameworks();
  const auto runs = scattered(1.0, 0.02, 12);
  const auto alone = metered(study, runs);
  ASSERT_TRUE(alone.equivalence);
  EXPECT_EQ(alone.verdict, Verdict::equivalent);
  study.analysis.alpha = alone.equivalence->p_corrected / 2;
  EXPECT_EQ(metered(study, runs).verdict, Verdict::inconclusive) << "alpha counts";
  study.analysis.alpha = 0.05;
  auto both = runs;
  add(both, scattered(1.0, 0.02, 12, "b", "m", 2));
  const auto among = metered(study, both);
  EXPECT_GE(among.equivalence->p_corrected, alone.equivalence->p_corrected) << "Holm's correction";
}

TEST(Verdicts, FewRunsLeaveShapeAndDependenceUnjudged) {
  const auto six = metered(two_frameworks(), scattered(1.3, 0.02, 6));
  EXPECT_TRUE(six.has(Caveat::shape_unjudged) && six.has(Caveat::dependence_unjudged));
  const auto ten = metered(two_frameworks(), scattered(1.3, 0.02, 10));
  EXPECT_TRUE(!ten.has(Caveat::shape_unjudged) && ten.has(Caveat::dependence_unjudged));
  const auto thirty = metered(two_frameworks(), scattered(1.3, 0.02, 30));
  EXPECT_TRUE(thirty.caveats.empty());
}

TEST(Verdicts, RunsThatDependOnEachOtherCountAsFewer) {
  std::mt19937_64 words(3);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<double> jax, torch;
  double drift = 0;
  for (int i = 0; i < 40; ++i) {
    drift = 0.8 * drift + noise(words);
    jax.push_back(100 * std::exp(drift));
    torch.push_back(100);
  }
  const auto one = metered(two_frameworks(), blocks_of(jax, torch));
  ASSERT_TRUE(one.n_effective);
  EXPECT_LT(*one.n_effective, 20);
  const auto independent = metered(two_frameworks(), scattered(1, 0.02, 40));
  EXPECT_GT(*independent.n_effective, 25);
}

TEST(Verdicts, MachinesThatDisagreeAreNotPooled) {
  auto runs = scattered(0.8, 0.002, 8, "a", "m1", 1);
  add(runs, scattered(1.1, 0.002, 8, "a", "m2", 2));
  const auto one = metered(two_frameworks(), runs);
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  ASSERT_TRUE(one.has(Caveat::machines_differ));
  for (const auto& caveat : one.caveats)
    if (caveat.code == Caveat::machines_differ) {
      EXPECT_NE(caveat.text.find("on m1 to 1.1 on m2"), std::string::npos) << caveat.text;
    }
  ASSERT_EQ(one.by_machine.size(), 2u);
  EXPECT_LT((*one.estimate->ci95)[0], 0.8);
  EXPECT_GT((*one.estimate->ci95)[1], 1.1);
  auto alike = scattered(0.8, 0.02, 8, "a", "m1", 1);
  add(alike, scattered(0.8, 0.02, 8, "a", "m2", 2));
  EXPECT_EQ(metered(two_frameworks(), alike).winner, "jax");
}

/// Blocks in turn on the machines, which cost more from one to the next.
std::vector<StoredRun> on_machines(const std::vector<std::size_t>& blocks, double step,
                                   double crossed = 0) {
  std::vector<StoredRun> runs;
  for (std::size_t m = 0; m < blocks.size(); ++m) {
    const double effect = crossed * (m % 2 == 0 ? 1 : -1);
    auto some = scattered(0.8 * std::exp(effect), 0.02, blocks[m], "a", "m" + std::to_string(m), m);
    for (auto& run : some)
      run.run.energy.metered->value.value *= std::exp(step * static_cast<double>(m));
    add(runs, some);
  }
  return runs;
}

TEST(Verdicts, MachinesWithASingleBlockCountToo) {
  // Pooled, 9 pairs would give an interval of a few percent around a ratio that differs by 20 %.
  const auto one = metered(two_frameworks(), on_machines({1, 1, 2, 4, 1}, 0.1, 0.1));
  ASSERT_EQ(one.by_machine.size(), 5u);
  for (const auto& machine : one.by_machine) EXPECT_TRUE(machine.standard_error);
  EXPECT_EQ(one.estimate->freedom, 4);
  EXPECT_GT(std::log((*one.estimate->ci95)[1] / (*one.estimate->ci95)[0]), 0.2);
}

TEST(Verdicts, TheseCasesHaveAnIntervalThoughAMachineHasASingleBlock) {
  auto runs = on_machines({1, 3, 4}, 0.1);
  auto more = on_machines({1, 3, 4}, 0.1);
  for (auto& run : more) run.cell[1] = "b";
  add(runs, more);
  for (const auto& group : compare(two_frameworks(), runs, {}).groups)
    EXPECT_TRUE(group.measure != "metered" || group.these_cases.ci95);
}

TEST(Verdicts, MachinesAreTheSampleOfARankTestToo) {
  Study study = two_frameworks();
  study.analysis.test = "rank";
  auto runs = scattered(0.8, 0.002, 12, "a", "m1", 1);
  add(runs, scattered(0.99, 0.002, 12, "a", "m2", 2));
  const auto one = metered(study, runs);
  ASSERT_TRUE(one.rank && one.estimate);
  EXPECT_LT(one.rank->p, 0.001);
  EXPECT_GT(*one.estimate->p, 0.05);
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_GT((*one.estimate->ci95)[1], 1);
}

TEST(Nodes, TheShareBetweenThemIsOfTheWholeCase) {
  const auto one = metered(two_frameworks(), on_machines({4, 4, 4}, 0.2));
  ASSERT_TRUE(one.nodes);
  EXPECT_EQ(one.nodes->count, 3u);
  EXPECT_GT(one.nodes->share_between, 0.8);
  EXPECT_LT(one.nodes->interaction, 0.1);
  const auto alike = metered(two_frameworks(), on_machines({4, 4, 4}, 0));
  ASSERT_TRUE(alike.nodes);
  EXPECT_LT(alike.nodes->ci95[0], 0.01);
  EXPECT_LT(alike.nodes->share_between, 0.5);
}

TEST(Nodes, IntervalsHoldForNodesLikeThese) {
  // A small version of bench/verdicts --only nodes. Pooling after a test reached 0.87 with two.
  for (const std::size_t nodes : {2, 4, 8}) {
    const auto found = bench::node_coverage(400, nodes, nodes);
    EXPECT_GT(found.ratio, 0.925) << nodes;
    EXPECT_GT(found.share, 0.925) << nodes;
  }
}

TEST(Nodes, OneMachineHasNoShare) {
  EXPECT_FALSE(metered(two_frameworks(), on_machines({8}, 0)).nodes);
  EXPECT_FALSE(metered(two_frameworks(), on_machines({1, 1, 1}, 0.1)).nodes) << "no replicates";
}

TEST(Nodes, IncompleteBlocksDoNotCount) {
  auto runs = on_machines({4, 4, 4}, 0.2);
  for (auto& run : runs)  // without torch on the third machine
    if (run.machine == "m2" && run.cell[0] == "torch") run.outcome = Outcome::failed;
  const auto one = metered(two_frameworks(), runs);
  ASSERT_TRUE(one.nodes);
  EXPECT_EQ(one.nodes->count, 2u);
}

TEST(Verdicts, LevelsOnMachinesOfTheirOwnHaveNoWinner) {
  CompareSettings settings;
  for (const char* name : {"m1", "m2"}) {
    MachineRecord& machine = settings.machines.emplace_back();
    machine.fingerprint = name;
    machine.facts.system.hostname = std::string("node-") + name;
  }
  for (const bool has_blocks : {true, false}) {
    settings.paired = has_blocks;
    auto runs = scattered(0.5, 0.01, 12);
    for (auto& run : runs) run.machine = run.cell[0] == "jax" ? "m1" : "m2";
    const auto one = metered(two_frameworks(), runs, settings);
    EXPECT_EQ(one.verdict, Verdict::not_comparable);
    EXPECT_EQ(one.reason, "no machine ran both levels (jax ran on node-m1, torch on node-m2)");
    EXPECT_TRUE(one.has(Caveat::confounded_machine));
    EXPECT_FALSE(one.winner || one.estimate->p || one.estimate->ci95);
    EXPECT_NEAR(one.estimate->value, 0.5, 0.02) << "the ratio is still shown";
  }
}

TEST(Verdicts, AMeasureOfOtherMachinesHasNoWinnerEither) {
  auto runs = scattered(0.5, 0.01, 12, "a", "m1", 1);
  add(runs, scattered(0.5, 0.01, 12, "a", "m2", 2));
  for (auto& run : runs)  // energy of jax on m1 only, of torch on m2 only
    if ((run.cell[0] == "jax") != (run.machine == "m1")) run.run.energy = {};
  CompareSettings settings;
  settings.paired = false;
  const Findings findings = compare(two_frameworks(), runs, settings);
  EXPECT_EQ(first_of(findings, "metered").verdict, Verdict::not_comparable);
  EXPECT_TRUE(first_of(findings, "metered").has(Caveat::confounded_machine));
  EXPECT_NE(first_of(findings, "seconds").verdict, Verdict::not_comparable);
}

TEST(Verdicts, RunsOfABlockOnTwoMachinesAreNotPairs) {
  // Each machine has blocks of its own; in half of the blocks torch ran on the other machine, at
  // ten times the cost.
  auto runs = scattered(0.5, 0.01, 12, "a", "m1", 1);
  for (auto& run : runs)
    if (run.block >= 6 && run.cell[0] == "torch") {
      run.machine = "m2";
      run.run.energy.metered->value.value *= 10;
    }
  const auto paired = metered(two_frameworks(), runs);
  EXPECT_TRUE(paired.paired);
  EXPECT_EQ(paired.n, 6u);
  EXPECT_EQ(paired.levels[0].n, 6u) << "costs are of the same runs as the ratio";
  EXPECT_NEAR(paired.estimate->value, 0.5, 0.02);
  CompareSettings settings;
  settings.paired = false;
  const auto unpaired = metered(two_frameworks(), runs, settings);
  EXPECT_EQ(unpaired.levels[0].n, 12u);
  EXPECT_EQ(unpaired.levels[1].n, 6u) << "m2 ran torch only";
  EXPECT_NEAR(unpaired.estimate->value, 0.5, 0.02);
}

TEST(Verdicts, TheseCasesAreAboutTheseMachines) {
  std::vector<StoredRun> runs;
  std::uint64_t seed = 1;
  for (const char* model : {"a", "b"}) {
    add(runs, scattered(0.8, 0.002, 8, model, "m1", ++seed));
    add(runs, scattered(1.1, 0.002, 8, model, "m2", ++seed));
  }
  for (const auto& group : compare(two_frameworks(), runs, {}).groups)
    if (group.measure == "metered") {
      ASSERT_TRUE(group.these_cases.ci95);
      EXPECT_NEAR(group.these_cases.value, std::sqrt(0.8 * 1.1), 0.002);
      EXPECT_LT((*group.these_cases.ci95)[1] - (*group.these_cases.ci95)[0], 0.01)
          << "machines are fixed here, however far apart they are";
    }
}

TEST(Verdicts, CasesLikeTheseNeedAFactorAndClusterByIt) {
  Study study = two_frameworks();
  study.factors = {{"framework", {"jax", "torch"}},
                   {"model", {"a", "b", "c", "d"}},
                   {"batch", {"1", "2", "4", "8"}}};
  study.analysis.within = {"model", "batch"};
  std::vector<StoredRun> runs;
  std::uint64_t seed = 1;
  for (const auto& [model, ratio] :
       std::map<std::string, double>{{"a", 0.6}, {"b", 0.8}, {"c", 1.0}, {"d", 0.7}})
    for (const char* batch : {"1", "2", "4", "8"}) {
      auto some = scattered(ratio, 0.005, 6, model, "m", ++seed);
      for (auto& run : some) run.cell.emplace_back(batch);
      add(runs, some);
    }
  const auto group = [&] {
    for (const auto& one : compare(study, runs, {}).groups)
      if (one.measure == "metered") return one;
    throw Error("no group");
  };
  EXPECT_FALSE(group().cases_like_these);
  EXPECT_FALSE(group().why_no_generalisation.empty());
  study.analysis.over = "model";
  const auto all = group();
  ASSERT_TRUE(all.cases_like_these && all.these_cases.ci95);
  EXPECT_EQ(all.cases_like_these->clusters, 4u);
  const auto width = [](const std::array<double, 2>& ci) { return std::log(ci[1] / ci[0]); };
  EXPECT_GT(width(all.cases_like_these->ci95), 10 * width(*all.these_cases.ci95));
  ASSERT_TRUE(all.cases_like_these->prediction95);
  EXPECT_GT(width(*all.cases_like_these->prediction95), width(all.cases_like_these->ci95));
}

TEST(Verdicts, CheaperButWorseSaysSo) {
  Study study = two_frameworks();
  study.analysis.score = "accuracy";
  study.analysis.score_margin = 0.01;
  auto runs = scattered(0.5, 0.01, 10);
  std::mt19937_64 words(1);
  std::normal_distribution<double> noise(0, 0.002);
  for (auto& run : runs)
    run.run.metrics = {{"accuracy", (run.cell[0] == "jax" ? 0.10 : 0.92) + noise(words), 1, {}}};
  const auto one = metered(study, runs);
  EXPECT_EQ(one.winner, "jax");
  ASSERT_TRUE(one.score);
  EXPECT_NEAR(one.score->difference, -0.82, 0.01);
  EXPECT_FALSE(one.score->is_equivalent);
  EXPECT_TRUE(one.has(Caveat::score));
  for (auto& run : runs) run.run.metrics = {{"accuracy", 0.92 + noise(words), 1, {}}};
  const auto equal = metered(study, runs);
  EXPECT_TRUE(equal.score->is_equivalent);
  EXPECT_FALSE(equal.has(Caveat::score));
}

TEST(Verdicts, DisturbedRunsAreACaveat) {
  auto runs = scattered(0.5, 0.01, 4);
  for (auto& run : runs) run.run.flags.insert(Flag::disturbed);
  const auto one = metered(two_frameworks(), runs);
  ASSERT_TRUE(one.has(Caveat::disturbed));
}

TEST(Verdicts, LooksBeforeTheEndAreACaveat) {
  CompareSettings settings;
  settings.earlier_looks = 2;
  EXPECT_TRUE(metered(two_frameworks(), scattered(0.5, 0.01, 30), settings).has(Caveat::looked));
  settings.earlier_looks = 0;
  settings.is_unfinished = true;
  EXPECT_TRUE(
      metered(two_frameworks(), scattered(0.5, 0.01, 30), settings).has(Caveat::unfinished));
}

TEST(Robustness, CountsTheAnalysesThatAgree) {
  const Study study = two_frameworks();
  auto runs = scattered(0.5, 0.01, 10);
  runs[3].run.flags.insert(Flag::disturbed);
  Findings findings = compare(study, runs, {});
  add_robustness(study, runs, {}, "metered", findings);
  const Comparison& one = first_of(findings, "metered");
  ASSERT_TRUE(one.robustness);
  EXPECT_EQ(one.robustness->agree, one.robustness->analyses.size());
  std::set<std::string> names;
  for (const auto& analysis : one.robustness->analyses) names.insert(analysis.analysis);
  for (const char* name :
       {"log-t", "rank test", "trimmed means", "independent samples", "without flagged runs",
        "without the first block", "without any one block"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(first_of(findings, "seconds").robustness) << "of the measure that was asked for";
}

TEST(Robustness, LeavesOutARankTestThatCannotShowAnything) {
  const Study study = two_frameworks();
  const auto runs = scattered(0.5, 0.01, 5);  // five pairs: p is at least 1/16
  Findings findings = compare(study, runs, {});
  add_robustness(study, runs, {}, "metered", findings);
  const Comparison& one = first_of(findings, "metered");
  ASSERT_TRUE(one.robustness);
  for (const auto& analysis : one.robustness->analyses) EXPECT_NE(analysis.analysis, "rank test");
}

TEST(Robustness, FindsAVerdictThatDependsOnOneBlock) {
  const Study study = two_frameworks();
  std::vector<double> jax;
  // p = 0.04; without the fourth block it is above 0.05.
  for (const double percent : {1.0, 2.0, 0.2, 2.4, -1.0, 1.5, 0.3, 1.4})
    jax.push_back(100 * std::exp(-percent / 100));
  const auto runs = blocks_of(jax, std::vector<double>(8, 100));
  Findings findings = compare(study, runs, {});
  add_robustness(study, runs, {}, "metered", findings);
  const Comparison& one = first_of(findings, "metered");
  EXPECT_EQ(one.verdict, Verdict::less);
  ASSERT_TRUE(one.robustness);
  EXPECT_LT(one.robustness->agree, one.robustness->analyses.size());
  for (const auto& analysis : one.robustness->analyses)
    if (analysis.analysis == "without any one block") {
      EXPECT_FALSE(analysis.agrees);
      EXPECT_NE(analysis.verdict, Verdict::less);
    }
}

}  // namespace
}  // namespace prengdl
