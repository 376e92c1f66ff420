// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/this_process.h"
#include "print/status_parts.h"
#include "print/study.h"

namespace prengdl {
namespace {

StoredRun run_on(const std::string& machine, std::size_t place, Outcome outcome = Outcome::ok) {
  StoredRun run;
  run.id = "r" + std::to_string(place);
  run.cell = {place % 2 == 0 ? "left" : "right"};
  run.block = place / 2;
  run.place = place;
  run.machine = machine;
  run.outcome = outcome;
  return run;
}

MachineRecord machine(const std::string& name) {
  MachineRecord record;
  record.fingerprint = "print-of-" + name;
  record.facts.system.hostname = name;
  return record;
}

/// Four runs on two nodes, one of which failed.
Status two_nodes() {
  Status status;
  status.study.name = "small";
  status.study.factors = {{"side", {"left", "right"}}};
  status.study.planned_runs = 8;
  status.study.blocks = 4;
  status.machines = {machine("n2"), machine("n10")};
  status.runs = {run_on("print-of-n2", 0), run_on("print-of-n2", 1), run_on("print-of-n10", 2),
                 run_on("print-of-n10", 3, Outcome::failed)};
  return status;
}

ShownCluster two_jobs() {
  ShownCluster cluster;
  cluster.at = "2026-03-01T10:00:00Z";
  cluster.host = "login1";
  cluster.pid = 4711;
  cluster.jobs = {{"12", "waiting", "Resources", "", {4}, 0, 2},
                  {"11", "running", "", "n2", {0, 1, 2, 6}, 3, 8}};
  cluster.waiting = {{"Resources", 1}};
  cluster.running = 1;
  return cluster;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(StatusNodes, ListsTheRunsOfEachMachineWithFailuresFirst) {
  const std::string text = status_text(two_nodes(), {});
  EXPECT_TRUE(has(text, "n10      2       1           33 %")) << text;
  EXPECT_TRUE(has(text, "n2       2                   67 %")) << text;
  EXPECT_LT(text.find("n10      2"), text.find("n2       2"));
}

TEST(StatusNodes, OneMachineWithoutJobsHasNone) {
  Status status = two_nodes();
  for (auto& run : status.runs) run.machine = "print-of-n2";
  EXPECT_FALSE(nodes_part(status));
  status.cluster = two_jobs();
  EXPECT_TRUE(nodes_part(status));
}

TEST(StatusNodes, ManyAreCounted) {
  Status status = two_nodes();
  status.runs.clear();
  status.machines.clear();
  for (std::size_t i = 0; i < 1000; ++i) {
    status.machines.push_back(machine("n" + std::to_string(i)));
    status.runs.push_back(run_on("print-of-n" + std::to_string(i), i));
  }
  const std::string text = status_text(status, {});
  EXPECT_TRUE(has(text, "on 1000 machines")) << text;
  EXPECT_TRUE(has(text, "and 980 more")) << text;
  EXPECT_FALSE(has(text, "n20 "));
}

TEST(StatusJobs, ShowsThoseThatRunFirstAndWhyOthersWait) {
  Status status = two_nodes();
  status.cluster = two_jobs();
  const std::string text = status_text(status, {});
  EXPECT_TRUE(has(text, "1 job running, 1 waiting (Resources)")) << text;
  EXPECT_TRUE(has(text, "11   running  n2    1-3, 7  3 of 8")) << text;
  EXPECT_TRUE(has(text, "12   waiting        5       0 of 2  Resources")) << text;
  EXPECT_LT(text.find("11   running"), text.find("12   waiting"));
  EXPECT_TRUE(has(text, "as of 2026-03-01T10:00:00Z, recorded by process 4711 on login1")) << text;
}

TEST(StatusJobs, SaysSinceWhenNobodyFollowsThem) {
  Status status = two_nodes();
  status.cluster = two_jobs();
  status.cluster->host = host_name();
  status.cluster->pid = getpid();
  EXPECT_FALSE(has(status_text(status, {}), "nobody"));
  EXPECT_EQ(cluster_json(*status.cluster)["controller_has_ended"], false);
  status.cluster->pid = 0;  // no process has this number
  const std::string text = status_text(status, {});
  EXPECT_TRUE(has(text, "nobody has followed these jobs since 2026-03-01T10:00:00Z")) << text;
  EXPECT_TRUE(has(text, "run the same command again to continue")) << text;
  EXPECT_EQ(cluster_json(*status.cluster)["controller_has_ended"], true);
}

TEST(StatusJobs, ManyAreCounted) {
  Status status = two_nodes();
  status.cluster = two_jobs();
  status.cluster->jobs.resize(1000, status.cluster->jobs.front());
  EXPECT_TRUE(has(status_text(status, {}), "and 980 more"));
  EXPECT_EQ(cluster_json(*status.cluster)["jobs"].size(), 1000u);
}

TEST(StatusJobs, AStudyWhoseJobsHaveEndedHasNone) {
  Status status = two_nodes();
  status.cluster = two_jobs();
  status.cluster->jobs.clear();
  EXPECT_FALSE(jobs_part(status, true));
}

TEST(StatusJobs, BlocksAreRangesFromOne) {
  EXPECT_EQ(shown_blocks({}), "");
  EXPECT_EQ(shown_blocks({0}), "1");
  EXPECT_EQ(shown_blocks({0, 1}), "1-2");
  EXPECT_EQ(shown_blocks({4, 2, 3, 9}), "5, 3-4, 10");
}

TEST(StatusPhase, AStudyThatRunsElsewhereEndsWithItsLastRun) {
  Status status = two_nodes();
  EXPECT_EQ(phase_of(status), StudyPhase::unknown);
  status.live = Json{{"host", "another"}, {"pid", 5}, {"doing", "running"}, {"seconds_left", 90}};
  EXPECT_EQ(phase_of(status), StudyPhase::running);
  EXPECT_TRUE(has(status_text(status, {}), "running, about 1 min 30 s left"))
      << status_text(status, {});
  status.study.planned_runs = 3;
  EXPECT_EQ(phase_of(status), StudyPhase::ended);
  status.live = Json{{"host", host_name()}, {"pid", getpid()}};
  EXPECT_EQ(phase_of(status), StudyPhase::running);  // it may still repeat disturbed runs
  status.live = Json{{"host", host_name()}, {"pid", 0}};
  EXPECT_EQ(phase_of(status), StudyPhase::ended);
  EXPECT_TRUE(has(status_text(status, {}), "the run was killed"));
}

}  // namespace
}  // namespace prengdl
