// SPDX-License-Identifier: Apache-2.0
#include "run/watchers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "fake_host.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

void use_some_time(const Watchers& watchers) {
  while (watchers.cpu_time().value_or(Seconds{1}) < Seconds{0.02}) {
  }
}

TEST(Watchers, CountWhatAWatcherUsedMeanwhile) {
  FakeHost host;
  EXPECT_FALSE(Watchers(host.root()).cpu_time()) << "nobody watches";
  const WatcherNote note(host.root());
  const Watchers watchers(host.root());
  ASSERT_TRUE(watchers.cpu_time());
  use_some_time(watchers);
  EXPECT_GE(watchers.cpu_time(), Seconds{0.02});
  EXPECT_LT(Watchers(host.root()).cpu_time(), Seconds{0.02})
      << "each counts from its own beginning";
}

TEST(Watchers, SeeOneThatCame) {
  FakeHost host;
  const Watchers watchers(host.root());
  const WatcherNote note(host.root());
  EXPECT_GT(watchers.cpu_time().value_or(Seconds{0}), Seconds{0});
}

TEST(Watchers, LearnWhatOneThatEndedDuringTheRunHadUsed) {
  FakeHost host;
  host.write("live.json", "{}");  // a run is on
  auto note = std::make_unique<WatcherNote>(host.root());
  const Watchers watchers(host.root());
  use_some_time(watchers);
  note.reset();
  EXPECT_GE(watchers.cpu_time().value_or(Seconds{0}), Seconds{0.02});
  EXPECT_TRUE(fs::is_empty(host.root() / "watchers")) << "what the dead left is removed";
  EXPECT_FALSE(Watchers(host.root()).cpu_time());
}

TEST(Watchers, LeaveNothingBehindWhereNoRunIsOn) {
  FakeHost host;
  { const WatcherNote note(host.root()); }
  EXPECT_FALSE(fs::exists(host.root() / "watchers"));
}

TEST(Watchers, DoNotCountThoseOfOtherMachinesAndOtherProcessesOfTheSameNumber) {
  FakeHost host;
  char here[256]{};
  gethostname(here, sizeof here - 1);
  const auto name = std::to_string(getpid());
  host.write(fs::path("watchers") / name, "elsewhere 1\n");
  EXPECT_FALSE(Watchers(host.root()).cpu_time());
  host.write(fs::path("watchers") / name, std::string(here) + " 1\n");  // of an earlier boot
  EXPECT_FALSE(Watchers(host.root()).cpu_time());
  EXPECT_FALSE(fs::exists(host.root() / "watchers" / name));
}

}  // namespace
}  // namespace prengdl
