// SPDX-License-Identifier: Apache-2.0
#include "model/counted_runs.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

StoredRun run_at(const std::string& id, std::size_t block, std::size_t attempt = 0) {
  StoredRun run;
  run.id = id;
  run.cell = {"pytorch"};
  run.block = block;
  run.attempt = attempt;
  run.machine = "m-1";
  return run;
}

std::string counted_ids(const std::vector<StoredRun>& runs, bool has_blocks = true) {
  std::string ids;
  for (const auto* run : counted_runs(runs, has_blocks)) ids += run->id + " ";
  return ids;
}

TEST(CountedRuns, AreGoodAndNeitherWarmUpsNorExcluded) {
  std::vector<StoredRun> runs{run_at("good", 0), run_at("failed", 1), run_at("warmup", 2),
                              run_at("excluded", 3)};
  runs[1].outcome = Outcome::failed;
  runs[2].is_warmup = true;
  runs[3].excluded = "the fan stopped";
  EXPECT_EQ(counted_ids(runs), "good ");
}

TEST(CountedRuns, OfOnePlaceTheLastGoodAttemptCounts) {
  std::vector<StoredRun> runs{run_at("first", 0), run_at("second", 0, 1), run_at("third", 0, 2),
                              run_at("other block", 1)};
  runs[2].outcome = Outcome::failed;
  EXPECT_EQ(counted_ids(runs), "second other block ");
}

TEST(CountedRuns, OneThatAGoodOneRepeatsDoesNotCount) {
  std::vector<StoredRun> runs{run_at("disturbed", 0), run_at("repeat", 0, 1)};
  runs[1].repeats = "disturbed";
  EXPECT_EQ(counted_ids(runs), "repeat ");
  EXPECT_EQ(counted_ids(runs, false), "repeat ");
  runs[1].outcome = Outcome::timeout;
  EXPECT_EQ(counted_ids(runs), "disturbed ");
}

TEST(CountedRuns, EachMachineHasItsOwnPlaces) {
  std::vector<StoredRun> runs{run_at("here", 0), run_at("there", 0, 1)};
  runs[1].machine = "m-2";
  EXPECT_EQ(counted_ids(runs), "here there ");
}

TEST(CountedRuns, WithoutBlocksEachRunStandsForItself) {
  const std::vector<StoredRun> runs{run_at("a", 0), run_at("b", 0), run_at("c", 0, 1)};
  EXPECT_EQ(counted_ids(runs, false), "a b c ");
  EXPECT_EQ(counted_ids(runs, true), "c ");
}

}  // namespace
}  // namespace prengdl
