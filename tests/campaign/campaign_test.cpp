// SPDX-License-Identifier: Apache-2.0
//
// The loop over runs and its policies, with an executor that starts no process and a clock that
// does not run; whole studies are run in tests/cli/test_studies.py.
#include "campaign/campaign.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "fake_executor.h"
#include "fake_host.h"

namespace prengdl {
namespace {

using Kind = RunRequest::Kind;

/// A study of two cells, left and right, as they are written, without warm-ups.
class CampaignTest : public testing::Test {
 protected:
  CampaignTest() {
    study.name = "s";
    study.runs = 3;
    study.factors = {{"side", {"left", "right"}}};
    study.workload.command = {"true"};
    study.protocol.order = Order::as_written;
    study.protocol.warmup = 0;
    study.analysis.compare = "side";
  }

  StudyEnd run() {
    const Design design(study);
    return run_campaign(study, {design.all_runs(), design.cells(), design.cases()}, settings,
                        executor, clock, keeper);
  }

  /// "left 0, right 0, left 1 again, ...": level, block, and whether it is no first attempt.
  std::vector<std::string> made() const {
    std::vector<std::string> names;
    for (const auto& one : executor.made)
      names.push_back((one.kind == Kind::warmup    ? "warm "
                       : one.kind == Kind::profile ? "profile "
                                                   : "") +
                      one.cell[0] + " " + std::to_string(one.block) +
                      (one.attempt > 0 ? " again" : ""));
    return names;
  }

  static void fail(StoredRun& run, Outcome outcome = Outcome::failed) {
    run.outcome = outcome;
    run.run.exit_code = 1;
  }

  Study study;
  CampaignSettings settings;
  FakeClock clock;
  FakeExecutor executor{clock};
  FakeKeeper keeper;
};

using Names = std::vector<std::string>;
using Loop = CampaignTest;
using Policies = CampaignTest;
using Resume = CampaignTest;
using Profiles = CampaignTest;

TEST_F(Loop, HandsOverABlockAtATimeInTheOrderOfThePlan) {
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::complete);
  EXPECT_EQ(end.done, 6u);
  EXPECT_EQ(made(), (Names{"left 0", "right 0", "left 1", "right 1", "left 2", "right 2"}));
  ASSERT_EQ(executor.lists.size(), 3u);
  for (const auto& list : executor.lists) EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(executor.finished, 1u);
}

TEST_F(Loop, AllRunsOfABlockGetTheSameSeedAndEachItsOwnId) {
  run();
  const auto& first = executor.lists[0];
  EXPECT_EQ(first[0].seed, first[1].seed);
  EXPECT_NE(first[0].seed, executor.lists[1][0].seed);
  EXPECT_NE(first[0].id, first[1].id);
}

TEST_F(Loop, WarmsUpEachCellOnceBeforeItsFirstRun) {
  study.runs = 2;
  study.protocol.warmup = 2;
  run();
  EXPECT_EQ(made(), (Names{"warm left 0", "warm left 0", "left 0", "warm right 0", "warm right 0",
                           "right 0", "left 1", "right 1"}));
}

TEST_F(Loop, ToldProgressCountsDown) {
  study.runs = 1;
  std::vector<StudyProgress> told;
  settings.progress = [&](const StudyProgress& progress) { told.push_back(progress); };
  run();
  ASSERT_EQ(told.size(), 4u);  // running and done, twice
  EXPECT_EQ(told[0].doing, "running");
  EXPECT_EQ(told[0].what, "side=left");
  EXPECT_FALSE(told[0].time_left);
  EXPECT_EQ(told[1].doing, "done");
  EXPECT_FALSE(told[1].ended.empty());
  EXPECT_EQ(told[1].done, 1u);
  EXPECT_DOUBLE_EQ(told[1].time_left->count(), 1);
  EXPECT_DOUBLE_EQ(told[3].energy.value, 20);
  EXPECT_DOUBLE_EQ(told[3].power->watts.value, 10);
}

TEST_F(Loop, AnInterruptEndsItAndGivesTheRunThatItCost) {
  executor.interrupts = [](const RunRequest& run) { return run.place == 3; };
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::interrupted);
  EXPECT_EQ(end.done, 3u);
  ASSERT_TRUE(end.cut_short);
  EXPECT_EQ(end.cut_short->place, 3u);
  EXPECT_EQ(executor.finished, 1u) << "the machine is put back";
}

TEST_F(Loop, AnErrorPutsTheMachineBackAndSaysWhatCouldNotBe) {
  executor.fate = [](const RunRequest&, StoredRun&) { throw Error("the disk is full", "free it"); };
  EXPECT_THROW(run(), Error);
  EXPECT_EQ(executor.finished, 1u);
  executor.troubles = {"the governor"};
  try {
    run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "the disk is full\nthe machine's settings could not be restored either: the governor");
    EXPECT_EQ(error.hint, "free it");
  }
  EXPECT_EQ(keeper.count(StudyEventKind::not_restored), 1u);
}

TEST_F(Policies, AFailureIsTriedAgainNextToItsPeers) {
  study.runs = 1;
  study.workload.retry = {2, false};
  executor.fate = [](const RunRequest& request, StoredRun& run) {
    if (request.cell[0] == "left" && request.attempt < 2) fail(run);
  };
  const StudyEnd end = run();
  EXPECT_EQ(made(), (Names{"left 0", "left 0 again", "left 0 again", "right 0"}));
  EXPECT_EQ(end.done, 2u);
  EXPECT_EQ(end.failures, 2u);
  EXPECT_TRUE(end.given_up.empty());
}

TEST_F(Policies, ARetryDoesNotWarmUpAgain) {
  study.runs = 1;
  study.protocol.warmup = 1;
  study.workload.retry = {1, false};
  executor.fate = [](const RunRequest& request, StoredRun& run) {
    if (request.kind == Kind::counted && request.attempt == 0) fail(run);
  };
  run();
  EXPECT_EQ(made(), (Names{"warm left 0", "left 0", "left 0 again", "warm right 0", "right 0",
                           "right 0 again"}));
}

TEST_F(Policies, ADisturbedRunIsRepeatedOnceAndNamed) {
  study.runs = 1;
  study.protocol.repeat_disturbed = true;
  executor.fate = [](const RunRequest& request, StoredRun& run) {
    if (request.cell[0] == "left") run.run.flags.insert(Flag::disturbed);
  };
  run();
  EXPECT_EQ(made(), (Names{"left 0", "left 0 again", "right 0"}));
  EXPECT_EQ(executor.made[1].repeats, executor.made[0].id);
}

TEST_F(Policies, ACellThatFailsInARowIsGivenUpAndTheOthersGoOn) {
  study.runs = 4;
  study.protocol.give_up_after = 2;
  executor.fate = [](const RunRequest& request, StoredRun& run) {
    if (request.cell[0] == "left") fail(run, Outcome::timeout);
  };
  const StudyEnd end = run();
  EXPECT_EQ(made(), (Names{"left 0", "right 0", "left 1", "right 1", "right 2", "right 3"}));
  EXPECT_EQ(end.given_up, Names{"side=left"});
  EXPECT_EQ(end.failures, 2u);
  ASSERT_EQ(keeper.count(StudyEventKind::give_up), 1u);
  EXPECT_EQ(keeper.notes[0].second, "side=left failed 2 times in a row, last: timeout");
}

TEST_F(Policies, AGoodRunBetweenFailuresKeepsACell) {
  study.runs = 4;
  study.protocol.give_up_after = 2;
  executor.fate = [](const RunRequest& request, StoredRun& run) {
    if (request.cell[0] == "left" && request.block % 2 == 0) fail(run);
  };
  EXPECT_TRUE(run().given_up.empty());
  EXPECT_EQ(executor.made.size(), 8u);
}

TEST_F(Policies, TheFirstFailureEndsASeriesThatIsToStopThere) {
  settings.stops_at_failure = true;
  executor.fate = [](const RunRequest& request, StoredRun& run) {
    if (request.place == 2) fail(run);
  };
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::failed);
  EXPECT_EQ(end.detail, "exit status 1");
  EXPECT_EQ(executor.made.size(), 3u);
}

TEST_F(Policies, AWarmUpThatFailsEndsItToo) {
  settings.stops_at_failure = true;
  study.protocol.warmup = 1;
  executor.fate = [](const RunRequest&, StoredRun& run) { fail(run); };
  EXPECT_EQ(run().why, StudyEnd::Why::failed);
  EXPECT_EQ(made(), Names{"warm left 0"});
}

TEST_F(Policies, AUsedBudgetOfEnergyEndsItBetweenRuns) {
  study.protocol.budget_energy = Joules{30};
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::budget);
  EXPECT_EQ(end.detail, "30.00 J were used");
  EXPECT_EQ(executor.made.size(), 3u);
}

TEST_F(Policies, ABudgetOfTimeCountsEarlierStarts) {
  study.protocol.budget_time = Seconds{10};
  settings.before.time = Seconds{8};
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::budget);
  EXPECT_EQ(executor.made.size(), 2u);
}

TEST_F(Policies, ABudgetThatTheLastRunUsesUpEndsNothingEarly) {
  study.protocol.budget_energy = Joules{60};
  EXPECT_EQ(run().why, StudyEnd::Why::complete);
}

TEST_F(Policies, ADecidedCaseGetsNoMoreRunsAndIsAskedForBetweenBlocksOnly) {
  study.factors.push_back({"size", {"big", "small"}});
  study.runs = 5;
  study.protocol.stopping = {Stopping::Rule::sequence, 2};
  std::vector<std::size_t> asked;
  keeper.decide = [&](std::size_t one_case) -> std::optional<std::string> {
    asked.push_back(one_case);
    return one_case == 0 ? std::optional<std::string>("big is decided") : std::nullopt;
  };
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::complete) << "the other case was made to its end";
  EXPECT_EQ(executor.made.size(), 2 * 4 + 3 * 2u);
  EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1, 1, 1})) << "before blocks 3, 4 and 5";
  EXPECT_EQ(keeper.count(StudyEventKind::stop_early), 1u);
}

TEST_F(Policies, AStudyWhoseCasesAreAllDecidedStopsEarly) {
  study.runs = 5;
  study.protocol.stopping = {Stopping::Rule::sequence, 2};
  keeper.decide = [](std::size_t) { return std::optional<std::string>("it is decided"); };
  const StudyEnd end = run();
  EXPECT_EQ(end.why, StudyEnd::Why::stopped_early);
  EXPECT_EQ(end.detail, "it is decided");
  EXPECT_EQ(executor.made.size(), 4u);
}

TEST_F(Resume, OnlyWhatIsNotStoredIsMade) {
  settings.before.places[0] = {{"a", Outcome::ok, false}};
  settings.before.places[1] = {{"b", Outcome::ok, false}};
  settings.before.places[2] = {{"c", Outcome::ok, false}};
  const StudyEnd end = run();
  EXPECT_EQ(made(), (Names{"right 1", "left 2", "right 2"}));
  EXPECT_EQ(end.done, 6u);
}

TEST_F(Resume, ARetryThatAKillHasCostIsMade) {
  study.runs = 1;
  study.workload.retry = {1, false};
  settings.before.places[0] = {{"a", Outcome::failed, false}};
  run();
  EXPECT_EQ(made(), (Names{"left 0 again", "right 0"}));
}

TEST_F(Resume, FailedPlacesAreMadeAgainIfAsked) {
  study.runs = 1;
  settings.before.places[0] = {{"a", Outcome::failed, false}};
  settings.before.places[1] = {{"b", Outcome::ok, false}};
  EXPECT_EQ(run().done, 2u);
  EXPECT_TRUE(executor.made.empty());
  settings.due.retry_failed = true;
  EXPECT_EQ(run().done, 2u);
  EXPECT_EQ(made(), Names{"left 0 again"});
}

TEST_F(Resume, AStartMakesNoMoreBlocksThanItIsAskedFor) {
  settings.due.most_blocks = 1;
  EXPECT_EQ(run().done, 2u);
  EXPECT_EQ(made(), (Names{"left 0", "right 0"}));
}

TEST_F(Profiles, AreMadeAfterAllRunsOncePerCellWithoutOne) {
  FakeHost host;
  host.write("right.prof", "there already");
  study.runs = 1;
  study.workload.command = {"python3", "train.py"};
  settings.profile = [&](const Cell& cell) { return host.root() / (cell[0] + ".prof"); };
  executor.fate = [&](const RunRequest& request, StoredRun&) {
    if (request.kind == Kind::profile) std::ofstream(request.profile) << "dump";
  };
  const StudyEnd end = run();
  EXPECT_EQ(made(), (Names{"left 0", "right 0", "profile left 0"}));
  EXPECT_EQ(end.done, 2u);
  EXPECT_TRUE(end.unprofiled.empty());
  EXPECT_EQ(keeper.count(StudyEventKind::profile), 1u);
}

TEST_F(Profiles, CellsThatHaveNoneAreNamedWithTheReason) {
  FakeHost host;
  study.runs = 1;
  settings.profile = [&](const Cell& cell) { return host.root() / (cell[0] + ".prof"); };
  study.overrides.push_back({{{"side", "right"}}, {}, {"command"}});
  study.overrides.back().workload.command = {"python3", "train.py"};
  const StudyEnd end = run();
  EXPECT_EQ(end.unprofiled, (Names{"side=left: its command does not run Python",
                                   "side=right: the run under the profiler left no dump"}));
}

TEST_F(Profiles, AreNotMadeOfAStudyThatEndedForAnotherReason) {
  settings.profile = [](const Cell&) -> std::filesystem::path {
    ADD_FAILURE();
    return "x";
  };
  study.protocol.budget_energy = Joules{10};
  EXPECT_EQ(run().why, StudyEnd::Why::budget);
}

}  // namespace
}  // namespace prengdl
