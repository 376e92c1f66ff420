// SPDX-License-Identifier: Apache-2.0
//
// hyperfine, CodeCarbon, EnergiBridge.
#include <gtest/gtest.h>

#include "fake_host.h"
#include "import/fixtures.h"
#include "import/hyperfine.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

std::string refused(const std::string& json) {
  return refusal([&] { parse_hyperfine({"h.json", json}); });
}

TEST(Hyperfine, EachTimeIsARun) {
  FakeHost host;
  host.write("h.json", R"({"results": [
    {"command": "a", "mean": 1.5, "user": 0.5, "times": [1.0, 2.0], "exit_codes": [0, 3],
     "memory_usage_byte": [4096, 8192]},
    {"command": "b", "times": [0.5], "exit_codes": [null]}]})");
  const auto imported = import_hyperfine({host.root() / "h.json"}, {});
  EXPECT_EQ(imported.factors, std::vector<std::string>{"command"});
  ASSERT_EQ(imported.runs.size(), 3u);
  EXPECT_DOUBLE_EQ(imported.runs[1].stored.run.wall.count(), 2);
  EXPECT_EQ(imported.runs[1].stored.run.exit_code, 3);
  EXPECT_EQ(imported.runs[1].stored.outcome, Outcome::failed);
  EXPECT_EQ(imported.runs[1].stored.run.max_rss_bytes, 8192u);
  EXPECT_FALSE(imported.runs[2].stored.run.exit_code);
  EXPECT_FALSE(imported.runs[0].stored.run.energy.metered);
  EXPECT_EQ(imported.runs[0].stored.run.user, Seconds{0}) << "a mean over runs is of no run";
}

TEST(Hyperfine, ParametersAreFactorsWhereTheyTellAll) {
  FakeHost host;
  host.write("h.json", R"({"results": [
    {"command": "sleep 1", "times": [1.0], "parameters": {"n": "1", "mode": "x"}},
    {"command": "sleep 2", "times": [2.0], "parameters": {"n": "2", "mode": "x"}}]})");
  auto imported = import_hyperfine({host.root() / "h.json"}, {});
  EXPECT_EQ(imported.factors, (std::vector<std::string>{"mode", "n"}));
  EXPECT_EQ(imported.runs[1].levels.at("n"), "2");
  host.write("h.json", R"({"results": [
    {"command": "a 1", "times": [1.0], "parameters": {"n": "1"}},
    {"command": "b 1", "times": [2.0], "parameters": {"n": "1"}}]})");
  imported = import_hyperfine({host.root() / "h.json"}, {});
  EXPECT_EQ(imported.factors, std::vector<std::string>{"command"});
}

TEST(Hyperfine, ErrorsSayWhere) {
  EXPECT_NE(refused("{\n  \"results\": [1,,2]}").find("h.json:2:17: this is no JSON"),
            std::string::npos)
      << refused("{\n  \"results\": [1,,2]}");
  EXPECT_NE(refused("[]").find("h.json: / is no object"), std::string::npos);
  EXPECT_NE(refused("{}").find("has no results"), std::string::npos);
  EXPECT_NE(refused(R"({"results": [{"command": "a"}]})").find("/results/0 has no times"),
            std::string::npos);
  EXPECT_NE(refused(R"({"results": [{"command": "a", "times": [1, -2]}]})")
                .find("/results/0/times/1 is no number of seconds"),
            std::string::npos);
  EXPECT_NE(refused(R"({"results": [{"command": "a", "times": [1], "exit_codes": [1, 2]}]})")
                .find("/results/0/exit_codes has another length"),
            std::string::npos);
  EXPECT_NE(refused(std::string(100, '[')).find("h.json"), std::string::npos);
  EXPECT_NE(refused(std::string(100, '[') + std::string(100, ']')).find("too deeply"),
            std::string::npos);
}

const std::string emissions_names =
    "timestamp,project_name,run_id,duration,emissions,cpu_power,cpu_energy,gpu_energy,ram_energy,"
    "energy_consumed,os,codecarbon_version,cpu_model,gpu_count,gpu_model,pue\n";

TEST(CodeCarbon, JoulesAreModelledUnlessTheGpuTellsThem) {
  FakeHost host;
  host.write("emissions.csv",
             emissions_names +
                 "2024-07-19T15:57:43,small,id-1,100.5,1e-4,42.5,0.001,0.002,0.0005,0.0035,Linux,"
                 "2.3.5,Some CPU,1,1 x NVIDIA A100,1.0\n"
                 "2024-07-19T16:57:43,small,id-2,90,1e-4,42.5,0.001,0,0.0005,0.0015,Linux,2.3.5,"
                 "Some CPU,,,1.5");
  const auto imported = import_codecarbon({host.root() / "emissions.csv"}, {});
  ASSERT_EQ(imported.runs.size(), 2u);
  const auto& run = imported.runs[0].stored.run;
  EXPECT_DOUBLE_EQ(run.wall.count(), 100.5);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "package"), 3600);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "gpu"), 7200);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "dram"), 1800);
  EXPECT_EQ(run.energy.domains.at("package").quality, Quality::model);
  EXPECT_EQ(run.energy.domains.at("gpu").quality, Quality::sensor);
  EXPECT_EQ(run.energy.metered->quality, Quality::model);
  EXPECT_EQ(run.started_at, "2024-07-19T15:56:02.500") << "the time stamp is of the end";
  const auto& other = imported.runs[1].stored.run;
  EXPECT_FALSE(other.energy.domains.contains("gpu")) << "0 without a GPU is no figure";
  ASSERT_EQ(other.warnings.size(), 1u);
  EXPECT_NE(other.warnings[0].find("PUE"), std::string::npos);
  ASSERT_EQ(imported.machines.size(), 2u) << "with and without a GPU";
  EXPECT_EQ(imported.machines[0].facts.cpu.model_name, "Some CPU");
}

TEST(CodeCarbon, OfARunThatWasFlushedTheLastRowCounts) {
  FakeHost host;
  host.write("emissions.csv", emissions_names +
                                  "t,p,id-1,10,0,1,0.001,0,0.0005,0,Linux,2,CPU,,,1\n"
                                  "t,p,id-1,20,0,1,0.002,0,0.0005,0,Linux,2,CPU,,,1");
  const auto imported = import_codecarbon({host.root() / "emissions.csv"}, {});
  ASSERT_EQ(imported.runs.size(), 1u);
  EXPECT_DOUBLE_EQ(imported.runs[0].stored.run.wall.count(), 20);
  ASSERT_EQ(imported.left_out.size(), 1u);
}

TEST(CodeCarbon, AnotherTableIsRefused) {
  FakeHost host;
  host.write("emissions.csv", "a,b\n1,2");
  EXPECT_NE(refusal([&] {
              import_codecarbon({host.root() / "emissions.csv"}, {});
            }).find("emissions.csv:1:1: there is no column duration"),
            std::string::npos);
}

TEST(EnergiBridge, CountersAndGaugesBecomeEnergy) {
  FakeHost host;
  host.write("python_1.csv",
             "Delta,Time,CPU_USAGE_0,DRAM_ENERGY (J),GPU0_POWER (mWatts),PACKAGE_ENERGY (J),PP0_"
             "ENERGY (J),PP1_ENERGY (J)\n"
             "0,1700000000000,50,5.0,100000,1000.0,10.0,0\n"
             "1000,1700000001000,100,6.0,100000,1050.0,20.0,0\n"
             "1000,1700000002000,0,7.5,200000,1100.0,30.0,0");
  const auto imported = import_energibridge({host.root()}, {});
  ASSERT_EQ(imported.runs.size(), 1u);
  const auto& run = imported.runs[0].stored.run;
  EXPECT_DOUBLE_EQ(run.wall.count(), 2);
  EXPECT_NEAR(joules_in(run.energy, "package"), 100, 1e-9);
  EXPECT_NEAR(joules_in(run.energy, "dram"), 2.5, 1e-9);
  EXPECT_NEAR(joules_in(run.energy, "gpu"), 250, 1e-9);
  EXPECT_NEAR(joules_in(run.energy, "cores"), 20, 1e-9);
  EXPECT_FALSE(run.energy.domains.contains("igpu")) << "it stands still";
  EXPECT_NEAR(run.energy.metered->value.value, 352.5, 1e-9);
  EXPECT_EQ(imported.runs[0].levels.at("series"), "python");
}

TEST(EnergiBridge, ALineThatWasCutOffIsLeftOut) {
  FakeHost host;
  std::ofstream(host.root() / "a.csv")
      << "Delta,Time,DRAM_ENERGY (J)\n0,1700000000000,5.0\n1000,1700000001000,6.0\n10";
  const auto imported = import_energibridge({host.root()}, {});
  ASSERT_EQ(imported.runs.size(), 1u);
  EXPECT_NEAR(joules_in(imported.runs[0].stored.run.energy, "dram"), 1, 1e-9);
  EXPECT_EQ(imported.runs[0].stored.run.warnings.size(), 1u);
}

TEST(EnergiBridge, ACounterThatBeganAnewHasNoFigure) {
  FakeHost host;
  host.write("a.csv",
             "Delta,Time,PACKAGE_ENERGY (J)\n0,1700000000000,65000\n1,1700000001000,65500\n"
             "1,1700000002000,100\n");
  const auto imported = import_energibridge({host.root()}, {});
  const auto& run = imported.runs[0].stored.run;
  EXPECT_FALSE(run.energy.metered);
  EXPECT_FALSE(run.warnings.empty());
}

}  // namespace
}  // namespace prengdl
