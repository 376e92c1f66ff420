// SPDX-License-Identifier: Apache-2.0
//
// What a place of the plan is still due; whole studies are run in tests/cli/test_studies.py.
#include "run/study_run.h"

#include <gtest/gtest.h>

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
  StudySettings settings;
  EXPECT_EQ(due_runs(study, plan, cells, settings).size(), 6u);
  settings.places[0] = {{"a", Outcome::ok, false}};
  settings.places[1] = {{"b", Outcome::ok, false}};
  settings.places[2] = {{"c", Outcome::failed, false}};
  settings.most_blocks = 1;
  auto due = due_runs(study, plan, cells, settings);
  ASSERT_EQ(due.size(), 1u) << "the rest of the second block";
  EXPECT_EQ(due[0].place, 3u);
  settings.retry_failed = true;
  due = due_runs(study, plan, cells, settings);
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

}  // namespace
}  // namespace prengdl
