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
