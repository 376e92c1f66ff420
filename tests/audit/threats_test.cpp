// SPDX-License-Identifier: Apache-2.0
//
// Threats that one run does not show: meters that are none, unequal scores, hours and order, the
// shape of the figures. What each check says, how severe it is, and when it stays silent.
#include <algorithm>

#include "tests/audit/planted.h"

namespace prengdl {
namespace {

/// The joules of the package become what `joules` makes of a run.
template <class Make>
AuditInput with_package(Make joules) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs) {
    auto& package = run.run.energy.domains.at("package");
    const Joules rest = run.run.energy.metered->value - package.value;
    package.value = Joules{joules(run)};
    run.run.energy.metered->value = rest + package.value;
  }
  return input;
}

TEST(AuditThreats, AMeterThatRepeatsItselfIsStuck) {
  const auto finding = found(study_with(Threat::stuck, 50), "stuck-meter");
  EXPECT_EQ(finding.severity, AuditSeverity::severe);
  EXPECT_NEAR(number(finding, "repeats"), 54, 15);
  EXPECT_TRUE(says(finding, "package")) << finding.message;
}

TEST(AuditThreats, ACoarseStepRepeatsFiguresByChance) {
  const auto rounded =
      with_package([](const StoredRun& run) { return 10 * std::round(5 * run.run.wall.count()); });
  EXPECT_EQ(found(rounded, "stuck-meter").severity, AuditSeverity::ok);
}

TEST(AuditThreats, RunsThatAreFlaggedStuckAreCounted) {
  AuditInput input = study_with(Threat::none);
  input.runs[3].run.flags.insert(Flag::stuck_meter);
  const auto finding = found(input, "stuck-meter");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "flagged"), 1);
}

TEST(AuditThreats, JoulesThatAreSecondsTimesAConstantWereNotMeasured) {
  const auto finding = found(study_with(Threat::constant_power), "constant-power");
  EXPECT_EQ(finding.severity, AuditSeverity::severe);
  EXPECT_EQ(number(finding, "cells"), 12);
  EXPECT_TRUE(says(finding, "65 to 65 W")) << finding.message;
}

TEST(AuditThreats, ConstantPowerIsSeenThroughRounding) {
  const auto rounded = with_package(
      [](const StoredRun& run) { return std::round(65 * run.run.wall.count() * 10) / 10; });
  EXPECT_EQ(found(rounded, "constant-power").severity, AuditSeverity::severe);
}

TEST(AuditThreats, ModelledJoulesMayBeProportionalToSeconds) {
  AuditInput input = study_with(Threat::constant_power);
  for (auto& run : input.runs)
    for (auto& [domain, energy] : run.run.energy.domains) energy.quality = Quality::model;
  for (const auto& one : audit(input)) EXPECT_NE(one.check, "constant-power");
}

TEST(AuditThreats, PowerThatNoPackageHasIsSevere) {
  for (const double watts : {0.1, 5000.0}) {
    const auto finding = found(study_with(Threat::package_watts, watts), "implausible-power");
    EXPECT_EQ(finding.severity, AuditSeverity::severe) << watts;
    EXPECT_EQ(number(finding, "runs_outside"), 120) << watts;
  }
}

TEST(AuditThreats, TheRangeOfPowerGrowsWithTheNumberOfMeters) {
  AuditInput input = study_with(Threat::package_watts, 1500);
  MeterInfo socket;
  socket.domain = "package";
  for (auto& run : input.runs) run.meters.insert(run.meters.end(), {socket, socket});
  EXPECT_EQ(found(input, "implausible-power").severity, AuditSeverity::ok);
}

TEST(AuditThreats, ShortRunsHaveAnyPower) {
  AuditInput input = study_with(Threat::package_watts, 5000);
  for (auto& run : input.runs) run.run.flags.insert(Flag::short_run);
  for (const auto& one : audit(input)) EXPECT_NE(one.check, "implausible-power");
}

TEST(AuditThreats, ALevelThatDoesNotLearnIsSevere) {
  const auto finding = found(study_with(Threat::score, 0.89), "unequal-score");
  EXPECT_EQ(finding.severity, AuditSeverity::severe);
  EXPECT_NEAR(number(finding, "light"), 0.101, 0.005);
  EXPECT_NEAR(number(finding, "heavy"), 0.92, 0.005);
  ASSERT_EQ(finding.where.size(), 1u) << "of the cells that are compared";
  EXPECT_EQ(found(study_with(Threat::score, 0.03), "unequal-score").severity,
            AuditSeverity::warning);
}

TEST(AuditThreats, TheStudySaysWhichDifferenceOfScoresMatters) {
  AuditInput input = study_with(Threat::score, 0.03);
  input.study.analysis.score_margin = 0.05;
  EXPECT_EQ(found(input, "unequal-score").severity, AuditSeverity::ok);
  input.study.analysis.score_margin = 0.001;
  EXPECT_EQ(found(input, "unequal-score").severity, AuditSeverity::warning);
}

TEST(AuditThreats, TheScoreOfTheStudyIsTheOneThatCounts) {
  AuditInput input = study_with(Threat::score, 0.89);
  input.study.analysis.score = "fluency";
  EXPECT_TRUE(says(found(input, "unequal-score"), "no fluency on record"));
  for (auto& run : input.runs) run.run.metrics.push_back({"fluency", 3.5, 0, std::nullopt});
  EXPECT_EQ(found(input, "unequal-score").severity, AuditSeverity::ok);
}

TEST(AuditThreats, AnErrorIsJudgedAsTheAccuracyThatItLeaves) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs)
    run.run.metrics = {{"top1_error", run.cell[1] == "heavy" ? 0.010 : 0.015, 0, std::nullopt}};
  EXPECT_EQ(found(input, "unequal-score").severity, AuditSeverity::ok);
  for (auto& run : input.runs)
    if (run.cell[1] == "heavy") run.run.metrics[0].value = 0.9;
  EXPECT_EQ(found(input, "unequal-score").severity, AuditSeverity::severe);
}

TEST(AuditThreats, ALevelWithoutAScoreIsNamed) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs)
    if (run.cell[1] == "heavy") run.run.metrics.clear();
  const auto finding = found(input, "unequal-score");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_TRUE(says(finding, "heavy")) << finding.message;
}

TEST(AuditThreats, LevelsAtOtherHoursOfTheDay) {
  const auto apart = found(study_with(Threat::hours, 100), "time-of-day");
  EXPECT_EQ(apart.severity, AuditSeverity::severe);
  EXPECT_GT(number(apart, "mean_hours_apart"), 10);
  EXPECT_EQ(found(study_with(Threat::hours, 80), "time-of-day").severity, AuditSeverity::warning);
  EXPECT_EQ(found(study_with(Threat::hours, 50), "time-of-day").severity, AuditSeverity::ok);
}

TEST(AuditThreats, LevelsOfOneHourShareTheTimeOfDay) {
  AuditInput input = study_with(Threat::levels_in_turn);
  EXPECT_EQ(found(input, "time-of-day").severity, AuditSeverity::ok);
}

TEST(AuditThreats, ALevelThatIsAlwaysFirstIsNamed) {
  const auto finding = found(study_with(Threat::fixed_order), "fixed-order");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "pairs_in_this_order"), 60);
  EXPECT_TRUE(says(finding, "heavy ran directly before light")) << finding.message;
}

TEST(AuditThreats, AFixedOrderIsSeenWithoutBlocks) {
  AuditInput input = study_with(Threat::fixed_order);
  input.is_paired = false;
  EXPECT_EQ(found(input, "fixed-order").severity, AuditSeverity::warning);
  AuditInput drawn = study_with(Threat::none);
  drawn.is_paired = false;
  EXPECT_EQ(found(drawn, "fixed-order").severity, AuditSeverity::ok);
}

TEST(AuditThreats, LevelsFarApartAreNotDirectlyBeforeEachOther) {
  AuditInput input = study_with(Threat::levels_in_turn);
  for (const bool has_blocks : {true, false}) {
    input.is_paired = has_blocks;
    for (const auto& one : audit(input)) EXPECT_NE(one.check, "fixed-order") << one.message;
  }
}

TEST(AuditThreats, AStepOfTheMeterIsHeldAgainstTheEnergyAndTheMargin) {
  const auto warned = found(study_with(Threat::coarse_step, 0.02), "coarse-step");
  EXPECT_EQ(warned.severity, AuditSeverity::warning);
  EXPECT_NEAR(number(warned, "step"), 70, 1e-6);
  AuditInput strict = study_with(Threat::coarse_step, 0.02);
  strict.study.analysis.margin = 0.01;
  EXPECT_EQ(found(strict, "coarse-step").severity, AuditSeverity::severe);
  EXPECT_EQ(found(study_with(Threat::coarse_step, 0.0005), "coarse-step").severity,
            AuditSeverity::ok);
}

TEST(AuditThreats, TheStepThatAMeterStatesCounts) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs) {
    MeterInfo counter;
    counter.domain = "package";
    counter.quantum = 200;
    run.meters.push_back(counter);
  }
  EXPECT_EQ(number(found(input, "coarse-step"), "step"), 200);
}

TEST(AuditThreats, FiguresThatAreCutOffAboveLookTrimmed) {
  const auto finding = found(study_with(Threat::trimmed, 0.5), "trimmed");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_GT(number(finding, "share_of_range_below_median"), 0.55);
}

TEST(AuditThreats, QuickFirstRunsAreNotTakenForDeletedRuns) {
  const auto finding = found(study_with(Threat::first_run, -0.12), "trimmed");
  EXPECT_EQ(finding.severity, AuditSeverity::note);
  EXPECT_TRUE(says(finding, "quick first runs")) << finding.message;
}

TEST(AuditThreats, RunsThatLeftNoRecordAreCounted) {
  AuditInput input = study_with(Threat::none);
  std::erase_if(input.runs, [](const StoredRun& run) {
    return run.cell == Cell{"m2", "light"} && (run.block == 3 || run.block == 5);
  });
  const auto finding = found(input, "trimmed");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "missing"), 2);
  EXPECT_EQ(number(finding, "light"), 2);
}

TEST(AuditThreats, ABlockThatIsNotFinishedIsNotTrimmed) {
  AuditInput input = study_with(Threat::none);
  input.runs.resize(input.runs.size() - 3);
  EXPECT_EQ(found(input, "trimmed").severity, AuditSeverity::ok);
}

TEST(AuditThreats, CellsThatWereGivenUpAreNotTrimmed) {
  AuditInput input = study_with(Threat::none);
  std::erase_if(input.runs, [](const StoredRun& run) {
    return run.cell == Cell{"m2", "light"} && run.block > 5;
  });
  EXPECT_EQ(found(input, "trimmed").severity, AuditSeverity::warning);
  input.events.push_back({"", StudyEventKind::give_up, "", "model=m2 framework=light"});
  EXPECT_EQ(found(input, "trimmed").severity, AuditSeverity::ok);
}

TEST(AuditThreats, SlowRunsThatWereExcludedAreSeen) {
  AuditInput input = study_with(Threat::none);
  std::map<Cell, StoredRun*> slowest;
  for (auto& run : input.runs)
    if (auto& slow = slowest[run.cell]; !slow || run.run.wall > slow->run.wall) slow = &run;
  for (auto& [cell, run] : slowest) run->excluded = "too slow";
  const auto finding = found(input, "trimmed");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "excluded"), 12);
}

TEST(AuditThreats, DifferencesThatDependOnTheBlockBefore) {
  const auto finding = found(study_with(Threat::dependent, 0.9, 30), "autocorrelation");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_NEAR(number(finding, "correlation"), 0.75, 0.2);
  EXPECT_TRUE(says(finding, "those of the block before")) << finding.message;
}

TEST(AuditThreats, RunsThatDependOnTheRunBeforeMatterWithoutBlocks) {
  AuditInput input = study_with(Threat::dependent_runs, 0.7);
  EXPECT_EQ(found(input, "autocorrelation").severity, AuditSeverity::warning);
  input.is_paired = true;
  EXPECT_EQ(found(input, "autocorrelation").severity, AuditSeverity::note);
}

TEST(AuditThreats, TwoModesInEveryCellAreSeenTogether) {
  const auto finding = found(study_with(Threat::two_modes, 0.12), "two-modes");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_NEAR(number(finding, "modes_apart"), 0.12, 0.05);
}

AuditInput on_nodes(std::size_t nodes, double size, double spread = 0.02) {
  bench::Shape shape;
  shape.threat = size > 0 ? Threat::node : Threat::none;
  shape.size = size;
  shape.runs = 12;
  shape.nodes = nodes;
  shape.node_spread = spread;
  AuditInput input = bench::StudyMaker(shape, 42).make().input;
  for (auto& machine : input.machines)
    machine.facts.system.hostname = "host-" + machine.fingerprint;
  return input;
}

TEST(AuditNodes, ANodeThatDrawsMoreIsNamed) {
  const auto finding = found(on_nodes(4, 0.3), "deviating-node");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_NEAR(number(finding, "ratio_to_peers"), 1.3, 0.06);
  EXPECT_TRUE(says(finding, "host-m-2 draws ")) << finding.message;
  EXPECT_TRUE(says(finding, "% more energy than its 3 peers")) << finding.message;
}

TEST(AuditNodes, TwoThatDrawMoreDoNotHideEachOther) {
  auto input = on_nodes(6, 0.3);
  for (auto& run : input.runs)
    if (run.machine == "m-5") run.run.energy.metered->value.value *= 1.3;
  std::size_t count = 0;
  for (const auto& finding : audit(input)) count += finding.check == "deviating-node";
  EXPECT_EQ(count, 2u);
}

TEST(AuditNodes, NodesOfOneKindAreNoAlarm) {
  EXPECT_EQ(found(on_nodes(4, 0), "deviating-node").severity, AuditSeverity::ok);
}

TEST(AuditNodes, TwoNodesCannotShowWhichOneDiffers) {
  for (const auto& finding : audit(on_nodes(2, 0.3))) EXPECT_NE(finding.check, "deviating-node");
}

TEST(AuditNodes, DifferencesBetweenNodesAreNoStepsOrOutliers) {
  for (const auto& finding : audit(on_nodes(3, 0, 0.3)))
    if (finding.check != "deviating-node") {
      EXPECT_LT(finding.severity, AuditSeverity::warning) << finding.check << finding.message;
    }
}

TEST(AuditNodes, BlocksOnOtherNodesAreNotMissing) {
  auto input = on_nodes(3, 0);
  EXPECT_EQ(found(input, "trimmed").severity, AuditSeverity::ok);
  std::erase_if(input.runs, [](const StoredRun& run) {
    return run.block == 5 && run.cell[1] == "heavy";  // deleted
  });
  EXPECT_TRUE(says(found(input, "trimmed"), "planned runs left no record"));
}

}  // namespace
}  // namespace prengdl
