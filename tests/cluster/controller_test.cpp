// SPDX-License-Identifier: Apache-2.0
//
// The controller with a cluster that starts no process and a clock that does not run. Whole studies
// on a real Slurm are in tests/cluster/test_study.py.
#include "cluster/controller.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "cluster/cluster_directory.h"
#include "cluster/inbox.h"
#include "cluster/paced_scheduler.h"
#include "fake_host.h"
#include "model/counted_runs.h"
#include "store/record.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// A cluster of any number of nodes. Each task takes ten seconds and makes all its runs in the end,
/// unless `fate` says something else.
class FakeCluster final : public Scheduler, public Clock {
 public:
  enum class Fate { made, half_then_gone, gone, silent, requeued };

  explicit FakeCluster(fs::path result) : directory_(result), result_(std::move(result)) {}

  std::function<Fate(const TaskId&)> fate = [](const TaskId&) { return Fate::made; };
  std::function<std::optional<SchedulerTrouble>()> trouble = [] { return std::nullopt; };
  std::function<void(double seconds)> passing = [](double) {};
  std::vector<double> calls;           // when the scheduler was asked
  std::vector<std::string> cancelled;  // ids
  std::size_t submissions = 0;
  std::string node_time = utc_now();  // by the clocks of the nodes

  std::int64_t now_ns() override { return now_; }
  void sleep_until(std::int64_t at_ns) override {
    now_ = std::max(now_, at_ns);
    passing(seconds());
    for (auto& task : tasks_) step(task);
  }
  double seconds() const { return static_cast<double>(now_) * 1e-9; }

  Answer<std::string> submit(const fs::path& script) override {
    calls.push_back(seconds());
    if (const auto why = trouble()) return tl::unexpected(*why);
    ++submissions;
    const JobArray array = directory_.array(fs::path(script).replace_extension(".json"));
    for (std::size_t i = 0; i < array.tasks.size(); ++i)
      tasks_.push_back({{array.number, i}, array.name, array.tasks[i], seconds(), "RUNNING"});
    return std::to_string(100 + array.number);
  }

  Answer<std::vector<ListedJob>> list(const std::vector<std::string>&) override {
    calls.push_back(seconds());
    if (const auto why = trouble()) return tl::unexpected(*why);
    std::vector<ListedJob> jobs;
    for (const auto& task : tasks_)
      if (!task.state.empty())
        jobs.push_back({"10_" + std::to_string(task.id.index), task.name, task.id.index, task.state,
                        "None", "n" + std::to_string(task.id.index), "then"});
    return jobs;
  }

  Answer<void> cancel(const std::vector<std::string>& ids) override {
    calls.push_back(seconds());
    cancelled.insert(cancelled.end(), ids.begin(), ids.end());
    for (auto& task : tasks_)
      if (task.state == "PENDING") task.state = "CANCELLED";
    return {};
  }

  Answer<std::map<std::string, Joules>> energy(const std::vector<std::string>&) override {
    calls.push_back(seconds());
    std::map<std::string, Joules> all;
    for (const auto& run : made) all[run] = Joules{12};
    return all;
  }

  /// A run at a place, as the node of a task writes it.
  void write_run(const TaskId& id, std::size_t place, std::size_t attempt = 0,
                 std::optional<std::string> repeats = std::nullopt) {
    StoredRun run;
    run.id = "r" + std::to_string(place) + "-" + text_of(id);
    run.place = place;
    run.block = place / 2;
    run.attempt = attempt;
    run.repeats = std::move(repeats);
    run.cell = {place % 2 == 0 ? "left" : "right"};
    run.machine = "machine of n" + std::to_string(id.index);
    run.run.wall = run.run.window = Seconds{1};
    run.run.exit_code = 0;
    RunRecordWriter writer(directory_.task(id), run.id);
    writer.finish(run);
    made.push_back(run.id);
  }

  std::vector<std::string> made;

 private:
  struct Task {
    TaskId id;
    std::string name;
    ClusterTask task;
    double begin = 0;
    std::string state;
    bool has_begun = false;
    bool is_over = false;
  };

  void step(Task& task) {
    if (task.is_over) return;
    if (!task.has_begun) {
      task.has_begun = true;
      directory_.claim(task.id);
      MachineRecord machine;
      machine.fingerprint = "machine of n" + std::to_string(task.id.index);
      directory_.write_node(task.id,
                            {"n" + std::to_string(task.id.index), "1", node_time, machine});
    }
    if (seconds() < task.begin + 10) return;
    task.is_over = true;
    const Fate now = fate(task.id);
    if (now == Fate::requeued) task.state = "PENDING";
    if (now == Fate::gone) task.state = "";
    if (now != Fate::made && now != Fate::half_then_gone) return;
    bool is_first = true;
    for (const auto& block : task.task.blocks)
      for (const auto& [place, tries] : block.places) {
        if (now == Fate::half_then_gone && !is_first) break;
        is_first = false;
        write_run(task.id, place, tries.size(),
                  tries.empty() ? std::nullopt : std::optional(tries.back().run));
      }
    task.state = now == Fate::made ? "COMPLETED" : "NODE_FAIL";
    if (now == Fate::made) directory_.write_end(task.id, {});
  }

  ClusterDirectory directory_;
  fs::path result_;
  std::vector<Task> tasks_;
  std::int64_t now_ = 1'000'000'000;
};

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() : cluster(result()) {
    study.name = "s";
    study.runs = 3;
    study.factors = {{"side", {"left", "right"}}};
    study.workload.command = {"true"};
    study.protocol.order = Order::as_written;
    study.protocol.warmup = 0;
    study.analysis.compare = "side";
    study.directory = host.root().string();
    fs::create_directories(host.root());
  }

  fs::path result() const { return host.root() / "s.result"; }

  StudyOutcome run() {
    const Design design(study);
    const AskedCells asked(study, design, CellPattern{});
    const StudyEnvironments environments(study, asked.cells(), {}, "");
    const MachineRecord none;
    const std::vector<RefusedCell> refused;
    StudyStart start{study, design, asked, refused, environments, none};
    start.text =
        "[study]\nruns = 3\n[factors]\nside = ['left', 'right']\n"
        "[workload]\ncommand = ['true']\n";
    start.cells.result = result();
    return control_cluster({start, study.slurm, {"prengdl", "run"}}, cluster, cluster);
  }

  std::vector<std::string> counted() const {
    const auto runs = ResultStore::open(result(), Access::read_only).runs();
    std::vector<std::string> ids;
    for (const auto* one : counted_runs(runs, true)) ids.push_back(one->id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  std::size_t events(StudyEventKind kind) const {
    std::size_t count = 0;
    for (const auto& event : ResultStore::open(result(), Access::read_only).events())
      count += event.kind == kind;
    return count;
  }

  FakeHost host;
  FakeCluster cluster;
  Study study;
};

using Ids = std::vector<std::string>;
using Fate = FakeCluster::Fate;

TEST_F(ControllerTest, SubmitsAllBlocksAtOnceAndTakesWhatTheyMake) {
  const auto outcome = run();
  EXPECT_EQ(outcome.end.why, StudyEnd::Why::complete);
  EXPECT_EQ(outcome.end.done, 6u);
  EXPECT_EQ(cluster.submissions, 1u);
  EXPECT_EQ(counted(),
            (Ids{"r0-0001-0", "r1-0001-0", "r2-0001-1", "r3-0001-1", "r4-0001-2", "r5-0001-2"}));
  EXPECT_TRUE(fs::is_empty(result() / "cluster/tasks"));
}

TEST_F(ControllerTest, NeverAsksTheSchedulerTwiceWithinFiveSeconds) {
  std::size_t lost = 0;
  cluster.fate = [&](const TaskId&) { return ++lost < 6 ? Fate::gone : Fate::made; };
  run();
  ASSERT_GT(cluster.calls.size(), 4u);
  for (std::size_t i = 1; i < cluster.calls.size(); ++i)
    EXPECT_GE(cluster.calls[i] - cluster.calls[i - 1], between_calls.count() - 1e-6);
}

TEST_F(ControllerTest, ALostJobsCaseIsMadeAgainAsAWhole) {
  cluster.fate = [](const TaskId& id) {
    return id == TaskId{1, 1} ? Fate::half_then_gone : Fate::made;
  };
  run();
  EXPECT_EQ(counted(),
            (Ids{"r0-0001-0", "r1-0001-0", "r2-0002-0", "r3-0002-0", "r4-0001-2", "r5-0001-2"}));
  EXPECT_EQ(events(StudyEventKind::job_lost), 1u);
}

TEST_F(ControllerTest, WhatAnOrphanMakesLaterIsKeptAndNotCounted) {
  cluster.fate = [](const TaskId& id) { return id == TaskId{1, 1} ? Fate::gone : Fate::made; };
  bool is_written = false;
  cluster.passing = [&](double) {
    const ClusterDirectory directory(result());
    if (is_written || !directory.control().closed.contains({1, 1})) return;
    cluster.write_run({1, 1}, 2);
    is_written = true;
  };
  run();
  EXPECT_TRUE(is_written);
  EXPECT_EQ(events(StudyEventKind::late_run), 1u);
  const auto late = ResultStore::open(result(), Access::read_only).run("r2-0001-1");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->excluded, late_reason);
  EXPECT_EQ(counted().size(), 6u);
}

TEST_F(ControllerTest, ARequeuedJobIsCancelledAndItsBlockGivenToAnother) {
  cluster.fate = [](const TaskId& id) { return id == TaskId{1, 0} ? Fate::requeued : Fate::made; };
  run();
  EXPECT_EQ(cluster.cancelled, (Ids{"10_0"}));
  EXPECT_EQ(counted().size(), 6u);
}

TEST_F(ControllerTest, NotesClocksThatDiffer) {
  run();
  EXPECT_EQ(events(StudyEventKind::clock), 0u);
  study.runs = 4;
  cluster.node_time = "2020-01-01T00:00:00Z";
  run();
  EXPECT_EQ(events(StudyEventKind::clock), 1u) << "of the node that made the fourth block";
  EXPECT_EQ(counted().size(), 8u);
}

TEST_F(ControllerTest, WaitsWhileTheSchedulerIsAway) {
  cluster.trouble = [&]() -> std::optional<SchedulerTrouble> {
    if (cluster.seconds() > 30) return std::nullopt;
    return SchedulerTrouble{SchedulerTrouble::Kind::away, "Unable to contact slurm controller"};
  };
  const auto outcome = run();
  EXPECT_EQ(outcome.end.done, 6u);
  EXPECT_EQ(events(StudyEventKind::scheduler_away), 2u) << "gone and back";
}

TEST_F(ControllerTest, SubmitsFewerJobsWhereTheSiteTakesNoMore) {
  std::size_t refusals = 0;
  cluster.trouble = [&]() -> std::optional<SchedulerTrouble> {
    if (++refusals > 1) return std::nullopt;
    return SchedulerTrouble{SchedulerTrouble::Kind::too_many, "QOSMaxSubmitJobPerUserLimit"};
  };
  run();
  EXPECT_EQ(cluster.submissions, 3u) << "one job at a time";
  EXPECT_EQ(counted().size(), 6u);
}

TEST_F(ControllerTest, ARefusalIsAnErrorWithItsWords) {
  cluster.trouble = [] {
    return SchedulerTrouble{SchedulerTrouble::Kind::refused, "invalid partition"};
  };
  try {
    run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "sbatch refuses the jobs: invalid partition");
  }
}

TEST_F(ControllerTest, JobsThatMakeNoRunEndTheStudyAfterThree) {
  cluster.fate = [&](const TaskId& id) {
    ClusterDirectory(result()).write_end(id, {TaskEnd::Why::failed, "no such program", {}, {}});
    return Fate::silent;
  };
  try {
    run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the last one: it failed: no such program"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(ClusterDirectory(result()).control().stops);
}

TEST_F(ControllerTest, JobsThatClaimToBeDoneWithoutARunAreNotRepeatedForEver) {
  cluster.fate = [&](const TaskId& id) {
    ClusterDirectory(result()).write_end(id, {});
    return Fate::silent;
  };
  EXPECT_THROW(run(), Error);
}

TEST_F(ControllerTest, ASecondStartGoesOnWithTheJobsOfTheFirst) {
  // The first controller dies after its submission: its directory is all that is left of it.
  cluster.passing = [&](double seconds) {
    if (seconds > 3) throw std::runtime_error("killed");
  };
  EXPECT_THROW(run(), std::runtime_error);
  cluster.passing = [](double) {};
  const auto outcome = run();
  EXPECT_EQ(outcome.end.done, 6u);
  EXPECT_EQ(cluster.submissions, 1u);
  EXPECT_EQ(counted().size(), 6u);
}

TEST_F(ControllerTest, StopsAtTheBudgetAfterTheRunsThatAreBeingMade) {
  study.protocol.budget_time = Seconds{5};
  const auto outcome = run();
  EXPECT_EQ(outcome.end.why, StudyEnd::Why::budget);
  EXPECT_TRUE(ClusterDirectory(result()).control().stops);
}

TEST_F(ControllerTest, KeepsWhatTheSitesAccountingSaysNextToItsOwnFigure) {
  study.slurm.energy = true;
  run();
  const auto found = ResultStore::open(result(), Access::read_only).site_energy();
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].energy, Joules{12});
}

TEST(Sacct, BlankAndZeroAreNotMeasured) {
  const auto found = energy_of_sacct("b1|560\nb2|\nb3|0\nbatch|12\nx\n");
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found.at("b1"), Joules{560});
}

}  // namespace
}  // namespace prengdl
