// SPDX-License-Identifier: Apache-2.0
//
// Each threat planted in a study: what the check says, how severe it is, and its numbers.
#include <gtest/gtest.h>

#include "tests/audit/planted.h"

namespace prengdl {
namespace {

/// The seconds and joules of a cell become these, run by run.
void set_seconds(AuditInput& input, const Cell& cell, const std::vector<double>& seconds) {
  std::size_t next = 0;
  input.samples = nullptr;
  for (auto& run : input.runs) {
    if (run.cell != cell || next == seconds.size()) continue;
    const double factor = seconds[next++] / run.run.wall.count();
    run.run.wall = run.run.window = run.run.wall * factor;
    for (auto& [domain, energy] : run.run.energy.domains) energy.value = energy.value * factor;
    run.run.energy.metered->value = run.run.energy.metered->value * factor;
  }
}

const Cell cell{"m2", "light"};
const std::vector<std::pair<std::string, std::string>> of_cell{{"model", "m2"},
                                                               {"framework", "light"}};

TEST(AuditFindings, ACleanStudyHasNothingToWarnOf) {
  const auto findings = audit(study_with(Threat::none));
  EXPECT_LT(worst(findings), AuditSeverity::warning);
  for (const auto* check :
       {"drift",           "stationary",         "first-run",          "outliers",
        "back-to-back",    "confounded-time",    "carry-over",         "settled",
        "unequal-work",    "pseudo-replication", "sampling",           "energy-power-time",
        "hardware",        "confounded-machine", "confounded-version", "missing-facts",
        "too-few-runs",    "disturbed",          "modelled-energy",    "failures",
        "stuck-meter",     "constant-power",     "implausible-power",  "unequal-score",
        "time-of-day",     "fixed-order",        "coarse-step",        "trimmed",
        "autocorrelation", "two-modes"})
    EXPECT_EQ(std::count_if(findings.begin(), findings.end(),
                            [&](const auto& one) { return one.check == check; }) > 0,
              true)
        << check;
}

TEST(AuditFindings, TheMostSevereComeFirst) {
  const auto findings = audit(study_with(Threat::memory, 2));
  EXPECT_EQ(findings.front().severity, AuditSeverity::severe);
  for (std::size_t i = 1; i < findings.size(); ++i)
    EXPECT_GE(findings[i - 1].severity, findings[i].severity);
}

TEST(AuditFindings, ACellThatDriftsIsNamedWithItsChange) {
  AuditInput input = study_with(Threat::none);
  set_seconds(input, cell, {100, 101.2, 102.1, 102.9, 104.1, 105, 106.2, 107, 108.1, 109});
  const auto finding = found(input, "drift");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(finding.where, of_cell);
  EXPECT_NEAR(number(finding, "change"), 0.09, 0.005);
  EXPECT_DOUBLE_EQ(number(finding, "tau"), 1);
  EXPECT_TRUE(says(finding, "rise by")) << finding.message;
}

/// Run times of a published cell: its mean of 113 s describes none of its runs.
TEST(AuditFindings, ACellThatIsNotStationaryAtAllIsSevere) {
  AuditInput input = study_with(Threat::none);
  set_seconds(input, cell, {336, 216, 217, 205, 66, 19.3, 19.1, 19.4, 19.2, 19.3});
  const auto finding = found(input, "stationary");
  EXPECT_EQ(finding.severity, AuditSeverity::severe);
  EXPECT_EQ(finding.where, of_cell);
  EXPECT_EQ(found(input, "drift").where, of_cell);
}

TEST(AuditFindings, ACellOfTwoGroupsIsSeen) {
  AuditInput input = study_with(Threat::none);
  set_seconds(input, cell, {20, 30.1, 20.1, 30, 20.05, 30.2, 19.9, 30.05, 20, 30});
  const auto finding = found(input, "stationary");
  EXPECT_EQ(finding.severity, AuditSeverity::severe);
  EXPECT_EQ(number(finding, "lower_runs"), 5);
  EXPECT_TRUE(says(finding, "two groups")) << finding.message;
}

TEST(AuditFindings, TheFirstRunAndTheOutlierAreToldWithTheirRatio) {
  AuditInput input = study_with(Threat::none);
  set_seconds(input, cell, {40, 20.1, 20.2, 19.9, 20, 20.05, 20.1, 19.95, 20, 20.1});
  EXPECT_NEAR(number(found(input, "first-run"), "ratio_to_others"), 2, 0.02);
  const auto outlier = found(input, "outliers");
  EXPECT_EQ(outlier.severity, AuditSeverity::warning);
  EXPECT_EQ(number(outlier, "number"), 1);
}

TEST(AuditFindings, RunsInARowAndLevelsApartInTime) {
  const auto row = found(study_with(Threat::back_to_back), "back-to-back");
  EXPECT_EQ(row.severity, AuditSeverity::warning);
  EXPECT_EQ(number(row, "in_a_row"), 108);
  const auto by_unit = found(study_with(Threat::back_to_back), "confounded-time");
  EXPECT_EQ(by_unit.severity, AuditSeverity::warning);
  EXPECT_EQ(number(by_unit, "units_apart"), 6);
  const auto apart = found(study_with(Threat::levels_in_turn), "confounded-time");
  EXPECT_EQ(apart.severity, AuditSeverity::severe);
  EXPECT_NEAR(number(apart, "place_explained_by_level"), 0.75, 0.001);
  EXPECT_TRUE(says(apart, "heavy came first")) << apart.message;
}

TEST(AuditFindings, WithoutTimesTheColdFirstRunsTellOfRunsInARow) {
  const AuditInput input = study_with(Threat::cold_first);
  const auto finding = found(input, "back-to-back");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "coldest_first"), 12);
  EXPECT_TRUE(says(found(input, "missing-facts"), "when runs were made"));
}

TEST(AuditFindings, RunsThatStartWarmAreCounted) {
  const auto finding = found(study_with(Threat::warm_start, 50), "settled");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_NEAR(number(finding, "warm_runs"), 60, 20);
  EXPECT_NEAR(number(finding, "rest"), 20, 1);
  AuditInput warm = study_with(Threat::warm_start, 50);
  warm.study.protocol.start = Start::warm;
  for (const auto& one : audit(warm)) EXPECT_NE(one.check, "settled") << "warmed up on purpose";
}

TEST(AuditFindings, AWaitThatEndedTooEarlyIsToldFromTheRecord) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs) run.run.settling = Settling{Seconds{60}, run.place % 2 == 0};
  const auto finding = found(input, "settled");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "missed"), 60);
}

TEST(AuditFindings, UnequalWorkIsSevereBeyondAPartialBatch) {
  const auto batch = found(study_with(Threat::work, 0.001), "unequal-work");
  EXPECT_EQ(batch.severity, AuditSeverity::warning);
  const auto other = found(study_with(Threat::work, 0.5), "unequal-work");
  EXPECT_EQ(other.severity, AuditSeverity::severe);
  EXPECT_EQ(number(other, "heavy"), 15'000);
  EXPECT_EQ(number(other, "light"), 10'000);
  ASSERT_EQ(other.where.size(), 1u) << "of the cells that are compared";
  AuditInput silent = study_with(Threat::none);
  for (auto& run : silent.runs) run.run.work.clear();
  EXPECT_EQ(found(silent, "unequal-work").severity, AuditSeverity::note);
  AuditInput half = study_with(Threat::none);
  for (auto& run : half.runs)
    if (run.cell[1] == "heavy") run.run.work.clear();
  EXPECT_TRUE(says(found(half, "unequal-work"), "only 1 of 2 levels"));
}

TEST(AuditFindings, UnequalSettingsAreToldUnlessTheyAreWhatIsCompared) {
  const auto with_facts = [](const std::string& name, const std::string& light,
                             const std::string& heavy) {
    AuditInput input = study_with(Threat::none);
    for (auto& run : input.runs)
      run.run.facts = {{name, run.cell[1] == "light" ? light : heavy},
                       {"seed", std::to_string(run.block)}};
    return found(input, "unequal-settings");
  };
  EXPECT_EQ(with_facts("threads", "2", "2").severity, AuditSeverity::ok);
  const auto threads = with_facts("threads", "2", "8");
  EXPECT_EQ(threads.severity, AuditSeverity::severe);
  EXPECT_TRUE(says(threads, "heavy 8, light 2")) << threads.message;
  EXPECT_EQ(with_facts("precision", "light", "heavy").severity, AuditSeverity::ok);
  EXPECT_EQ(with_facts("parameters", "100", "102").severity, AuditSeverity::note);

  AuditInput updated = study_with(Threat::none);
  for (auto& run : updated.runs) run.run.facts = {{"torch", run.block < 5 ? "2.14" : "2.15"}};
  EXPECT_EQ(found(updated, "unequal-settings").severity, AuditSeverity::warning);
}

TEST(AuditFindings, OtherNumbersOfEpochsAreUnequalWork) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs)
    for (int epoch = 0; epoch < (run.cell[1] == "heavy" ? 10 : 8); ++epoch)
      run.run.spans.push_back({{"epoch", std::to_string(epoch), 0, 0}, {}, {}});
  const auto finding = found(input, "unequal-work");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_EQ(number(finding, "light"), 8);
}

TEST(AuditFindings, CallCountsOfProfilesShowUnequalWork) {
  AuditInput input = study_with(Threat::none);
  const std::string backward = "<method 'run_backward' of 'torch._C._EngineBase' objects>";
  const std::string session = "<built-in method _pywrap_internal.TF_SessionRun_wrapper>";
  input.profiles = {{{"m1", "light"}, {{"~", backward, 27'000}}},
                    {{"m1", "heavy"}, {{"~", session, 4'000}}}};
  AuditInput silent = input;
  for (auto& run : silent.runs) run.run.work.clear();
  const auto passes = found(silent, "unequal-work");
  EXPECT_EQ(passes.severity, AuditSeverity::severe);
  EXPECT_EQ(number(passes, "light"), 27'000);
  EXPECT_EQ(number(passes, "heavy"), 4'000);
  const auto told = found(input, "unequal-work");
  EXPECT_EQ(told.severity, AuditSeverity::note);
  EXPECT_TRUE(says(told, "the workloads emit equal work"));

  input.profiles[1].functions[0].calls = 27'004;  // a few more for warm-up
  EXPECT_EQ(found(input, "unequal-work").severity, AuditSeverity::ok);
  input.profiles[0].functions.push_back({"lib/torch/optim/sgd.py", "step", 10'000});
  EXPECT_TRUE(says(found(input, "unequal-work"), "only 10000 of 27000 passes update"));
  input.profiles[0].functions.pop_back();
  input.profiles[1].functions.push_back({"~", "<built-in method posix.read>", 250'000});
  input.profiles[0].functions.push_back({"~", "<built-in method posix.read>", 1});
  EXPECT_TRUE(says(found(input, "unequal-work"), "is read differently"));
}

TEST(AuditFindings, AnEnvironmentWithoutBytecodeIsFound) {
  AuditInput input = study_with(Threat::none);
  const std::string file = "<frozen importlib._bootstrap_external>";
  input.profiles = {{{"m1", "light"}, {{file, "source_to_code", 900}}},
                    {{"m1", "heavy"}, {{file, "source_to_code", 12}}}};
  const auto finding = found(input, "unequal-work");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_TRUE(says(finding, "heavy 12, light 900")) << finding.message;
  input.profiles[0].functions[0].calls = 40;
  EXPECT_EQ(found(input, "unequal-work").severity, AuditSeverity::ok);
}

TEST(AuditFindings, CopiesAndPartsOfAProcessAreNoReplicates) {
  const auto copies = found(study_with(Threat::copies, 3), "pseudo-replication");
  EXPECT_EQ(copies.severity, AuditSeverity::severe);
  EXPECT_EQ(number(copies, "copies"), 3);
  const auto parts = found(study_with(Threat::parts), "pseudo-replication");
  EXPECT_EQ(parts.severity, AuditSeverity::severe);
  EXPECT_EQ(number(parts, "parts"), 108);
}

TEST(AuditFindings, RoundedFiguresThatAgreeAreNoCopies) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs) {
    run.run.wall = Seconds{std::round(run.run.wall.count())};
    for (auto& [domain, energy] : run.run.energy.domains) energy.value = Joules{1000};
  }
  EXPECT_EQ(found(input, "pseudo-replication").severity, AuditSeverity::ok);
}

TEST(AuditFindings, IntervalsThatWereNotRecordedAndGaps) {
  const auto stamps = found(study_with(Threat::no_stamps, 0.02), "sampling");
  EXPECT_EQ(stamps.severity, AuditSeverity::warning);
  EXPECT_TRUE(says(stamps, "without time stamps")) << stamps.message;
  EXPECT_DOUBLE_EQ(number(stamps, "nominal_seconds"), 1);
  const auto gaps = found(study_with(Threat::gaps, 0.2), "sampling");
  EXPECT_EQ(gaps.severity, AuditSeverity::warning);
  EXPECT_GT(number(gaps, "share_in_gaps"), 0.05);
}

TEST(AuditFindings, JoulesThatTheirSamplesDoNotGive) {
  const auto little = found(study_with(Threat::other_energy, 0.02), "energy-power-time");
  EXPECT_EQ(little.severity, AuditSeverity::warning);
  EXPECT_NEAR(number(little, "median_off"), 0.02, 1e-6);
  const auto much = found(study_with(Threat::other_energy, 0.2), "energy-power-time");
  EXPECT_EQ(much.severity, AuditSeverity::severe);
}

TEST(AuditFindings, HardwareThatContradictsTheData) {
  const auto memory = found(study_with(Threat::memory, 4.75), "hardware");
  EXPECT_EQ(memory.severity, AuditSeverity::severe);
  EXPECT_TRUE(says(memory, "38 GiB")) << memory.message;
  const auto power = found(study_with(Threat::power, 1.2), "hardware");
  EXPECT_EQ(power.severity, AuditSeverity::severe);
  EXPECT_NEAR(number(power, "highest"), 300, 1e-6);
  AuditInput unasked = study_with(Threat::memory, 4.75);
  unasked.gpu_memory_bytes.reset();
  unasked.gpu_power_limit.reset();
  for (const auto& one : audit(unasked)) EXPECT_NE(one.check, "hardware");
}

TEST(AuditFindings, MachinesAndVersionsThatGoWithALevel) {
  EXPECT_EQ(found(study_with(Threat::machines), "confounded-machine").severity,
            AuditSeverity::severe);
  const auto versions = found(study_with(Threat::versions), "confounded-version");
  EXPECT_EQ(versions.severity, AuditSeverity::warning);
  EXPECT_TRUE(says(versions, "numpy (heavy 2.1.0, light 1.26.4)")) << versions.message;
}

TEST(AuditFindings, WhatIsNotOnRecordIsListed) {
  const auto finding = found(study_with(Threat::no_facts), "missing-facts");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  for (const auto* what : {"processor", "GPU", "versions", "exit codes"})
    EXPECT_TRUE(says(finding, what)) << what;
}

TEST(AuditFindings, CellsThatWereRefusedAreNotMissing) {
  AuditInput input = study_with(Threat::none);
  const Cell gone = input.runs.front().cell;
  std::erase_if(input.runs, [&](const auto& run) { return run.cell == gone; });
  const auto of_cells = [](const AuditInput& from) {
    std::vector<AuditFinding> all;
    for (const auto& one : audit(from))
      if (one.check == "too-few-runs" && says(one, "cells ")) all.push_back(one);
    return all;
  };
  ASSERT_EQ(of_cells(input).size(), 1u);
  EXPECT_EQ(of_cells(input)[0].severity, AuditSeverity::warning);
  std::string name;
  for (std::size_t i = 0; i < gone.size(); ++i)
    name += (i ? " " : "") + input.study.factors[i].name + "=" + gone[i];
  input.events.push_back({"", StudyEventKind::refused, "requires 1 GPU", name});
  ASSERT_EQ(of_cells(input).size(), 1u);
  EXPECT_EQ(of_cells(input)[0].severity, AuditSeverity::note);
  EXPECT_TRUE(says(of_cells(input)[0], "were refused: requires 1 GPU"));
}

TEST(AuditFindings, LookingAtAStudyThatHasEndedDoesNotResumeIt) {
  AuditInput input = study_with(Threat::none);
  const auto times = [&input] {
    double all = 0;
    for (const auto& one : audit(input))
      if (one.check == "resumed") all = number(one, "times");
    return all;
  };
  using enum StudyEventKind;
  for (const auto kind : {start, resume, end, resume, end}) input.events.push_back({"", kind, ""});
  EXPECT_EQ(times(), 1);
  input.events = {{"", StudyEventKind::start, ""},
                  {"", StudyEventKind::end, ""},
                  {"", StudyEventKind::resume, ""},
                  {"", StudyEventKind::end, ""}};
  EXPECT_EQ(times(), 0);
  // More runs were asked for, and that start was killed.
  input.events = {{"", StudyEventKind::start, ""},
                  {"", StudyEventKind::end, ""},
                  {"", StudyEventKind::resume, ""},
                  {"", StudyEventKind::resume, ""}};
  EXPECT_EQ(times(), 1);
}

TEST(AuditFindings, TooFewRunsForTheFamily) {
  const auto four = found(study_with(Threat::few_runs, 4), "too-few-runs");
  EXPECT_EQ(four.severity, AuditSeverity::warning);
  EXPECT_EQ(number(four, "comparisons"), 6);
  EXPECT_DOUBLE_EQ(number(four, "smallest_rank_p"), 0.125);
  EXPECT_EQ(found(study_with(Threat::few_runs, 1), "too-few-runs").severity, AuditSeverity::severe);
  AuditInput ranks = study_with(Threat::few_runs, 6);
  ranks.study.analysis.test = "rank";
  EXPECT_EQ(found(ranks, "too-few-runs").severity, AuditSeverity::severe);
  // Unpaired, 10 v 10: 2 / C(20, 10).
  AuditInput unpaired = study_with(Threat::none);
  unpaired.is_paired = false;
  EXPECT_NEAR(number(found(unpaired, "too-few-runs"), "smallest_rank_p"), 2 / 184756.0, 1e-12);
}

TEST(AuditFindings, DisturbedModelledAndFailedRuns) {
  EXPECT_EQ(found(study_with(Threat::disturbed, 30), "disturbed").severity, AuditSeverity::warning);
  EXPECT_EQ(found(study_with(Threat::modelled), "modelled-energy").severity,
            AuditSeverity::warning);
  const auto failures = found(study_with(Threat::failures, 30), "failures");
  EXPECT_EQ(failures.severity, AuditSeverity::warning);
  AuditInput mixed = study_with(Threat::none);
  mixed.runs[3].run.energy.metered->quality = Quality::model;
  EXPECT_EQ(found(mixed, "modelled-energy").severity, AuditSeverity::severe);
  AuditInput other = study_with(Threat::none);
  other.runs[3].run.energy.covers = {"package"};
  EXPECT_TRUE(says(found(other, "modelled-energy"), "different domains"));
}

TEST(AuditFindings, RepeatedExcludedAndWarmUpRunsDoNotCount) {
  AuditInput input = study_with(Threat::none);
  for (std::size_t i = 0; i < 3; ++i) input.runs[i].run.energy.covers = {"package"};
  input.runs[0].is_warmup = true;
  input.runs[1].excluded = "a door was open";
  StoredRun again = input.runs[2];
  again.id = "again";
  again.repeats = input.runs[2].id;
  again.attempt = 1;
  again.run.energy.covers = {"package", "gpu"};
  again.run.wall = again.run.window = Seconds{again.run.wall.count() * 1.01};
  input.samples = nullptr;
  input.runs.push_back(again);
  EXPECT_EQ(found(input, "modelled-energy").severity, AuditSeverity::ok);
}

TEST(AuditFindings, AStudyWithoutAGoodRunIsSaidToBeOne) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs) run.outcome = Outcome::failed;
  const auto findings = audit(input);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, AuditSeverity::severe);
}

TEST(AuditFindings, ACellWithoutAGoodRunIsMissed) {
  AuditInput input = study_with(Threat::none);
  for (auto& run : input.runs)
    if (run.cell == cell) {
      run.outcome = Outcome::failed;
      run.run.started_at.clear();  // it could not even be started
    }
  const auto finding = found(input, "too-few-runs");
  EXPECT_EQ(finding.severity, AuditSeverity::warning);
  EXPECT_TRUE(says(finding, "model=m2 framework=light")) << finding.message;
  EXPECT_EQ(found(input, "confounded-time").severity, AuditSeverity::ok) << "the order is known";
  EXPECT_EQ(found(input, "failures").severity, AuditSeverity::warning);
}

TEST(AuditFindings, AStudyThatComparesNothingIsStillLookedAt) {
  AuditInput input = study_with(Threat::drift, 0.3);
  input.study.analysis.compare = "";
  EXPECT_GE(found(input, "drift").severity, AuditSeverity::warning);
}

}  // namespace
}  // namespace prengdl
