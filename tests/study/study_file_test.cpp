// SPDX-License-Identifier: Apache-2.0
#include "study/study_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "fake_host.h"
#include "study/workload.h"

namespace prengdl {
namespace {

using Texts = std::vector<std::string>;

constexpr auto full = R"(
[study]
name = "icse22"
runs = 10
seed = 7
budget = "2kWh"
[protocol]
rate = "200Hz"
warmup = 2
idle = "5s"
settle = { at_most = "3min" }
order = "shuffled"
governor = "performance"
turbo = false
gpu_clock = "1410MHz"
nice = -5
cpus = "0-2,4"
sampler_cpus = [7]
drop_caches = true
timeout = "2h"
give_up_after = 5
stop = { rule = "sequence", at_least = 12 }
[factors]
framework = ["pytorch", "tensorflow"]
model = ["ncf", "gnmt"]
phase = ["train", "infer"]
[[exclude]]
model = "gnmt"
phase = "infer"
[workload]
environment = "{framework}"
directory = "code"
command = ["python", "-m", "{framework}.{model}", "--phase", "{phase}", 3, 0.10, true]
variables = { THREADS = 8, FAST = true }
prepare = ["make", "data"]
cleanup = [["rm", "-f", "a"], ["rm", "-f", "b"]]
stdin = "input.txt"
outputs = ["{scratch}/model"]
retry = 2
[[override]]
where = { framework = "tensorflow" }
timeout = "30min"
variables = { FAST = false, TF = 1 }
requires = { memory = "8GiB" }
[[override]]
where = { model = ["ncf"], phase = "train" }
command = ["other"]
prepare = []
retry = { times = 1, after_timeout = true }
[presets.tiny]
protocol.settle = { at_most = "10s" }
study.runs = 2
factors.model = ["gnmt"]
workload.variables = { TINY = "yes" }
[presets.paper]
requires = { gpu = 1, gpu_memory = "8GiB" }
protocol.settle = "off"
protocol.idle = "off"
[analysis]
compare = "framework"
within = ["model", "phase"]
primary = "metered"
secondary = ["package", "seconds"]
test = "rank"
window = "epoch>1"
margin = "3%"
alpha = 0.01
groups = { translation = ["gnmt"] }
)";

struct StudyFile : testing::Test {
  std::filesystem::path write(const std::string& text, const std::string& name = "study.toml") {
    host.write(name, text);
    return host.root() / name;
  }
  FakeHost host;
};

TEST_F(StudyFile, EveryKeyReachesTheStudy) {
  const Study study = load_study(write(full));
  EXPECT_EQ(study.name, "icse22");
  EXPECT_EQ(study.runs, 10u);
  EXPECT_EQ(study.seed, 7u);
  EXPECT_EQ(study.preset, "");
  EXPECT_EQ(study.directory, host.root());

  const auto& protocol = study.protocol;
  EXPECT_EQ(protocol.budget_energy, Joules{7.2e6});
  EXPECT_EQ(protocol.budget_time, std::nullopt);
  EXPECT_DOUBLE_EQ(protocol.interval.count(), 0.005);
  EXPECT_EQ(protocol.warmup, 2u);
  EXPECT_EQ(protocol.idle, Seconds{5});
  EXPECT_EQ(protocol.settle_at_most, Seconds{180});
  EXPECT_EQ(protocol.order, Order::shuffled);
  EXPECT_EQ(protocol.timeout, Seconds{7200});
  EXPECT_EQ(protocol.give_up_after, 5u);
  EXPECT_EQ(protocol.stopping.rule, Stopping::Rule::sequence);
  EXPECT_EQ(protocol.stopping.at_least, 12u);
  EXPECT_EQ(protocol.control.governor, "performance");
  EXPECT_EQ(protocol.control.turbo, false);
  EXPECT_EQ(protocol.control.gpu_clock_mhz, 1410);
  EXPECT_EQ(protocol.control.nice, -5);
  EXPECT_EQ(protocol.control.cpus, (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(protocol.control.sampler_cpus, (std::vector<int>{7}));
  EXPECT_TRUE(protocol.control.drop_caches);

  ASSERT_EQ(study.factors.size(), 3u);
  EXPECT_EQ(study.factors[0].name, "framework");  // as written, not by the alphabet
  EXPECT_EQ(study.factors[1].levels, (Texts{"ncf", "gnmt"}));
  EXPECT_EQ(cells_of(study).size(), 6u);

  const auto& analysis = study.analysis;
  EXPECT_EQ(analysis.compare, "framework");
  EXPECT_EQ(analysis.within, (Texts{"model", "phase"}));
  EXPECT_EQ(analysis.secondary, (Texts{"package", "seconds"}));
  EXPECT_EQ(analysis.test, "rank");
  EXPECT_EQ(analysis.window, "epoch>1");
  EXPECT_DOUBLE_EQ(analysis.margin, 0.03);
  EXPECT_DOUBLE_EQ(analysis.alpha, 0.01);
  EXPECT_EQ(analysis.groups.at("translation"), Texts{"gnmt"});
}

TEST_F(StudyFile, ASmallStudyHasTheDocumentedDefaults) {
  const Study study =
      load_study(write("study.runs = 3\nworkload.command = ['true']\n", "small.toml"));
  EXPECT_EQ(study.name, "small");
  EXPECT_EQ(study.seed, 1u);
  EXPECT_EQ(study.protocol.warmup, 1u);
  EXPECT_EQ(study.protocol.idle, std::nullopt);
  EXPECT_EQ(study.protocol.settle_at_most, Seconds{600});
  EXPECT_EQ(study.protocol.order, Order::adjacent);
  EXPECT_DOUBLE_EQ(study.protocol.interval.count(), 0.01);
  EXPECT_EQ(study.protocol.timeout, std::nullopt);
  EXPECT_EQ(study.protocol.stopping.rule, Stopping::Rule::never);
  EXPECT_EQ(study.analysis.compare, "");
  EXPECT_EQ(study.analysis.primary, "metered");
  EXPECT_EQ(study.analysis.test, "log-t");
  EXPECT_EQ(cells_of(study), std::vector<Cell>{{}});
}

TEST_F(StudyFile, OverridesReplaceWhatTheyNameAndLaterOnesWin) {
  const Study study = load_study(write(full));
  const auto plain = workload_for(study, {"pytorch", "gnmt", "train"});
  EXPECT_EQ(plain.command, (Texts{"python", "-m", "{framework}.{model}", "--phase", "{phase}", "3",
                                  "0.1", "true"}));
  EXPECT_EQ(plain.variables,
            (std::map<std::string, std::string>{{"THREADS", "8"}, {"FAST", "true"}}));
  EXPECT_EQ(plain.prepare, (std::vector<Texts>{{"make", "data"}}));
  EXPECT_EQ(plain.cleanup.size(), 2u);
  EXPECT_EQ(plain.standard_input, "input.txt");
  EXPECT_EQ(plain.directory, "code");
  EXPECT_EQ(plain.retry.times, 2);
  EXPECT_EQ(plain.timeout, std::nullopt);

  const auto both = workload_for(study, {"tensorflow", "ncf", "train"});
  EXPECT_EQ(both.command, Texts{"other"});
  EXPECT_TRUE(both.prepare.empty());  // replaced by nothing
  EXPECT_EQ(both.cleanup.size(), 2u);
  EXPECT_EQ(both.variables,
            (std::map<std::string, std::string>{{"THREADS", "8"}, {"FAST", "false"}, {"TF", "1"}}));
  EXPECT_EQ(both.timeout, Seconds{1800});
  EXPECT_EQ(both.retry.times, 1);
  EXPECT_TRUE(both.retry.after_timeout);
  EXPECT_EQ(both.requirements.memory_bytes, 8ull << 30);
}

TEST_F(StudyFile, APresetChangesAnyPart) {
  const auto file = write(full);
  const Study tiny = load_study(file, "tiny");
  EXPECT_EQ(tiny.preset, "tiny");
  EXPECT_EQ(tiny.runs, 2u);
  EXPECT_EQ(tiny.protocol.settle_at_most, Seconds{10});
  EXPECT_EQ(tiny.protocol.idle, Seconds{5});
  EXPECT_EQ(tiny.factors[1].levels, Texts{"gnmt"});
  EXPECT_EQ(tiny.workload.variables.at("TINY"), "yes");
  EXPECT_EQ(tiny.workload.variables.at("THREADS"), "8");

  const Study paper = load_study(file, "paper");
  EXPECT_EQ(paper.requirements.gpus, 1);
  EXPECT_EQ(paper.requirements.gpu_memory_bytes, 8ull << 30);
  EXPECT_EQ(paper.protocol.settle_at_most, std::nullopt);
  EXPECT_EQ(paper.protocol.idle, std::nullopt);
}

TEST_F(StudyFile, ABudgetIsAnEnergyOrATimeOrBoth) {
  const auto budget = [&](const std::string& value) {
    return load_study(
               write("[study]\nruns = 1\nbudget = " + value + "\n[workload]\ncommand = ['true']\n"))
        .protocol;
  };
  EXPECT_EQ(budget("'500kJ'").budget_energy, Joules{500e3});
  EXPECT_EQ(budget("'48h'").budget_time, Seconds{48 * 3600});
  EXPECT_EQ(budget("['2kWh', '30min']").budget_energy, Joules{7.2e6});
  EXPECT_EQ(budget("['2kWh', '30min']").budget_time, Seconds{1800});
}

TEST_F(StudyFile, ControlMayStandInATableOfItsOwn) {
  const Study study = load_study(
      write("[study]\nruns = 1\n[protocol.control]\ngovernor = 'ondemand'\ngpu_clock = 1500\n"
            "[workload]\ncommand = ['true']\n"));
  EXPECT_EQ(study.protocol.control.governor, "ondemand");
  EXPECT_EQ(study.protocol.control.gpu_clock_mhz, 1500);
}

TEST_F(StudyFile, AWarmStartHasItsLoad) {
  const Study study = load_study(
      write("[study]\nruns = 1\n[protocol]\nstart = 'warm'\nwarm_command = ['burn', '{scratch}']\n"
            "repeat_disturbed = true\n[workload]\ncommand = ['true']\n"));
  EXPECT_EQ(study.protocol.start, Start::warm);
  EXPECT_EQ(study.protocol.warm_command, (Texts{"burn", "{scratch}"}));
  EXPECT_TRUE(study.protocol.repeat_disturbed);
}

TEST_F(StudyFile, LevelsAreAnyTextAndNumbersBecomeText) {
  const Study study = load_study(write(R"(
study.runs = 1
[factors]
x = [1, 1.0, 1e-5, 0x10, -3, true, "", "../{y}\t\u00e9 '", inf]
[workload]
command = ["p", "{x}"]
)"));
  EXPECT_EQ(study.factors[0].levels,
            (Texts{"1", "1.0", "1e-05", "16", "-3", "true", "", "../{y}\t\u00e9 '", "inf"}));
}

TEST_F(StudyFile, ExclusionsTakeListsOfLevels) {
  const Study study = load_study(write(R"(
study.runs = 1
factors = { a = [1, 2, 3], b = ["x", "y"] }
workload.command = ["p", "{a}{b}"]
analysis.compare = "b"
[[exclude]]
a = [1, 3]
b = ["x"]
)"));
  EXPECT_EQ(cells_of(study), (std::vector<Cell>{{"1", "y"}, {"2", "x"}, {"2", "y"}, {"3", "y"}}));
  EXPECT_EQ(study.analysis.within, Texts{"a"});
}

TEST_F(StudyFile, TheOnlyVariedFactorIsWhatIsCompared) {
  const Study study = load_study(write(
      "study.runs = 2\nfactors = { a = ['x'], b = [1, 2] }\nworkload.command = ['p', '{a}{b}']\n"));
  EXPECT_EQ(study.analysis.compare, "b");
  EXPECT_EQ(study.analysis.within, Texts{"a"});
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(StudyFile, TheExampleOfTheDocumentationLoads) {
  const auto page =
      text_of(std::filesystem::path(PRENGDL_SOURCE_DIR) / "docs/reference/study-file.md");
  const auto begin = page.find("```toml\n") + 8;
  const auto file = write(page.substr(begin, page.find("```", begin) - begin));
  host.write("common.toml", "[protocol]\nnice = 5\n");
  for (const auto* preset : {"", "tiny", "paper"}) {
    const Study study = load_study(file, preset);
    EXPECT_EQ(study.name, "frameworks");
    EXPECT_EQ(study.protocol.control.nice, 5);
  }
  EXPECT_EQ(cells_of(load_study(file)).size(), 10u);
}

TEST_F(StudyFile, TheStudiesOfTheProjectLoad) {
  const auto cells = [](const std::string& name, const std::string& preset) {
    const auto directory = std::filesystem::path(PRENGDL_SOURCE_DIR) / "studies";
    return cells_of(load_study(directory / name, preset)).size();
  };
  EXPECT_EQ(cells("quick.toml", ""), 6u);
  EXPECT_EQ(cells("quick.toml", "careful"), 6u);
  for (const auto* preset : {"tiny", "laptop", "paper"}) {
    EXPECT_EQ(cells("icse22.toml", preset), 24u);
    EXPECT_GE(cells("runtimes24.toml", preset), 40u);
  }
  EXPECT_EQ(cells("itu23.toml", "paper"), 72u);
  EXPECT_EQ(cells("itu23.toml", "tiny"), 72u);
  EXPECT_EQ(cells("itu23.toml", "half"), 16u);
}

}  // namespace
}  // namespace prengdl
