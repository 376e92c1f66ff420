// SPDX-License-Identifier: Apache-2.0
#include "store/follow.h"

#include <gtest/gtest.h>

#include <fstream>

#include "store/fixtures.h"

namespace prengdl {
namespace {

std::vector<std::string> ids(const ResultNews& news) {
  std::vector<std::string> found;
  for (const auto& run : news.runs) found.push_back(run.id);
  return found;
}

using Ids = std::vector<std::string>;

TEST(ResultFollower, TellsEachRunOnceWhereverItLies) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, short_run("a", 1), 0);
  store.take_in();
  ResultFollower follower(host.root() / "r");
  EXPECT_EQ(follower.study().name, "small");
  EXPECT_EQ(ids(follower.look()), Ids{"a"});
  EXPECT_EQ(ids(follower.look()), Ids{});

  record_run(store, short_run("b", 2), 0);
  EXPECT_EQ(ids(follower.look()), Ids{"b"}) << "as a record";
  store.take_in();
  EXPECT_EQ(ids(follower.look()), Ids{}) << "it was told before it was taken in";
  record_run(store, short_run("c", 3), 0);
  store.take_in();
  EXPECT_EQ(ids(follower.look()), Ids{"c"}) << "from the tables";
}

TEST(ResultFollower, GivesTheEndOfTheOutputOfAFailure) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, full_run("before"), 0);
  store.take_in();
  ResultFollower follower(host.root() / "r");
  record_run(store, full_run("after"), 0);
  store.take_in();
  for (const auto& run : follower.look().runs) EXPECT_EQ(run.log_tail, full_run("x").log_tail);
}

TEST(ResultFollower, TellsWhatWasLeftOutAndWhatHappened) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, short_run("a", 1), 0);
  store.take_in();
  ResultFollower follower(host.root() / "r");
  EXPECT_FALSE(follower.look().excluded);
  store.exclude("a", "a test");
  auto news = follower.look();
  ASSERT_TRUE(news.excluded);
  EXPECT_EQ(news.excluded->at("a"), "a test");
  EXPECT_FALSE(news.events);
  store.include("a", "no more");
  store.add_event({"now", StudyEventKind::end, ""});
  news = follower.look();
  ASSERT_TRUE(news.excluded && news.events);
  EXPECT_TRUE(news.excluded->empty());
  EXPECT_EQ(news.events->back().kind, StudyEventKind::end);
}

TEST(ResultFollower, TellsOnceOfARecordThatCannotBeRead) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  host.write("r/records/torn.record", "PRENGDL");
  ResultFollower follower(host.root() / "r");
  EXPECT_EQ(follower.look().troubles.size(), 1u);
  EXPECT_TRUE(follower.look().troubles.empty());
}

}  // namespace
}  // namespace prengdl
