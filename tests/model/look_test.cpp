// SPDX-License-Identifier: Apache-2.0
#include "model/look.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

/// Two cells, three blocks.
StudyRecord two_cells() {
  StudyRecord record;
  record.planned_runs = 6;
  record.blocks = 3;
  return record;
}

MadeRuns made(std::size_t places, std::size_t cells = 2) {
  MadeRuns runs;
  for (std::size_t place = 0; place < places; ++place) {
    StoredRun run;
    run.place = place;
    run.block = place / cells;
    runs.add(run);
  }
  return runs;
}

TEST(Look, CountsRunsAndWholeBlocks) {
  const auto plan = current_plan(two_cells(), {});
  const auto look = made(3).look(plan, "compare", "now");
  ASSERT_TRUE(look);
  EXPECT_EQ(look->runs, 3u);
  EXPECT_EQ(look->blocks, 1u);
  EXPECT_EQ(look->planned_blocks, 3u);
  EXPECT_EQ(look->by, "compare");
}

TEST(Look, AtAFinishedStudyIsNone) {
  const auto plan = current_plan(two_cells(), {});
  EXPECT_FALSE(made(6).look(plan, "compare", ""));
  EXPECT_FALSE(made(0).look(plan, "compare", "")) << "there was nothing to see";
  EXPECT_FALSE(made(3).look(current_plan({}, {}), "compare", "")) << "imported";
}

TEST(Look, AttemptsAndWarmUpsAreNoPlaces) {
  MadeRuns runs = made(5);
  StoredRun again;
  again.place = 4;
  again.block = 2;
  again.attempt = 1;
  runs.add(again);
  StoredRun warmup;
  warmup.place = 5;
  warmup.block = 2;
  warmup.is_warmup = true;
  runs.add(warmup);
  const auto look = runs.look(current_plan(two_cells(), {}), "report", "");
  ASSERT_TRUE(look);
  EXPECT_EQ(look->runs, 6u);
  EXPECT_EQ(look->blocks, 2u);
}

TEST(Look, FollowsThePlanOfTheLastStart) {
  const std::vector<StudyEvent> events{{"", StudyEventKind::start, ""},
                                       {"", StudyEventKind::planned, "6"},
                                       {"", StudyEventKind::resume, ""},
                                       {"", StudyEventKind::planned, "8"}};
  const auto plan = current_plan(two_cells(), events);
  EXPECT_EQ(plan.blocks, 4u);
  ASSERT_TRUE(made(6).look(plan, "compare", ""));
  EXPECT_EQ(made(6).look(plan, "compare", "")->planned_blocks, 4u);
}

TEST(Look, CellsThatWereRefusedAreNotWaitedFor) {
  const std::vector<StudyEvent> events{{"", StudyEventKind::start, ""},
                                       {"", StudyEventKind::planned, "3"},
                                       {"", StudyEventKind::refused, "no GPU", "right"}};
  const auto plan = current_plan(two_cells(), events);
  EXPECT_EQ(plan.blocks, 3u);
  EXPECT_EQ(made(2, 1).look(plan, "compare", "")->blocks, 2u);
  EXPECT_FALSE(made(3, 1).look(plan, "compare", ""));
}

TEST(Look, OnlyThoseBeforeRunsWereAddedMatter) {
  const std::vector<Look> looks{{"", "compare", 4, 2, 3}, {"", "compare", 6, 3, 3}};
  EXPECT_EQ(looks_before(looks, 6).size(), 1u);
  EXPECT_EQ(looks_before(looks, 7).size(), 2u);
}

}  // namespace
}  // namespace prengdl
