// SPDX-License-Identifier: Apache-2.0
#include "cluster/due_work.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

/// Two models, two sides, three blocks, as they are written: places 4b and 4b+1 are one case.
class DueWorkTest : public testing::Test {
 protected:
  DueWorkTest() {
    study.runs = 3;
    study.factors = {{"model", {"m", "n"}}, {"side", {"left", "right"}}};
    study.workload.command = {"true"};
    study.protocol.order = Order::as_written;
    study.analysis.compare = "side";
    study.analysis.within = {"model"};
  }

  DueWork work(const TriedPlaces& tried = {}, const std::vector<JobArray>& arrays = {}) {
    design.emplace(study);
    asked.emplace(study, *design, CellPattern{});
    return {study, *design, *asked, settings, arrays, tried};
  }

  StoredRun run(std::size_t place, Outcome outcome = Outcome::ok) {
    StoredRun made;
    made.id = "r" + std::to_string(place) + std::to_string(++made_);
    made.place = place;
    made.block = place / 4;
    made.cell = design->cells()[place % 4];
    made.outcome = outcome;
    return made;
  }

  static std::vector<std::size_t> places(const ClusterTask& task) {
    std::vector<std::size_t> all;
    for (const auto& block : task.blocks)
      for (const auto& [place, tries] : block.places) all.push_back(place);
    return all;
  }

  Study study;
  DueSettings settings;
  SlurmSettings slurm;
  std::optional<Design> design;
  std::optional<AskedCells> asked;
  std::size_t made_ = 0;
};

using Places = std::vector<std::size_t>;

TEST_F(DueWorkTest, GivesEachJobABlock) {
  auto due = work();
  const auto tasks = due.hand_out(slurm, std::nullopt, 100);
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(places(tasks[1]), (Places{4, 5, 6, 7}));
  EXPECT_EQ(due.due_places(), 12u);
}

TEST_F(DueWorkTest, SpreadsBlocksOverTheJobsThatMayRunWithinTheirTime) {
  slurm.jobs = 2;
  EXPECT_EQ(blocks_per_job(slurm, 9, std::nullopt), 5u);
  slurm.time = Seconds{3600};
  EXPECT_EQ(blocks_per_job(slurm, 9, Seconds{1000}), 2u);
  EXPECT_EQ(blocks_per_job(slurm, 9, Seconds{9000}), 1u) << "too long for the limit: tried anyway";
  slurm.blocks_per_job = 7;
  EXPECT_EQ(blocks_per_job(slurm, 9, Seconds{1000}), 7u);
}

TEST_F(DueWorkTest, AHalfCaseIsMadeAgainAsAWholeAndAWholeOneIsNot) {
  auto due = work();
  due.hand_out(slurm, std::nullopt, 100);
  due.free.clear();
  const auto left = run(2);
  for (const auto& one : {run(0), run(1), left}) EXPECT_TRUE(due.take(one));
  EXPECT_TRUE(due.release({0}));  // the job was lost
  const auto again = due.hand_out(slurm, std::nullopt, 100);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(places(again[0]), (Places{2, 3}));
  const auto& tries = again[0].blocks[0].places.at(2);
  ASSERT_EQ(tries.size(), 1u);
  EXPECT_TRUE(tries[0].is_void);
  const auto next = due_attempt(study, left.cell, tries);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->attempt, 1u);
  EXPECT_EQ(next->repeats, left.id) << "so that only the repetition counts";
  EXPECT_TRUE(due.take(run(2)));
  EXPECT_TRUE(due.take(run(3)));
  EXPECT_FALSE(due.release({0}));
}

TEST_F(DueWorkTest, ANewControllerKnowsWhichAttemptsAreVoid) {
  auto before = work();
  const TriedPlaces tried{{0, {{"a", Outcome::ok, false, false}, {"b", Outcome::ok, false, false}}},
                          {1, {{"c", Outcome::ok, false, false}}}};
  JobArray array;
  array.tasks.push_back({{TaskBlock{
      0, {{0, {{"a", Outcome::ok, false, true}}}, {1, {{"c", Outcome::ok, false, true}}}}}}});
  // `b` repeats `a` elsewhere; `c` was to be repeated there too, and was not.
  auto due = work(tried, {array});
  const auto tasks = due.hand_out(slurm, std::nullopt, 1);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(places(tasks[0]), (Places{0, 1, 2, 3}));
  EXPECT_EQ(work(tried).hand_out(slurm, std::nullopt, 1)[0].blocks[0].places.size(), 2u);
}

TEST_F(DueWorkTest, FailuresUseUpTheRetriesOfTheStudy) {
  study.workload.retry = {1, false};
  auto due = work();
  due.hand_out(slurm, std::nullopt, 100);
  due.free.clear();
  EXPECT_FALSE(due.take(run(0, Outcome::failed)));
  EXPECT_TRUE(due.take(run(0, Outcome::failed)));
  for (std::size_t place = 1; place < 4; ++place) due.take(run(place));
  EXPECT_FALSE(due.release({0}));
  EXPECT_EQ(due.done_blocks(), 1u);
}

TEST_F(DueWorkTest, ClosedCellsAreNotDue) {
  auto due = work();
  due.closed = {{"m", "left"}, {"m", "right"}};
  EXPECT_EQ(places(due.hand_out(slurm, std::nullopt, 1)[0]), (Places{2, 3}));
}

TEST_F(DueWorkTest, AnArrayReadsBackAsItWasWritten) {
  JobArray array{3, "prengdl-1f-3", "now", "/studies", Seconds{90.5}, {}};
  array.tasks.push_back({{TaskBlock{7, {{28, {{"a", Outcome::timeout, true, true}}}, {29, {}}}}}});
  array.tasks.push_back({{}, true});
  const auto read = array_of_json(array_json(array));
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_EQ(array_json(*read), array_json(array));
  EXPECT_EQ(read->tasks[0].blocks[0].places.at(28)[0].outcome, Outcome::timeout);
  EXPECT_TRUE(read->tasks[1].makes_profiles);
  EXPECT_FALSE(array_of_json("{}"));
  EXPECT_FALSE(array_of_json("x"));
  EXPECT_EQ(text_of(TaskId{3, 17}), "0003-17");
  EXPECT_EQ(task_of("0003-17"), (TaskId{3, 17}));
  EXPECT_FALSE(task_of("control"));
}

}  // namespace
}  // namespace prengdl
