// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake_host.h"
#include "study/study_file.h"
#include "study/workload.h"

namespace prengdl {
namespace {

constexpr auto full = R"(
[study]
runs = 10
[factors]
framework = ["pytorch", "tensorflow"]
model = ["ncf", "gnmt"]
phase = ["train", "infer"]
[[exclude]]
model = "gnmt"
phase = "infer"
[workload]
command = ["python", "-m", "{framework}.{model}", "--phase", "{phase}", 3, 0.10, true]
variables = { THREADS = 8 }
prepare = [["make", "data"]]
[[override]]
where = { framework = "tensorflow" }
command = ["other"]
variables = { TF = 1 }
[presets.tiny]
protocol.settle = { at_most = "10s" }
workload.variables = { TINY = "yes" }
[analysis]
compare = "framework"
)";

struct StudyInclude : testing::Test {
  std::filesystem::path write(const std::string& text) {
    host.write("study.toml", text);
    return host.root() / "study.toml";
  }
  FakeHost host;
};

TEST_F(StudyInclude, AnIncludingFileWinsOverWhatItIncludes) {
  host.write("common/base.toml", R"(
include = ["../machine.toml"]
[study]
runs = 5
seed = 3
[factors]
size = ["s", "m"]
[workload]
command = ["base", "{size}"]
variables = { A = 1, B = 1 }
[[exclude]]
size = "m"
)");
  host.write("machine.toml", "[protocol]\ngovernor = \"powersave\"\nnice = 3\n");
  const auto file = write(R"(
include = "common/base.toml"
[study]
runs = 8
[protocol]
governor = "performance"
[factors]
size = ["m", "l", "s"]
[workload]
variables = { B = 2 }
[[exclude]]
size = "l"
)");
  const Study study = load_study(file);
  EXPECT_EQ(study.runs, 8u);
  EXPECT_EQ(study.seed, 3u);
  EXPECT_EQ(study.protocol.control.governor, "performance");
  EXPECT_EQ(study.protocol.control.nice, 3);
  EXPECT_EQ(study.workload.variables, (std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}}));
  EXPECT_EQ(cells_of(study), std::vector<Cell>{{"s"}});  // both exclusions hold
  EXPECT_EQ(study.directory, host.root());
}

TEST_F(StudyInclude, TheRecordOfAStudyWithIncludesMeansTheSame) {
  host.write("base.toml", full);
  const auto file = write(
      "include = 'base.toml'\n[study]\nruns = 4 # fewer\n[factors]\n\"a \\\"b\\\".c\" = [1, 2]\n"
      "[workload]\nvariables = { X = \"{a \\\"b\\\".c}\\n\\u001b\" }\n"
      "[analysis]\nwithin = ['model', 'phase', 'a \"b\".c']\n");
  const auto text = study_text(file);
  EXPECT_NE(text.find("# fewer"), std::string::npos);
  const Study again = read_study(text, file);
  const Study study = load_study(file);
  EXPECT_EQ(again.runs, 4u);
  EXPECT_EQ(cells_of(again), cells_of(study));
  EXPECT_EQ(again.workload.variables, study.workload.variables);
  EXPECT_EQ(again.overrides.size(), study.overrides.size());
  for (const auto& cell : cells_of(study))
    EXPECT_EQ(workload_for(again, cell).command, workload_for(study, cell).command);
  EXPECT_EQ(load_study(file, "tiny").workload.variables,
            read_study(text, file, "tiny").workload.variables);
}

TEST_F(StudyInclude, TheRecordOfAStudyWithoutIncludesIsTheFileItself) {
  const std::string text = "# mine\nstudy.runs = 1\nworkload.command = ['true']  \n\n";
  host.write("study.toml", text);
  EXPECT_EQ(study_text(host.root() / "study.toml"), text + "\n");
}

}  // namespace
}  // namespace prengdl
