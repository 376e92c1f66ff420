// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_checks.h"

#include <gtest/gtest.h>

#include "cluster/leftovers.h"
#include "fake_host.h"

namespace prengdl {
namespace {

constexpr const char* sinfo =
    "main*|up|infinite|2|idle|64|(null)|NO\n"
    "main*|up|infinite|1|down*|64|(null)|NO\n"
    "gpu|up|1-00:00:00|4|allocated|64|gpu:4|NO\n"
    "old|down|infinite|9|idle|8|(null)|NO\n"
    "shared|up|infinite|3|mixed|8|(null)|FORCE:4\n";

const Check* find(const std::vector<Check>& checks, const std::string& begin) {
  for (const auto& check : checks)
    if (check.finding.starts_with(begin)) return &check;
  return nullptr;
}

TEST(ClusterChecks, ListPartitionsWithTheirNodesAndLimits) {
  const auto checks = checks_of_partitions(sinfo, "");
  ASSERT_EQ(checks.size(), 4u);
  EXPECT_EQ(find(checks, "main")->finding,
            "main (default): 3 nodes, 2 usable, time limit infinite");
  EXPECT_EQ(find(checks, "gpu")->finding, "gpu: 4 nodes, 4 usable, time limit 1-00:00:00, gpu:4");
  EXPECT_EQ(find(checks, "old")->severity, Severity::note);
  EXPECT_EQ(find(checks, "shared")->severity, Severity::warning);
}

TEST(ClusterChecks, ThePartitionThatTheStudyNamesMustBeUsable) {
  EXPECT_EQ(checks_of_partitions(sinfo, "gpu").size(), 1u);
  EXPECT_EQ(checks_of_partitions(sinfo, "old")[0].severity, Severity::fail);
  EXPECT_EQ(checks_of_partitions(sinfo, "nowhere")[0].finding, "there is no partition nowhere");
}

TEST(ClusterChecks, SayWhetherSlurmAccountsForEnergy) {
  const auto without =
      checks_of_configuration("AcctGatherEnergyType    = acct_gather_energy/none\n");
  EXPECT_EQ(without[0].finding, "Slurm does not account for energy");
  const auto with = checks_of_configuration(
      "AcctGatherEnergyType    = acct_gather_energy/rapl\nMaxArraySize            = 101\n"
      "ProctrackType           = proctrack/linuxproc\n");
  EXPECT_TRUE(find(with, "Slurm accounts for energy by acct_gather_energy/rapl"));
  EXPECT_TRUE(find(with, "an array has at most 100 jobs"));
  EXPECT_TRUE(find(with, "Slurm tracks processes by proctrack/linuxproc"));
}

TEST(ClusterChecks, TakeOverWhatANodeSays) {
  const auto checks = checks_of_json(
      R"({"checks": [{"check": "load", "severity": "warning", "finding": "busy", "remedy": "wait"}]})",
      "n3");
  ASSERT_TRUE(checks);
  EXPECT_EQ((*checks)[0].finding, "n3: busy");
  EXPECT_EQ((*checks)[0].severity, Severity::warning);
  EXPECT_FALSE(checks_of_json("prengdl: command not found", "n3"));
}

TEST(Leftovers, AreProcessesOfOtherJobsOnThisNode) {
  FakeHost host;
  const auto process = [&](const char* pid, const std::string& node, const std::string& job,
                           const std::string& task) {
    std::string text = "HOME=/h";
    for (const auto& word : {"SLURMD_NODENAME=" + node, "SLURM_JOB_ID=" + job,
                             std::string("SLURM_ARRAY_TASK_ID=4"), "PRENGDL_TASK=" + task})
      text += '\0' + word;
    host.write(std::string("proc/") + pid + "/environ", text);
  };
  process("100", "n1", "7", "/r/cluster/0001.json");
  process("101", "n2", "7", "/r/cluster/0001.json");
  process("102", "n1", "8", "/r/cluster/0002.json");
  host.write("proc/103/environ", "SLURMD_NODENAME=n1");
  const auto found = other_tasks(host.root(), "n1", "8", "");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].pid, 100);
  EXPECT_EQ(found[0].job, "7");
  EXPECT_EQ(found[0].index, "4");
  EXPECT_EQ(found[0].array_file, "/r/cluster/0001.json");
}

}  // namespace
}  // namespace prengdl
