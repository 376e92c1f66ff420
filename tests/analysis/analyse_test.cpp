// SPDX-License-Identifier: Apache-2.0
#include "analysis/analyse.h"

#include <gtest/gtest.h>

#include "analysis/costs_study.h"

namespace prengdl {
namespace {

/// Four runs of each cell; pytorch takes less, and tells a higher accuracy in two epochs.
class Analyse : public testing::Test {
 protected:
  Analyse() {
    for (const std::string phase : {"train", "infer"})
      for (const std::string framework : {"pytorch", "tensorflow"})
        for (std::size_t block = 0; block < 4; ++block) {
          const double cost = framework == "pytorch" ? 10 : 20;
          runs_.push_back(
              costs_run({phase, "ncf", framework}, block, cost + static_cast<double>(block) / 10));
        }
  }

  void tell(const std::string& metric, const std::string& phase = "") {
    for (auto& run : runs_)
      if (phase.empty() || run.cell[0] == phase)
        run.run.metrics.push_back({metric, run.cell[2] == "pytorch" ? 0.9 : 0.8, 1, {}});
  }

  void model_energy() {
    for (auto& run : runs_) {
      run.run.energy.domains["package"].quality = Quality::model;
      run.run.energy.metered->quality = Quality::model;
    }
  }

  Analysis analysed(const AnalysisOptions& options = {}) const {
    return analyse({study_, runs_}, options);
  }

  Study study_ = costs_study();
  std::vector<StoredRun> runs_;
};

TEST_F(Analyse, MakesEveryPartThatTheRunsAllow) {
  tell("accuracy");
  const Analysis all = analysed();
  EXPECT_EQ(all.findings.or_throw().comparisons.size(), 4u);
  EXPECT_EQ(all.headline, "metered");
  EXPECT_EQ(all.standings.levels.front().level, "pytorch");
  EXPECT_EQ(all.scores.or_throw().cases.size(), 2u);
  EXPECT_EQ(all.costs_to_score.size(), 2u) << "each case has a target of its own";
  EXPECT_EQ(all.lifecycle.or_throw().plan.factor, "phase");
  EXPECT_FALSE(all.factorial.or_throw().empty());
  EXPECT_FALSE(all.energy_time.or_throw().within.empty());
  EXPECT_FALSE(all.emissions);
  EXPECT_FALSE(all.bounds) << "there is a meter";
}

TEST_F(Analyse, SaysWhyAPartIsMissingAndMakesTheOthers) {
  study_.factors[0] = {"stage", {"train", "infer"}};
  const Analysis all = analysed();
  EXPECT_FALSE(all.lifecycle.value);
  EXPECT_EQ(all.lifecycle.why_not,
            "the study has no factor `phase`; --lifecycle names the phases of another.");
  EXPECT_THROW(all.lifecycle.or_throw(), Error);
  EXPECT_TRUE(all.findings.value);
}

TEST_F(Analyse, SetsTheScoreAgainstTimeWhereEnergyIsModelled) {
  tell("accuracy");
  EXPECT_EQ(analysed().scores.or_throw().settings.measure, "metered");
  model_energy();
  const Analysis all = analysed();
  EXPECT_EQ(all.scores.or_throw().settings.measure, "seconds");
  EXPECT_TRUE(all.modelled.contains("metered"));
}

TEST_F(Analyse, TakesDerivedFiguresFromTheSumWhereThePrimaryMeasureIsNoEnergy) {
  tell("accuracy");
  study_.analysis.primary = "seconds";
  const Analysis all = analysed();
  EXPECT_EQ(all.primary, "metered");
  EXPECT_EQ(all.scores.or_throw().settings.measure, "metered");
  EXPECT_EQ(all.costs_to_score.front().settings.measure, "metered");
  EXPECT_EQ(all.lifecycle.or_throw().measure, "seconds");
}

TEST_F(Analyse, ATargetNeedsOneMetric) {
  tell("accuracy");
  AnalysisOptions options;
  options.target = 0.85;
  EXPECT_EQ(analysed(options).costs_to_score.size(), 1u);
  runs_.front().run.metrics.clear();
  for (auto& run : runs_)
    if (run.cell[0] == "infer") run.run.metrics = {{"bleu", 0.5, 1, {}}};
  EXPECT_THROW(analysed(options), UsageError);
  options.target.reset();
  EXPECT_EQ(analysed(options).costs_to_score.size(), 2u);
}

TEST_F(Analyse, RefusesAMetricThatNoRunEmitted) {
  AnalysisOptions options;
  options.metric = "accuracy";
  EXPECT_THROW(analysed(options), UsageError);
  options.metric.clear();
  options.target = 0.9;
  EXPECT_THROW(analysed(options), UsageError);
  tell("loss");
  options.target.reset();
  EXPECT_TRUE(analysed(options).scores.why_not.starts_with(
      "The runs emitted loss, which may not be a score"));
}

TEST_F(Analyse, CountsWhatItLeavesOut) {
  StoredRun repeat = runs_[0];
  repeat.id = "repeat";
  repeat.attempt = 1;
  runs_.push_back(repeat);
  runs_[1].outcome = Outcome::failed;
  runs_[2].excluded = "the fan stopped";
  runs_[3].is_warmup = true;
  const Analysis all = analysed();
  EXPECT_EQ(all.left_out.replaced, 1u);
  EXPECT_EQ(all.left_out.failed, 1u);
  EXPECT_EQ(all.left_out.excluded, 1u);
  EXPECT_EQ(all.left_out.warmups, 1u);
}

TEST_F(Analyse, OfAStudyThatComparesNothingEachCellIsACase) {
  study_.analysis.compare.clear();
  StoredRun repeat = runs_[0];
  repeat.id = "repeat";
  repeat.attempt = 1;
  runs_.push_back(repeat);
  const Analysis all = analysed();
  EXPECT_FALSE(all.findings.value);
  ASSERT_EQ(all.cases.size(), 4u);
  EXPECT_EQ(all.levels, std::vector<std::string>{"all runs"});
  EXPECT_EQ(all.cases.front().levels.front().size(), 4u) << "a repeat is no further run";
}

TEST_F(Analyse, ANoisyMachineNeverChangesAVerdict) {
  runs_.clear();
  for (const std::string phase : {"train", "infer"}) {
    add_runs(runs_, {phase, "ncf", "pytorch"}, {10, 10.4, 9.7, 10.2, 9.9});
    add_runs(runs_, {phase, "ncf", "tensorflow"}, {10.8, 9.6, 10.3, 9.8, 10.9});
  }
  AaRecord noisy;
  noisy.fingerprint = "m-1";
  AaMeasure& spread = noisy.measures.emplace_back();
  spread.measure = "metered";
  spread.pairs = 5;
  spread.detectable_ratio = 1.57;
  AnalysisInput input{study_, runs_};
  const Findings without = analyse(input, {}).findings.or_throw();
  input.aa = {noisy};
  const Analysis beside = analyse(input, {});
  const Findings& with = beside.findings.or_throw();
  EXPECT_EQ(with.margin, study_.analysis.margin);
  ASSERT_EQ(with.comparisons.size(), without.comparisons.size());
  EXPECT_EQ(with.comparisons.front().verdict, Verdict::inconclusive);
  for (std::size_t i = 0; i < with.comparisons.size(); ++i)
    EXPECT_EQ(with.comparisons[i].verdict, without.comparisons[i].verdict);
  EXPECT_EQ(beside.aa.size(), 1u) << "it is reported next to the findings";
}

TEST_F(Analyse, WithoutASuccessfulRunThereIsNothingToSay) {
  for (auto& run : runs_) run.outcome = Outcome::failed;
  EXPECT_THROW(analysed(), Error);
}

}  // namespace
}  // namespace prengdl
