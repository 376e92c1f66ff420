// SPDX-License-Identifier: Apache-2.0
//
// What a place of the plan is still due.
#include "campaign/due.h"

#include <gtest/gtest.h>

#include "campaign/asked_cells.h"

namespace prengdl {
namespace {

Study study_with(int retries, bool after_timeout, bool repeat_disturbed) {
  Study study;
  study.factors = {{"side", {"left"}}};
  study.workload.retry = {retries, after_timeout};
  study.protocol.repeat_disturbed = repeat_disturbed;
  return study;
}

std::optional<DueAttempt> due(const Study& study, const std::vector<Tried>& tries) {
  return due_attempt(study, {"left"}, tries);
}

TEST(DueAttempt, AFreshPlaceIsDueItsFirst) {
  const auto first = due(study_with(0, false, false), {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->attempt, 0u);
}

TEST(DueAttempt, AGoodRunIsEnough) {
  EXPECT_FALSE(due(study_with(3, true, true), {{"a", Outcome::ok, false}}));
}

TEST(DueAttempt, FailuresAreTriedAgainAsOftenAsTheStudySaysAlsoAfterAKill) {
  const Study study = study_with(2, false, false);
  std::vector<Tried> tries{{"a", Outcome::failed, false}};
  ASSERT_TRUE(due(study, tries));
  EXPECT_EQ(due(study, tries)->attempt, 1u);
  tries.push_back({"b", Outcome::failed, false});
  ASSERT_TRUE(due(study, tries)) << "one retry was made before the kill, one is left";
  tries.push_back({"c", Outcome::failed, false});
  EXPECT_FALSE(due(study, tries));
}

TEST(DueAttempt, ForgivenFailuresAreMadeAgainAndNewOnesCountAnew) {
  const Study study = study_with(1, false, false);
  std::vector<Tried> tries{{"a", Outcome::failed, false}, {"b", Outcome::timeout, false}};
  EXPECT_FALSE(due(study, tries));
  const auto again = due_attempt(study, {"left"}, tries, 2);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt, 2u);
  tries.push_back({"c", Outcome::failed, false});
  EXPECT_TRUE(due_attempt(study, {"left"}, tries, 2)) << "the study allows one retry";
  tries.push_back({"d", Outcome::failed, false});
  EXPECT_FALSE(due_attempt(study, {"left"}, tries, 2));
  tries.back().outcome = Outcome::ok;
  EXPECT_FALSE(due_attempt(study, {"left"}, tries, 2));
}

TEST(DueRuns, AreThoseOfTheFirstBlocksThatAreNotDone) {
  const Study study = study_with(0, false, false);
  const std::vector<Cell> cells{{"left"}, {"right"}};
  std::vector<PlannedRun> plan;
  for (std::size_t place = 0; place < 6; ++place) plan.push_back({place, place / 2, place % 2, 1});
  Stored stored;
  DueSettings settings;
  EXPECT_EQ(due_runs(study, plan, cells, stored, settings).size(), 6u);
  stored.places[0] = {{"a", Outcome::ok, false}};
  stored.places[1] = {{"b", Outcome::ok, false}};
  stored.places[2] = {{"c", Outcome::failed, false}};
  settings.most_blocks = 1;
  auto due = due_runs(study, plan, cells, stored, settings);
  ASSERT_EQ(due.size(), 1u) << "the rest of the second block";
  EXPECT_EQ(due[0].place, 3u);
  settings.retry_failed = true;
  due = due_runs(study, plan, cells, stored, settings);
  ASSERT_EQ(due.size(), 2u);
  EXPECT_EQ(due[0].place, 2u);
}

TEST(DueAttempt, ATimeoutOnlyIfTheStudySaysSo) {
  const std::vector<Tried> tries{{"a", Outcome::timeout, false}};
  EXPECT_FALSE(due(study_with(1, false, false), tries));
  EXPECT_TRUE(due(study_with(1, true, false), tries));
}

TEST(DueAttempt, ADisturbedRunIsRepeatedOnceAndNamed) {
  const Study study = study_with(0, false, true);
  std::vector<Tried> tries{{"a", Outcome::ok, true}};
  const auto repeat = due(study, tries);
  ASSERT_TRUE(repeat);
  EXPECT_EQ(repeat->attempt, 1u);
  EXPECT_EQ(repeat->repeats, "a");
  tries.push_back({"b", Outcome::ok, true});
  EXPECT_FALSE(due(study, tries)) << "a busy machine cannot keep a study for ever";
  EXPECT_FALSE(due(study_with(0, false, false), {{"a", Outcome::ok, true}}));
}

StoredRun stored_run(std::size_t place, std::size_t attempt, Outcome outcome) {
  StoredRun run;
  run.id = std::to_string(place) + "-" + std::to_string(attempt);
  run.place = place;
  run.attempt = attempt;
  run.outcome = outcome;
  run.run.wall = Seconds{2};
  run.run.energy.metered = Energy{Joules{5}, Joules{0}, Quality::chip};
  return run;
}

TEST(WhatIsStored, HasTheAttemptsOfAPlaceInTheirOrderWhateverThatOfTheRuns) {
  const auto stored =
      what_is_stored({stored_run(3, 1, Outcome::ok), stored_run(3, 0, Outcome::failed)});
  ASSERT_EQ(stored.places.at(3).size(), 2u);
  EXPECT_EQ(stored.places.at(3)[0].run, "3-0");
  EXPECT_EQ(stored.places.at(3)[1].outcome, Outcome::ok);
  EXPECT_EQ(stored.failures, 1u);
}

TEST(WhatIsStored, CostsOfWarmUpsCountButNotTheirPlaces) {
  auto warmup = stored_run(0, 0, Outcome::failed);
  warmup.is_warmup = true;
  auto settled = stored_run(1, 0, Outcome::ok);
  settled.run.settling = Settling{Seconds{3}, true};
  settled.run.energy.metered->quality = Quality::model;
  const auto stored = what_is_stored({warmup, settled});
  EXPECT_EQ(stored.places.size(), 1u);
  EXPECT_EQ(stored.failures, 0u);
  EXPECT_DOUBLE_EQ(stored.energy.value, 10);
  EXPECT_EQ(stored.quality, Quality::model);
  EXPECT_DOUBLE_EQ(stored.time.count(), 7);
}

TEST(AskedCells, AreThoseOfThePatternWithoutThoseLeftOut) {
  Study study;
  study.factors = {{"side", {"left", "right"}}, {"size", {"1", "2"}}};
  study.runs = 2;
  const Design design(study);
  AskedCells asked(study, design, {{"side", "left"}});
  EXPECT_EQ(asked.cells(), (std::vector<Cell>{{"left", "1"}, {"left", "2"}}));
  EXPECT_EQ(asked.runs_of(design).size(), 4u);
  asked.leave_out({"left", "1"});
  const auto runs = asked.runs_of(design);
  ASSERT_EQ(runs.size(), 2u);
  for (const auto& run : runs) EXPECT_EQ(design.cells()[run.cell], (Cell{"left", "2"}));
}

}  // namespace
}  // namespace prengdl
