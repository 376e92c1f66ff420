// SPDX-License-Identifier: Apache-2.0
#include "campaign/parameters.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "campaign/command_study.h"
#include "fake_host.h"
#include "study/study_file.h"

namespace prengdl {
namespace {

const std::vector<Factor> batch{{"batch", {"16", "64"}}};

TEST(ParameterList, SplitsAtCommas) {
  EXPECT_EQ(parameter_list("batch", "16,64").levels, (std::vector<std::string>{"16", "64"}));
  EXPECT_EQ(parameter_list("x", "a\\,b,c").levels, (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(parameter_list("x", "one").levels, (std::vector<std::string>{"one"}));
}

TEST(ParameterList, RefusesWhatCannotBeAFactor) {
  for (const char* name : {"", "1x", "a-b", "a b", "seed", "command", "run"})
    EXPECT_THROW(parameter_list(name, "1,2"), UsageError) << name;
  for (const char* values : {"", "1,,2", "1,", "1,1"})
    EXPECT_THROW(parameter_list("x", values), UsageError) << values;
}

TEST(Placeholders, OnlyNamesInBracesAreReplaced) {
  EXPECT_EQ(template_word("--batch={batch}", batch), "--batch={batch}");
  EXPECT_EQ(template_word("{\"lr\": 1}", batch), "{{\"lr\": 1}}");
  EXPECT_EQ(template_word("{}", batch), "{{}}");
  EXPECT_EQ(template_word("${batch}", batch), "${{batch}}");
  EXPECT_EQ(template_word("{{batch}}", batch), "{{batch}}");
  EXPECT_EQ(template_word("{batch}", {}), "{{batch}}");
}

TEST(Placeholders, UnknownOnesAndUnusedListsAreRefused) {
  EXPECT_NO_THROW(check_placeholders({{"train", "{batch}"}, {"other"}}, batch));
  EXPECT_NO_THROW(check_placeholders({{"awk", "{print}"}}, {}));
  EXPECT_NO_THROW(check_placeholders({{"train", "{batch}", "{{other}}", "${HOME}"}}, batch));
  EXPECT_THROW(check_placeholders({{"train", "{batch}", "{other}"}}, batch), UsageError);
  EXPECT_THROW(check_placeholders({{"train", "{{batch}}"}}, batch), UsageError);
  EXPECT_THROW(check_placeholders({{"train", "{batch}"}}, {batch[0], batch[0]}), UsageError);
}

CommandPlan plan_with(std::vector<Command> commands) {
  CommandPlan plan;
  plan.commands = std::move(commands);
  plan.parameters = {{"batch", {"16", "64"}}, {"optimizer", {"adam", "sgd"}}};
  plan.runs = 3;
  plan.window = "epoch";
  return plan;
}

const Command train{"train {batch} {optimizer}", {"train", "{batch}", "{optimizer}"}};

TEST(ParameterStudy, OfOneCommandComparesTheFirstList) {
  const Study study = study_of(plan_with({train}));
  ASSERT_EQ(study.factors.size(), 2u);
  EXPECT_EQ(study.analysis.compare, "batch");
  EXPECT_EQ(study.analysis.within, (std::vector<std::string>{"optimizer"}));
  EXPECT_EQ(cells_of(study).size(), 4u);
}

TEST(ParameterStudy, OfSeveralCommandsComparesTheCommands) {
  const Study study = study_of(plan_with({train, {"other", {"other", "{batch}"}}}));
  EXPECT_EQ(study.analysis.compare, "command");
  EXPECT_EQ(cells_of(study).size(), 8u);
}

TEST(ParameterStudy, FillsInTheValuesOfEachCell) {
  const auto commands = commands_of_cells(plan_with({train}));
  ASSERT_EQ(commands.size(), 4u);
  EXPECT_EQ(commands[1].label, "train 16 sgd");
  EXPECT_EQ(commands[1].argv, (std::vector<std::string>{"train", "16", "sgd"}));
  const auto named = commands_of_cells(plan_with({{"mine", train.argv}}));
  EXPECT_EQ(named[2].label, "mine batch=64 optimizer=adam");
}

TEST(ParameterStudy, TheFileThatAResultKeepsIsTheSameStudy) {
  const auto plan = plan_with({train, {"json", {"run", "{\"a\": {batch}}"}}});
  FakeHost host;
  host.write("study.toml", study_text_of(plan));
  const Study read = load_study(host.root() / "study.toml", "");
  const Study made = study_of(plan);
  EXPECT_EQ(cells_of(read), cells_of(made));
  EXPECT_EQ(read.analysis.compare, made.analysis.compare);
  EXPECT_EQ(read.analysis.within, made.analysis.within);
  EXPECT_EQ(read.analysis.window, "epoch");
  EXPECT_EQ(read.overrides[1].workload.command, made.overrides[1].workload.command);
}

}  // namespace
}  // namespace prengdl
