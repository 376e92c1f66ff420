// SPDX-License-Identifier: Apache-2.0
#include "campaign/command_study.h"

#include <gtest/gtest.h>

#include "fake_host.h"
#include "study/design.h"
#include "study/study_file.h"
#include "study/workload.h"

namespace prengdl {
namespace {

CommandPlan two_commands() {
  CommandPlan plan;
  plan.commands = {{"one", {"awk", "{print $1}"}}, {"two \"quoted\"", {"true", "a b"}}};
  plan.runs = 4;
  plan.warmup = 2;
  plan.seed = 7;
  plan.settle = Seconds{3};
  plan.idle = Seconds{0.5};
  plan.timeout = Seconds{60};
  plan.interval = Seconds{0.005};
  return plan;
}

std::vector<std::string> command_of(const Study& study, const Cell& cell) {
  return expanded(workload_for(study, cell), placeholders_of(study, cell, {})).command;
}

TEST(CommandStudy, ItsCellsRunTheCommandsAsTheyWereGiven) {
  const CommandPlan plan = two_commands();
  const Study study = study_of(plan);
  const Design design(study);
  ASSERT_EQ(design.cells().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(command_of(study, design.cells()[i]), plan.commands[i].argv);
  EXPECT_EQ(design.size(), 8u);
  EXPECT_EQ(design.cases().size(), 1u);
}

TEST(CommandStudy, TheFileThatAResultKeepsIsTheSameStudy) {
  const CommandPlan plan = two_commands();
  FakeHost host;
  host.write("study.toml", study_text_of(plan));
  const Study read = load_study(host.root() / "study.toml", "");
  const Study made = study_of(plan);
  EXPECT_EQ(read.runs, made.runs);
  EXPECT_EQ(read.seed, made.seed);
  EXPECT_EQ(read.factors[0].levels, made.factors[0].levels);
  EXPECT_EQ(read.protocol.warmup, made.protocol.warmup);
  EXPECT_EQ(read.protocol.settle_at_most, made.protocol.settle_at_most);
  EXPECT_EQ(read.protocol.idle, made.protocol.idle);
  EXPECT_EQ(read.protocol.timeout, made.protocol.timeout);
  EXPECT_DOUBLE_EQ(read.protocol.interval.count(), made.protocol.interval.count());
  EXPECT_EQ(read.analysis.compare, made.analysis.compare);
  EXPECT_EQ(read.analysis.primary, made.analysis.primary);
  EXPECT_EQ(read.analysis.secondary, made.analysis.secondary);
  EXPECT_EQ(read.analysis.margin, made.analysis.margin);
  const Design first(read);
  const Design second(made);
  for (std::size_t block = 0; block < 4; ++block)
    EXPECT_EQ(first.order_of(block), second.order_of(block));
  for (const auto& cell : first.cells()) EXPECT_EQ(command_of(read, cell), command_of(made, cell));
}

TEST(CommandStudy, LabelsThatAreTheSameAreNumbered) {
  CommandPlan plan;
  plan.commands = {{"a", {"true"}}, {"a", {"false"}}, {"b", {"true"}}};
  EXPECT_EQ(levels_of(plan), (std::vector<std::string>{"a", "a (2)", "b"}));
}

}  // namespace
}  // namespace prengdl
