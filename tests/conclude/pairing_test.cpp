// SPDX-License-Identifier: Apache-2.0
#include "conclude/pairing.h"

#include <gtest/gtest.h>

#include "conclude/two_frameworks.h"

namespace prengdl {
namespace {

class RunsInOrder : public testing::Test {
 protected:
  RunOrder order(bool has_blocks = true) {
    std::vector<const StoredRun*> a, b;
    for (const auto& run : runs_) (run.cell[0] == "jax" ? a : b).push_back(&run);
    return order_of_runs(a, b, {"jax", "torch"}, has_blocks);
  }

  /// Starts the runs one after the other, in the order given by `key`.
  template <class Key>
  void start_by(Key key) {
    std::sort(runs_.begin(), runs_.end(),
              [&](const auto& x, const auto& y) { return key(x) < key(y); });
    for (std::size_t i = 0; i < runs_.size(); ++i)
      runs_[i].run.begin_ns = static_cast<std::int64_t>(i + 1) * 1'000'000'000;
  }

  std::vector<StoredRun> runs_ = pairs("a", 1.1, 8);
};

TEST_F(RunsInOrder, PairsInTurnsAreProved) {
  const RunOrder found = order();
  EXPECT_TRUE(found.is_paired && found.pairing.is_proved);
  EXPECT_FALSE(found.caveat);
}

TEST_F(RunsInOrder, OneLevelAlwaysFirstIsNoProof) {
  start_by([](const StoredRun& run) { return std::pair(run.block, run.cell[0]); });
  const RunOrder found = order();
  EXPECT_FALSE(found.is_paired || found.pairing.is_proved);
  ASSERT_TRUE(found.caveat);
  EXPECT_EQ(found.caveat->code, Caveat::fixed_order);
  EXPECT_EQ(found.caveat->text, "jax ran before torch in 8 of 8 blocks");
}

TEST_F(RunsInOrder, BlocksOnPaperOnlyAreNoProof) {
  start_by([](const StoredRun& run) { return std::pair(run.cell[0], run.block); });
  const RunOrder found = order();
  EXPECT_FALSE(found.is_paired);
  ASSERT_TRUE(found.caveat);
  EXPECT_EQ(found.caveat->code, Caveat::confounded_time);
}

TEST_F(RunsInOrder, WithoutBlocksALevelThatRanFirstIsACaveat) {
  EXPECT_FALSE(order(false).caveat) << "in turns";
  start_by([](const StoredRun& run) { return std::pair(run.cell[0] == "jax", run.block); });
  const RunOrder found = order(false);
  ASSERT_TRUE(found.caveat);
  EXPECT_EQ(found.caveat->text,
            "torch ran before jax, so a drift of the machine would look the same");
}

TEST_F(RunsInOrder, TheWallClockOrdersRunsWithoutAnother) {
  for (auto& run : runs_) {
    run.run.started_at =
        "2026-11-18T10:00:" + std::to_string(10 + run.run.begin_ns / 1'000'000'000);
    run.run.begin_ns = 0;
  }
  EXPECT_TRUE(order().pairing.is_proved);
}

TEST_F(RunsInOrder, ImportedBlocksWithoutTimesAreTakenAtTheirWord) {
  for (auto& run : runs_) run.run.begin_ns = 0;
  const RunOrder found = order();
  EXPECT_TRUE(found.is_paired);
  EXPECT_FALSE(found.pairing.is_proved);
}

TEST_F(RunsInOrder, LevelsOnOtherMachinesAreACaveat) {
  for (auto& run : runs_)
    if (run.cell[0] == "jax") run.machine = "other";
  const RunOrder found = order();
  EXPECT_FALSE(found.is_paired);
  ASSERT_TRUE(found.caveat);
  EXPECT_EQ(found.caveat->code, Caveat::confounded_machine);
}

TEST_F(RunsInOrder, RunsOfABlockOnTwoMachinesAreNoPair) {
  for (auto& run : runs_)
    if (run.block % 2 == 0 || run.cell[0] == "jax") run.machine = "other";
  const RunOrder found = order();
  EXPECT_NE(found.pairing.reason.find("of 4"), std::string::npos) << found.pairing.reason;
}

}  // namespace
}  // namespace prengdl
