// SPDX-License-Identifier: Apache-2.0
#include "cluster/staging.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "fake_host.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable(const std::string& name) {
  if (name == "USER") return "me";
  if (name == "TMPDIR") return "/tmp/job";
  return std::nullopt;
}

TEST(Staging, ReplacesVariablesOfTheNode) {
  EXPECT_EQ(with_variables("/local/$USER/x", variable), "/local/me/x");
  EXPECT_EQ(with_variables("${TMPDIR}data", variable), "/tmp/jobdata");
  EXPECT_EQ(with_variables("/plain", variable), "/plain");
  EXPECT_THROW(with_variables("/$NOWHERE", variable), Error);
}

/// A cache with one environment, data sets, and a node's own disk.
class StagingTest : public testing::Test {
 protected:
  StagingTest() {
    host.write("cache/envs/torch/bin/python", "python");
    host.write("data/set.csv", "1,2");
    places.cache = host.root() / "cache";
    places.data = host.root() / "data";
    site.kind = EnvironmentSite::Kind::locked;
    site.directory = places.cache / "envs/torch";
    settings.stage = (host.root() / "local").string();
  }

  FakeHost host;
  EnvironmentPlaces places;
  EnvironmentSite site;
  SlurmSettings settings;
};

TEST_F(StagingTest, CopiesOnceAndUsesTheCopy) {
  const auto first = staged(settings, {site}, places, variable);
  EXPECT_EQ(first.cache, host.root() / "local/cache");
  EXPECT_EQ(first.data, places.data) << "data sets may be large: only if asked for";
  const fs::path copy = first.cache / "envs/torch/bin/python";
  ASSERT_TRUE(fs::exists(copy));
  fs::remove(copy);
  staged(settings, {site}, places, variable);
  EXPECT_FALSE(fs::exists(copy)) << "it was not copied a second time";
}

TEST_F(StagingTest, CopiesAgainAfterAnInterruptionOrAChange) {
  const auto first = staged(settings, {site}, places, variable);
  const fs::path copy = first.cache / "envs/torch/bin/python";
  fs::remove(first.cache / "envs/torch.staged");  // the mark is written last
  fs::remove(copy);
  staged(settings, {site}, places, variable);
  EXPECT_TRUE(fs::exists(copy));
  fs::remove(copy);
  fs::last_write_time(site.directory, fs::file_time_type::clock::now() + std::chrono::hours(1));
  staged(settings, {site}, places, variable);
  EXPECT_TRUE(fs::exists(copy));
}

TEST_F(StagingTest, TakesTheDataSetsIfAskedTo) {
  settings.stage_data = true;
  const auto made = staged(settings, {site}, places, variable);
  EXPECT_TRUE(fs::exists(made.data / "set.csv"));
  EXPECT_NE(made.data, places.data);
}

TEST_F(StagingTest, AnEnvironmentOfTheUsersOwnStaysWhereItIs) {
  site.kind = EnvironmentSite::Kind::interpreter;
  const auto made = staged(settings, {site}, places, variable);
  EXPECT_FALSE(fs::exists(made.cache / "envs/torch"));
}

TEST_F(StagingTest, WithoutAStageNothingIsCopied) {
  settings.stage.clear();
  EXPECT_EQ(staged(settings, {site}, places, variable).cache, places.cache);
}

}  // namespace
}  // namespace prengdl
