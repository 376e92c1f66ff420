// SPDX-License-Identifier: Apache-2.0
#include "run/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace prengdl {
namespace {

using Order = std::vector<std::size_t>;

TEST(BlockOrder, HasEveryCommandOnce) {
  for (std::size_t commands = 0; commands <= 12; ++commands)
    for (std::size_t block = 0; block < 50; ++block) {
      auto order = block_order(3, block, commands);
      std::sort(order.begin(), order.end());
      Order all(commands);
      std::iota(all.begin(), all.end(), std::size_t{0});
      ASSERT_EQ(order, all);
    }
}

TEST(BlockOrder, IsTheSameForTheSameSeedOnEveryMachine) {
  for (std::size_t block = 0; block < 20; ++block)
    EXPECT_EQ(block_order(42, block, 6), block_order(42, block, 6));
  // Written down once: stored seeds must give these orders for ever.
  EXPECT_EQ(block_order(1, 0, 5), (Order{2, 3, 1, 0, 4}));
  EXPECT_EQ(block_order(1, 1, 5), (Order{0, 4, 1, 2, 3}));
}

TEST(BlockOrder, DiffersBetweenBlocksAndSeeds) {
  std::set<Order> blocks;
  std::set<Order> seeds;
  for (std::size_t i = 0; i < 50; ++i) {
    blocks.insert(block_order(1, i, 8));
    seeds.insert(block_order(i, 0, 8));
  }
  EXPECT_GT(blocks.size(), 45u);
  EXPECT_GT(seeds.size(), 45u);
  EXPECT_NE(block_order(7, 0, 20), block_order(7 + (1ULL << 32), 0, 20))
      << "all 64 bits of the seed count";
}

TEST(BlockOrder, PutsEachCommandInEachPlaceEquallyOften) {
  constexpr std::size_t commands = 4;
  constexpr std::size_t blocks = 4000;
  std::map<std::pair<std::size_t, std::size_t>, int> counts;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto order = block_order(99, block, commands);
    for (std::size_t place = 0; place < commands; ++place) ++counts[{order[place], place}];
  }
  EXPECT_EQ(counts.size(), commands * commands);
  // 1000 are expected; five standard deviations are 137.
  for (const auto& [key, count] : counts)
    EXPECT_NEAR(count, 1000, 137) << "command " << key.first << " in place " << key.second;
}

TEST(BlockOrder, AllOrdersAreEquallyLikely) {
  std::map<Order, int> counts;
  for (std::size_t block = 0; block < 6000; ++block) ++counts[block_order(5, block, 3)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 145);
}

}  // namespace
}  // namespace prengdl
