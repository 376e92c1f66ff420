// SPDX-License-Identifier: Apache-2.0
//
// `environment` of a study file, and the placeholders that have to do with it.
#include <gtest/gtest.h>

#include "study/problems_of.h"
#include "study/workload.h"

namespace prengdl {
namespace {

using Names = std::vector<std::string>;

Study study_of(const std::string& workload, const std::string& preset = "") {
  FakeHost host;
  host.write("study.toml",
             "[study]\nruns = 3\n[factors]\nframework = ['pytorch', 'tensorflow']\n[workload]\n"
             "command = ['python', '{framework}']\n" +
                 workload);
  return load_study(host.root() / "study.toml", preset);
}

TEST(StudyEnvironment, IsANameOrATableOfOneKind) {
  EXPECT_TRUE(study_of("").workload.environment.empty());
  EXPECT_EQ(study_of("environment = '{framework}@2.0'").workload.environment.name,
            "{framework}@2.0");
  const auto own =
      study_of("environment = { requirements = 'req.txt', python = '/usr/bin/python3.11' }")
          .workload.environment;
  EXPECT_EQ(own.requirements, "req.txt");
  EXPECT_EQ(own.python, "/usr/bin/python3.11");
  EXPECT_EQ(study_of("environment = { interpreter = '/p' }").workload.environment.interpreter,
            "/p");
  EXPECT_EQ(study_of("environment = { conda = '/c' }").workload.environment.conda, "/c");
  const auto container =
      study_of("environment = { container = 'i', by = 'docker', options = ['--gpus', 'all'] }")
          .workload.environment;
  EXPECT_EQ(container.container, "i");
  EXPECT_EQ(container.engine, "docker");
  EXPECT_EQ(container.options, (Names{"--gpus", "all"}));
}

TEST(StudyEnvironment, IsWrittenWrongInManyWays) {
  // `rest` of study_with starts at line 8.
  const auto with = [](const std::string& environment) {
    return study_with("environment = " + environment);
  };
  expect_told({
      {with("3"), "8:15: 'environment' must be text or a table, not a whole number", ""},
      {with("{}"), "8:15: this environment does not state its kind",
       "give one of requirements, interpreter, conda, container"},
      {with("{ conda = 'a', interpreter = 'b' }"),
       "8:15: an environment cannot be interpreter and conda at the same time",
       "give one of requirements, interpreter, conda, container"},
      {with("{ conda = 'a', python = 'b' }"), "8:39: 'python' can only be used with 'requirements'",
       ""},
      {with("{ interpreter = '' }"), "8:31: 'interpreter' must not be empty", ""},
      {with("{ container = 'i' }"), "8:15: this environment does not state what runs its container",
       "write by = \"podman\", \"docker\" or \"apptainer\""},
      {with("{ container = 'i', by = 'dokcer' }"), "8:39: 'by' cannot be 'dokcer'",
       "did you mean 'docker'?"},
      {with("{ konda = 'a' }"), "8:17: unknown key 'konda'", "did you mean 'conda'?"},
      {with("'{scratch}/venv'"), "8:15: nothing gives {scratch} a value",
       "there are framework, preset"},
      {with("'{environment:pytorch}'"), "8:15: nothing gives {environment:pytorch} a value",
       "there are framework, preset"},
  });
}

TEST(StudyEnvironment, IsReplacedAsAWholeByPresetsAndOverrides) {
  const std::string text =
      "environment = { requirements = 'r', python = 'p' }\n"
      "[presets.x]\nworkload.environment = { conda = 'c' }\n"
      "[[override]]\nwhere = { framework = 'tensorflow' }\nenvironment = { interpreter = 'i' }\n";
  const auto study = study_of(text);
  EXPECT_EQ(environment_for(study, {"pytorch"}).requirements, "r");
  EXPECT_EQ(environment_for(study, {"tensorflow"}).interpreter, "i");
  EXPECT_EQ(environment_for(study, {"tensorflow"}).requirements, "");
  const auto other = study_of(text, "x").workload.environment;
  EXPECT_EQ(other.conda, "c");
  EXPECT_EQ(other.requirements, "");
}

TEST(StudyEnvironment, ComesBackFromTheTextThatAResultKeeps) {
  FakeHost host;
  host.write("common.toml", "[workload]\nenvironment = { container = 'i', by = 'podman' }");
  host.write("study.toml",
             "include = 'common.toml'\n[study]\nruns = 1\n[workload]\ncommand = ['true']");
  const auto text = study_text(host.root() / "study.toml");
  const auto again = read_study(text, host.root() / "again.toml");
  EXPECT_EQ(again.workload.environment.container, "i");
  EXPECT_EQ(again.workload.environment.engine, "podman");
}

TEST(StudyEnvironment, NamesThatThereAreNotAreToldWhereTheyStand) {
  FakeHost host;
  const auto say = [&](const std::string& rest, const Names& known) -> std::string {
    host.write("study.toml", study_with(rest));
    try {
      load_study(host.root() / "study.toml", "", known);
      return "nothing is wrong";
    } catch (const UsageError& error) {
      return std::string(error.what()).substr(host.root().string().size() + 1) + " (" + error.hint +
             ")";
    }
  };
  const Names known{"pytorch", "pytorch@2.15.0", "tensorflow"};
  EXPECT_EQ(say("environment = '{framework}'", known), "nothing is wrong");
  EXPECT_EQ(say("environment = '{framework}'", {}), "nothing is wrong") << "a result is only read";
  EXPECT_EQ(say("environment = 'pytroch'", known),
            "study.toml:8:15: there is no environment 'pytroch' (did you mean 'pytorch'?)");
  EXPECT_EQ(say("environment = 'pytroch'", {}), "nothing is wrong");
  EXPECT_EQ(say("environment = './venv'", known), "nothing is wrong");
  EXPECT_EQ(say("environment = '{framework}@2.15.0'", known),
            "study.toml:8:15: there is no environment 'tensorflow@2.15.0' (there are pytorch, "
            "pytorch@2.15.0, tensorflow)");
  // A cell that has an environment of its own does not need the one that it would have.
  EXPECT_EQ(say("environment = '{framework}@2.15.0'\n[[override]]\nwhere = { framework = "
                "'tensorflow' }\nenvironment = { conda = 'c' }",
                known),
            "nothing is wrong");
  EXPECT_EQ(say("variables = { P = '{environment:pytorch@2.15.0}/bin' }", known),
            "nothing is wrong");
  EXPECT_EQ(say("variables = { P = '{environment:pytorch@2.16.0}/bin' }", known),
            "study.toml:8:19: there is no environment 'pytorch@2.16.0' (did you mean "
            "'pytorch@2.15.0'?)");
}

TEST(StudyPlaceholders, TheDirectoryOfAnEnvironmentIsToldInCommands) {
  expect_told({
      {study_with("prepare = ['{environment:}/x']"),
       "8:12: '' is no name of an environment in {environment:}",
       "write {environment:pytorch} or, with a version, {environment:pytorch@2.15.0}"},
      {study_with("directory = '{environment:pytorch}'"),
       "8:13: nothing gives {environment:pytorch} a value",
       "there are framework, preset, seed, block, run, result, scratch, data"},
      {study_with("stdin = '{dta}/x'"), "8:9: nothing gives {dta} a value", "did you mean 'data'?"},
      {study_with("[presets.x]\nfactors.data = ['a']"), "9:9: the study has no factor 'data'",
       "there are framework"},
  });
  const auto study = study_of(
      "variables = { A = '{environment:a}' }\nprepare = [['{environment:b@1}/bin/python']]\n"
      "outputs = ['{data}/x']");
  EXPECT_EQ(environments_named_in(study.workload), (Names{"a", "b@1"}));
}

}  // namespace
}  // namespace prengdl
