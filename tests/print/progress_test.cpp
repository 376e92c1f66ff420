// SPDX-License-Identifier: Apache-2.0
#include "print/progress.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

StudyProgress running() {
  StudyProgress progress;
  progress.doing = "running";
  progress.what = "way=a";
  progress.block = 1;
  progress.blocks = 3;
  progress.done = 2;
  progress.planned = 6;
  return progress;
}

TEST(ProgressLine, HasWhatMattersMostFirst) {
  StudyProgress progress = running();
  EXPECT_EQ(line_of(progress), "block 2 of 3, run 3 of 6: way=a: running");
  progress.time_left = Seconds{22};
  progress.failures = 1;
  progress.energy = Joules{1200};
  EXPECT_EQ(line_of(progress),
            "block 2 of 3, run 3 of 6, about 22 s left, 1 failed: way=a: running, 1.200 kJ so far");
  progress.quality = Quality::model;
  EXPECT_NE(line_of(progress).find("1.200 kJ (modelled) so far"), std::string::npos);
}

TEST(ProgressLine, ARunThatHasEndedIsNotTheNextOne) {
  StudyProgress progress = running();
  progress.ended = "id";
  EXPECT_TRUE(line_of(progress).starts_with("block 2 of 3, run 2 of 6"));
}

TEST(ProgressLine, BlocksOfOneRunAreNotNamed) {
  StudyProgress progress = running();
  progress.blocks = progress.planned;
  EXPECT_EQ(line_of(progress), "run 3 of 6: way=a: running");
}

TEST(ProgressLine, ProfilesComeAfterAllRuns) {
  StudyProgress progress = running();
  progress.is_profile = true;
  EXPECT_EQ(line_of(progress), "2 of 6 runs are done: way=a: running");
}

}  // namespace
}  // namespace prengdl
