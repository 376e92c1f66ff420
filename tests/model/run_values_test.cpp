// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/counted_runs.h"
#include "model/window.h"

namespace prengdl {
namespace {

Run run(double joules, double seconds) {
  Run made;
  made.exit_code = 0;
  made.wall = Seconds{seconds};
  made.energy.metered = Energy{Joules{joules}, Joules{0.01}, Quality::chip};
  made.energy.domains["package"] = *made.energy.metered;
  return made;
}

TEST(RunValues, GivesTheFiguresOfARunByName) {
  auto one = run(50, 2);
  EXPECT_EQ(value_of(one, "seconds"), 2);
  EXPECT_EQ(value_of(one, "metered"), 50);
  EXPECT_EQ(value_of(one, "package"), 50);
  EXPECT_EQ(value_of(one, "gpu"), std::nullopt);
  one.energy.metered.reset();
  EXPECT_EQ(value_of(one, "metered"), std::nullopt);
  EXPECT_EQ(values_of({run(50, 2), one, run(60, 3)}, "metered"), (std::vector<double>{50, 60}));
}

TEST(RunsToAverage, AreThoseThatWereNotCutShort) {
  auto good = run(50, 2);
  good.exit_code = 0;
  auto failed = good;
  failed.exit_code = 3;
  auto late = good;
  late.timed_out = true;
  auto interrupted = good;
  interrupted.interrupted = true;
  const std::vector all{good, failed, late, interrupted};
  EXPECT_EQ(runs_to_average(all, false).size(), 1u);
  EXPECT_EQ(runs_to_average(all, true).size(), 2u) << "failures are to be measured, too";
  EXPECT_EQ(runs_to_average({failed, interrupted}, false).size(), 1u) << "there is no other";
  EXPECT_TRUE(runs_to_average({late, interrupted}, true).empty());
}

}  // namespace
}  // namespace prengdl
