// SPDX-License-Identifier: Apache-2.0
#include "campaign/pace.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(Pace, KnowsNothingBeforeTheFirstRunHasEnded) {
  const Pace pace(5 * second);
  EXPECT_EQ(pace.left(3, 9 * second), std::nullopt);
}

TEST(Pace, CountsDownWhileARunGoesOn) {
  Pace pace(0);
  pace.one_done(8 * second);
  pace.one_done(20 * second);  // 10 s each
  EXPECT_DOUBLE_EQ(pace.left(3, 20 * second)->count(), 30);
  EXPECT_DOUBLE_EQ(pace.left(3, 24 * second)->count(), 26);
  EXPECT_DOUBLE_EQ(pace.left(3, 30 * second)->count(), 20);
}

TEST(Pace, ARunThatTakesLongerDoesNotTakeFromTheOthers) {
  Pace pace(0);
  pace.one_done(10 * second);
  EXPECT_DOUBLE_EQ(pace.left(2, 500 * second)->count(), 10);
  EXPECT_DOUBLE_EQ(pace.left(1, 500 * second)->count(), 0);
  EXPECT_DOUBLE_EQ(pace.left(0, 500 * second)->count(), 0);
}

TEST(Pace, IsToldInWholeSeconds) {
  EXPECT_EQ(about_left(Seconds{0}), "about 0 s left");
  EXPECT_EQ(about_left(Seconds{22.15}), "about 23 s left");
  EXPECT_EQ(about_left(Seconds{250}), "about 4 min 10 s left");
}

}  // namespace
}  // namespace prengdl
