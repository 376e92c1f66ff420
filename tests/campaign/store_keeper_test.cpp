// SPDX-License-Identifier: Apache-2.0
#include "campaign/store_keeper.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "fake_host.h"

namespace prengdl {
namespace {

class OpenResult : public testing::Test {
 protected:
  OpenResult() {
    study.name = "s";
    study.runs = 10;
    study.factors = {{"side", {"left", "right"}}};
    study.analysis.compare = "side";
  }
  ResultStore open(const std::string& text, const Locks& locks = {}) {
    return open_result(host.root() / "r", study, Design(study), text, "{}", locks);
  }
  /// What is said about a result that cannot be gone on with.
  std::string refusal(const std::string& text, const Locks& locks = {}) {
    try {
      open(text, locks);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  FakeHost host;
  Study study;
};

TEST_F(OpenResult, MakesItAndGoesOnWithTheSame) {
  EXPECT_EQ(open("text").study().planned_runs, 20u);
  EXPECT_EQ(open("text").study().text, "text");
  EXPECT_EQ(open("text").registration()->text, "{}") << "registered before the first run";
}

TEST_F(OpenResult, RefusesAStudyThatHasChangedWithTheDifference) {
  open("runs = 3\n");
  const auto said = refusal("runs = 4\n");
  EXPECT_NE(said.find("another version of this study"), std::string::npos) << said;
  EXPECT_NE(said.find("-runs = 3"), std::string::npos) << said;
  EXPECT_NE(said.find("+runs = 4"), std::string::npos) << said;
}

TEST_F(OpenResult, RefusesAnotherPreset) {
  open("text");
  study.preset = "tiny";
  EXPECT_NE(refusal("text").find("+preset tiny"), std::string::npos);
}

TEST_F(OpenResult, AStudyThatMayStopEarlyKeepsItsPlan) {
  study.protocol.stopping.rule = Stopping::Rule::sequence;
  open("text");
  study.runs = 20;
  EXPECT_THROW(open("text"), UsageError);
}

TEST_F(OpenResult, AddsLocksOfNewCellsAndRefusesThoseThatChanged) {
  open("text", {{"torch", "torch==1\n"}});
  EXPECT_EQ(open("text", {{"torch", "torch==1\n"}, {"jax", "jax==1\n"}}).study().locks.size(), 2u);
  EXPECT_NE(refusal("text", {{"torch", "torch==2\n"}}).find("the environment torch was another"),
            std::string::npos);
}

TEST_F(OpenResult, AKeeperMissesRunsThatSomebodyRemoves) {
  auto store = open("text");
  const Design design(study);
  StoreKeeper keeper(store, study, design);
  StoredRun run;
  run.id = "b0001-p000001-t0-00000000";
  run.cell = {"left"};
  keeper.keep(run, {});
  EXPECT_EQ(keeper.runs().size(), 1u) << "also before it is in the database";
  std::filesystem::remove_all(host.root() / "r" / "records");
  EXPECT_THROW(keeper.runs(), Error);
}

}  // namespace
}  // namespace prengdl
