// SPDX-License-Identifier: Apache-2.0
//
// Commands as a study of one factor. These start real, short processes; the policies are tested
// without any in campaign_test.cpp.
#include "campaign/measure_commands.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "fake_host.h"
#include "store/result.h"

namespace prengdl {
namespace {

class MeasureCommands : public testing::Test {
 protected:
  MeasureCommands() {
    plan.commands = {{"good", {"true"}}, {"bad", {"false"}}};
    plan.runs = 2;
    settings.cells.output.emplace().to = OutputChoice::To::hidden;
    settings.machine = [] { return MachineRecord{"machine", {}}; };
  }
  MeasuredCommands measure() { return measure_commands(plan, settings, meters, clock); }

  FakeHost host;
  CommandPlan plan;
  MeasureSettings settings;
  Meters meters;
  SystemClock clock;
};

TEST_F(MeasureCommands, StopsAtAFailureAndKeepsIt) {
  const auto measured = measure();
  EXPECT_TRUE(measured.failed);
  ASSERT_FALSE(measured.runs.empty());
  EXPECT_EQ(measured.runs.back().outcome, Outcome::failed);
  EXPECT_EQ(measured.runs.back().cell, Cell{"bad"});
  EXPECT_FALSE(findings_of(measured));
}

TEST_F(MeasureCommands, CountsFailuresThatAreToBeIgnored) {
  settings.ignore_failure = true;
  const auto measured = measure();
  EXPECT_FALSE(measured.failed);
  const auto runs = runs_by_command(measured);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].size(), 2u);
  ASSERT_EQ(runs[1].size(), 2u);
  EXPECT_EQ(runs[1][0].exit_code, 1);
  const auto findings = findings_of(measured);
  ASSERT_TRUE(findings);
  EXPECT_EQ(findings->levels, (std::vector<std::string>{"good", "bad"}));
}

TEST_F(MeasureCommands, WarmUpsAreMadeAndNotGiven) {
  plan.commands = {{"log", {"sh", "-c", "echo x >> log"}}};
  plan.directory = host.root();
  plan.warmup = 3;
  EXPECT_EQ(measure().runs.size(), 2u);
  EXPECT_EQ(std::filesystem::file_size(host.root() / "log"), 10u);
}

TEST_F(MeasureCommands, AWarmUpThatFailsIsGivenForItEndedAll) {
  plan.commands = {{"bad", {"false"}}};
  plan.warmup = 1;
  const auto measured = measure();
  EXPECT_TRUE(measured.failed);
  ASSERT_EQ(measured.runs.size(), 1u);
  EXPECT_TRUE(measured.runs[0].is_warmup);
}

TEST_F(MeasureCommands, ACommandThatCannotStartIsAnError) {
  plan.commands = {{"none", {"/no/such/program"}}};
  EXPECT_THROW(measure(), Error);
}

TEST_F(MeasureCommands, AResultHasTheSameRuns) {
  settings.ignore_failure = true;
  settings.cells.result = host.root() / "result";
  const auto measured = measure();
  const auto store = ResultStore::open(settings.cells.result, Access::read_only);
  const auto stored = store.runs();
  ASSERT_EQ(stored.size(), measured.runs.size());
  EXPECT_EQ(store.study().planned_runs, 4u);
  for (const auto& run : stored) EXPECT_EQ(run.machine, "machine");
  EXPECT_THROW(measure(), UsageError) << "results are never written over";
}

}  // namespace
}  // namespace prengdl
