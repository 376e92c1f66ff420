// SPDX-License-Identifier: Apache-2.0
#include "cluster/task_table.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

constexpr TaskId first{1, 0};

TaskTable table_of_one() {
  TaskTable table;
  ActiveTask task;
  task.name = "prengdl-1f-1";
  task.blocks = {4};
  table.tasks.emplace(first, task);
  return table;
}

ListedJob job(const std::string& state, const std::string& reason = "None") {
  return {"7_0", "prengdl-1f-1", 0, state, reason, state == "PENDING" ? "" : "n1", "at noon"};
}

TEST(TaskTable, WaitsForJobsThatWaitOrRun) {
  auto table = table_of_one();
  for (const auto* state : {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "NEW"})
    EXPECT_TRUE(table.take({job(state, "Resources")}).empty()) << state;
  EXPECT_EQ(table.tasks.at(first).node, "n1");
}

TEST(TaskTable, AJobIsLostOnlyIfTwoListsInARowDoNotHaveIt) {
  auto table = table_of_one();
  EXPECT_TRUE(table.take({job("RUNNING")}).empty());
  EXPECT_TRUE(table.take({}).empty());
  EXPECT_TRUE(table.take({job("RUNNING")}).empty()) << "it is back";
  EXPECT_TRUE(table.take({}).empty());
  const auto lost = table.take({});
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].kind, LostTask::Kind::taken);
  EXPECT_EQ(lost[0].why, "the scheduler does not know it on n1");
  EXPECT_FALSE(lost[0].cancel);
}

TEST(TaskTable, TellsWhatHasEndedByItselfFromWhatTheClusterTook) {
  const std::vector<std::pair<const char*, LostTask::Kind>> cases{
      {"FAILED", LostTask::Kind::ended},
      {"TIMEOUT", LostTask::Kind::ended},
      {"COMPLETED", LostTask::Kind::ended},
      {"NODE_FAIL", LostTask::Kind::taken},
      {"PREEMPTED", LostTask::Kind::taken},
      {"CANCELLED", LostTask::Kind::cancelled},
      {"CANCELLED by 0", LostTask::Kind::cancelled}};
  for (const auto& [state, kind] : cases) {
    auto table = table_of_one();
    table.take({job(state)});
    const auto lost = table.take({job(state)});
    ASSERT_EQ(lost.size(), 1u) << state;
    EXPECT_EQ(lost[0].kind, kind) << state;
    EXPECT_EQ(lost[0].why, std::string(state) + " on n1");
  }
}

TEST(TaskTable, AJobThatWaitsAfterItHasBegunWasRequeuedAndIsCancelled) {
  auto table = table_of_one();
  table.tasks.at(first).is_claimed = true;
  const auto lost = table.take({job("PENDING", "BeginTime")});
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].cancel, "7_0");
}

TEST(TaskTable, AJobThatCannotStartIsLostAtOnce) {
  auto table = table_of_one();
  const auto lost = table.take({job("PENDING", "launch failed requeued held")});
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].why, "it cannot start: launch failed requeued held");
  auto held = table_of_one();
  EXPECT_TRUE(held.take({job("PENDING", "JobHeldAdmin")}).empty()) << "an administrator's word";
}

TEST(TaskTable, AnotherJobUnderTheSameIdOrSubmittedAtAnotherTimeIsNotOurs) {
  auto table = table_of_one();
  table.take({job("RUNNING")});
  ListedJob stranger = job("RUNNING");
  stranger.name = "somebody";
  ListedJob later = job("RUNNING");
  later.submitted = "at one";
  table.take({stranger, later});
  EXPECT_EQ(table.take({stranger, later}).size(), 1u);
}

TEST(TaskTable, OfTwoJobsForOneTaskTheLivingOneCounts) {
  auto table = table_of_one();
  ListedJob second = job("RUNNING");
  second.id = "9_0";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(table.take({job("CANCELLED"), second}).empty());
  EXPECT_EQ(table.tasks.at(first).job, "9_0");
}

TEST(TaskTable, CountsWhatRunsAndWhyOthersWait) {
  auto table = table_of_one();
  ActiveTask other;
  other.name = "prengdl-1f-1";
  other.is_claimed = true;
  table.tasks.emplace(TaskId{1, 1}, other);
  table.take({job("PENDING", "Resources")});
  EXPECT_EQ(table.running(), 1u);
  EXPECT_EQ(table.waiting(), (std::map<std::string, std::size_t>{{"Resources", 1}}));
  EXPECT_EQ(table.names(), (std::vector<std::string>{"prengdl-1f-1"}));
}

}  // namespace
}  // namespace prengdl
