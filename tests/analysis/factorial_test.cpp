// SPDX-License-Identifier: Apache-2.0
#include "analysis/factorial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "print/costs.h"

namespace prengdl {
namespace {

Study sweep() {
  Study study;
  study.name = "sweep";
  study.factors = {{"framework", {"x", "y"}}, {"batch", {"1", "2"}}, {"phase", {"train"}}};
  return study;
}

StoredRun stored(const std::string& framework, const std::string& batch, std::size_t block,
                 double joules, Quality quality = Quality::chip) {
  StoredRun run;
  run.cell = {framework, batch, "train"};
  run.block = block;
  run.machine = "m";
  run.run.wall = Seconds{1};
  run.run.energy.metered = Energy{Joules{joules}, Joules{0}, quality};
  return run;
}

/// Logs that are sums of orthogonal contrasts, so that each has a sum of squares of 8 times its own
/// square: framework 0.3, batch 0.2, both 0.1, block 0.05, and as scatter framework with block
/// 0.02.
std::vector<StoredRun> eight_runs(Quality quality = Quality::chip) {
  std::vector<StoredRun> runs;
  for (const double block : {-1.0, 1.0})
    for (const double framework : {-1.0, 1.0})
      for (const double batch : {-1.0, 1.0}) {
        const double log = 2 + 0.3 * framework + 0.2 * batch + 0.1 * framework * batch +
                           0.05 * block + 0.02 * framework * block;
        runs.push_back(stored(framework < 0 ? "x" : "y", batch < 0 ? "1" : "2", block < 0 ? 0 : 1,
                              std::exp(log), quality));
      }
  return runs;
}

const AnovaTerm& term(const FactorialView& view, const std::string& name) {
  for (const auto& one : view.anova.value().terms)
    if (one.name == name) return one;
  throw Error("no term " + name);
}

TEST(Factorial, SharesOutTheVariationOfABalancedSweep) {
  const auto view = factorial_view(sweep(), eight_runs(), "metered", {});
  EXPECT_EQ(view.basis, FactorialBasis::runs);
  EXPECT_EQ(view.runs, 8u);
  ASSERT_EQ(view.factors.size(), 2u) << "a phase of one level explains nothing";
  const double total = 0.09 + 0.04 + 0.01 + 0.0025 + 0.0004;
  EXPECT_NEAR(term(view, "framework").share, 0.09 / total, 1e-12);
  EXPECT_NEAR(term(view, "batch").share, 0.04 / total, 1e-12);
  EXPECT_NEAR(term(view, "framework:batch").share, 0.01 / total, 1e-12);
  ASSERT_EQ(view.anova->strata.size(), 2u);
  EXPECT_NEAR(view.anova->strata[0].share, 0.0025 / total, 1e-12) << "between blocks";
  EXPECT_NEAR(view.anova->strata[1].share, 0.0004 / total, 1e-12) << "between runs";
  // Three degrees of freedom are left: 3 x 0.09 / 0.0004.
  EXPECT_NEAR(term(view, "framework").f.value(), 675, 1e-6);
  EXPECT_LT(term(view, "framework").p.value(), 0.001);
  EXPECT_TRUE(view.short_cells.empty());
}

TEST(Factorial, GivesGeometricMeansAndEffectsOfLevels) {
  const auto view = factorial_view(sweep(), eight_runs(), "metered", {});
  const auto& framework = view.factors[0];
  EXPECT_EQ(framework.name, "framework");
  ASSERT_EQ(framework.levels.size(), 2u);
  EXPECT_EQ(framework.levels[0].level, "x");
  EXPECT_EQ(framework.levels[0].runs, 4u);
  EXPECT_NEAR(framework.levels[0].geomean, std::exp(1.7), 1e-12);
  EXPECT_NEAR(framework.levels[1].geomean, std::exp(2.3), 1e-12);
  EXPECT_NEAR(framework.levels[1].effect, std::exp(0.3), 1e-12);
}

TEST(Factorial, AFactorThatWasNeverRandomisedHasAShareAndNoP) {
  Study written = sweep();
  written.protocol.order = Order::as_written;
  const auto as_written = factorial_view(written, eight_runs(), "metered", {});
  const auto imported = factorial_view(sweep(), eight_runs(), "metered", {.paired = false});
  for (const auto* view : {&as_written, &imported}) {
    EXPECT_FALSE(view->factors[0].is_randomised);
    for (const auto& one : view->anova.value().terms) {
      EXPECT_GT(one.share, 0);
      EXPECT_FALSE(one.p) << one.name;
    }
    EXPECT_FALSE(view->notes.empty());
  }
  EXPECT_EQ(imported.anova->strata.size(), 1u) << "imported runs have no blocks";
  EXPECT_NEAR(imported.anova->strata[0].share, 0.0029 / 0.1429, 1e-12);

  Study machines = sweep();
  machines.factors[1].name = "machine";
  const auto view = factorial_view(machines, eight_runs(), "metered", {});
  EXPECT_FALSE(term(view, "machine").p);
  EXPECT_TRUE(term(view, "framework").p);
}

TEST(Factorial, ModelledEnergyIsNotTested) {
  const auto view = factorial_view(sweep(), eight_runs(Quality::model), "metered", {});
  EXPECT_EQ(view.quality, Quality::model);
  for (const auto& one : view.anova.value().terms) {
    EXPECT_FALSE(one.p);
    EXPECT_FALSE(one.f);
  }
}

TEST(Factorial, LeavesOutBlocksThatLackACell) {
  auto runs = eight_runs();
  auto third = eight_runs();
  for (auto& run : third) run.block += 2;
  third.pop_back();
  runs.insert(runs.end(), third.begin(), third.end());
  const auto view = factorial_view(sweep(), runs, "metered", {});
  EXPECT_EQ(view.basis, FactorialBasis::runs);
  EXPECT_EQ(view.runs, 12u);
  EXPECT_EQ(view.left_out, 3u);
  EXPECT_TRUE(view.short_cells.empty());
  EXPECT_NE(view.notes.at(0).find("1 of 4 blocks"), std::string::npos) << view.notes[0];
}

TEST(Factorial, SaysWhichCellIsShortAndGoesOnWithTheMeansOfCells) {
  auto runs = eight_runs();
  runs.pop_back();  // y, 2 in the second block
  const auto view = factorial_view(sweep(), runs, "metered", {.paired = false});
  EXPECT_EQ(view.basis, FactorialBasis::cell_means);
  ASSERT_EQ(view.short_cells.size(), 1u);
  EXPECT_EQ(view.short_cells[0].cell, (Cell{"y", "2"}));
  EXPECT_EQ(view.short_cells[0].runs, 1u);
  EXPECT_EQ(view.short_cells[0].wanted, 2u);
  // The means of logs are 1.6, 1.8, 2.0 and, with its first run alone, 2.6 - 0.05 - 0.02.
  EXPECT_NEAR(view.factors[0].levels[1].geomean, std::exp((2.0 + 2.53) / 2), 1e-12);
  EXPECT_NEAR(view.factors[1].levels[1].geomean, std::exp((1.8 + 2.53) / 2), 1e-12);
  ASSERT_TRUE(view.anova);
  double sum = 0;
  for (const auto& one : view.anova->terms) {
    sum += one.share;
    EXPECT_FALSE(one.p);
  }
  EXPECT_NEAR(sum, 1, 1e-12) << "nothing is left for runs";
  EXPECT_FALSE(view.scale);
}

TEST(Factorial, ComparesLikeWithLikeWhereACombinationWasNeverRun) {
  auto runs = eight_runs();
  std::erase_if(runs,
                [](const StoredRun& run) { return run.cell[0] == "y" && run.cell[1] == "2"; });
  const auto view = factorial_view(sweep(), runs, "metered", {});
  EXPECT_EQ(view.basis, FactorialBasis::levels_alone);
  EXPECT_FALSE(view.anova);
  ASSERT_EQ(view.short_cells.size(), 1u);
  EXPECT_EQ(view.short_cells[0].runs, 0u);
  // Frameworks only at batch 1, batches only with framework x.
  ASSERT_EQ(view.factors.size(), 2u);
  EXPECT_EQ(view.factors[0].levels[0].cells, 1u);
  EXPECT_NEAR(view.factors[0].levels[0].geomean, std::exp(1.6), 1e-12);
  EXPECT_NEAR(view.factors[0].levels[1].geomean, std::exp(2.0), 1e-12);
  EXPECT_NEAR(view.factors[1].levels[1].geomean, std::exp(1.8), 1e-12);
}

TEST(Factorial, OneRunOfEachCellLeavesTheInteractionAsScatter) {
  auto runs = eight_runs();
  std::erase_if(runs, [](const StoredRun& run) { return run.block == 1; });
  const auto view = factorial_view(sweep(), runs, "metered", {});
  ASSERT_TRUE(view.anova);
  EXPECT_EQ(view.anova->terms.size(), 2u);
  EXPECT_NEAR(view.anova->strata.back().freedom, 1, 1e-12);
}

TEST(Factorial, RefusesWhereThereIsNothingToLookAt) {
  EXPECT_THROW(factorial_view(sweep(), {}, "metered", {}), Error);
  EXPECT_THROW(factorial_view(sweep(), eight_runs(), "gpu", {}), Error);
  EXPECT_THROW(factorial_view(Study{}, {}, "metered", {}), Error);
}

TEST(Factorial, DividesByTheUnitThatTheStudyNames) {
  auto runs = eight_runs();
  for (auto& run : runs) run.run.work = {{"samples", 10}};
  Study study = sweep();
  study.analysis.per = "samples";
  const auto view = factorial_view(study, runs, "metered", {});
  EXPECT_EQ(view.per, "samples");
  EXPECT_NEAR(view.factors[0].levels[0].geomean, std::exp(1.7) / 10, 1e-12);
  const auto whole = factorial_view(sweep(), runs, "metered", {});
  EXPECT_FALSE(whole.per);
}

TEST(Factorial, TheReportNamesSharesMeansAndTheScale) {
  const auto view = factorial_view(sweep(), eight_runs(), "metered", {});
  const auto part = factorial_part({view}, false);
  EXPECT_EQ(part.key, "factorial");
  for (const char* words : {"63.0 %", "framework:batch", "between blocks", "Residuals on logs"})
    EXPECT_NE(part.text.find(words), std::string::npos) << words << "\n" << part.text;
  ASSERT_EQ(part.json.size(), 1u);
  EXPECT_EQ(part.json[0]["basis"], "runs");
  EXPECT_EQ(part.json[0]["anova"]["terms"].size(), 3u);
  EXPECT_TRUE(part.json[0]["anova"]["terms"][0].contains("p"));
  EXPECT_EQ(part.json[0]["factors"][0]["randomised"], true);
}

}  // namespace
}  // namespace prengdl
