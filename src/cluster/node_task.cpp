// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_task.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "base/parse.h"
#include "base/temporary.h"
#include "campaign/aa_runs.h"
#include "cluster/batch_script.h"
#include "cluster/leftovers.h"
#include "cluster/spool_keeper.h"
#include "cluster/witness.h"
#include "store/aa_file.h"
#include "store/profiles.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Between the last run and the time limit: its record must be written, and so must the end.
constexpr Seconds spare_time{30};

sigset_t warning_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return set;
}

/// Whether Slurm has warned that the job will end; see --signal in batch_script.
bool is_warned() {
  const sigset_t set = warning_signal();
  const timespec at_once{};
  return sigtimedwait(&set, nullptr, &at_once) == SIGUSR1;
}

std::string needed(const Variables& variables, const char* name) {
  const auto value = variables(name);
  if (!value || value->empty())
    throw UsageError(fmt::format("--task is for jobs of Slurm, and {} is not set", name),
                     "Use `prengdl run STUDY --on slurm`, which submits the jobs.");
  return *value;
}

std::size_t index_of(const Variables& variables, const JobArray& array) {
  const std::string text = needed(variables, "SLURM_ARRAY_TASK_ID");
  const auto index = parse_integer(text);
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= array.tasks.size())
    throw UsageError(fmt::format("the array {} has no task {}", array.name, text));
  return static_cast<std::size_t>(*index);
}

}  // namespace

NodeTask::NodeTask(const fs::path& array_file, const Variables& variables, Clock& clock)
    : directory_(fs::absolute(array_file).parent_path().parent_path()),
      array_(directory_.array(fs::absolute(array_file))),
      id_{array_.number, index_of(variables, array_)},
      node_(needed(variables, "SLURMD_NODENAME")),
      job_(needed(variables, "SLURM_JOB_ID")),
      configuration_(variables("SLURM_CONF").value_or("")),
      clock_(clock),
      begin_ns_(clock.now_ns()) {
  const sigset_t set = warning_signal();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

fs::path NodeTask::scratch() const {
  return temporary_directory() / fmt::format("prengdl-{}-{}-{}", getuid(), array_.name, id_.index);
}

/// What killed jobs of this study have left on the node's disk.
void NodeTask::remove_old_scratch(const ClusterControl& control) const {
  const std::string study =
      fmt::format("prengdl-{}-{}-", getuid(), array_.name.substr(0, array_.name.rfind('-')));
  for (const auto& name : list_directory(temporary_directory())) {
    if (!name.starts_with(study)) continue;
    const auto task = task_of(name.substr(study.size()));
    std::error_code ignored;
    if (task && control.closed.contains(*task))
      fs::remove_all(temporary_directory() / name, ignored);
  }
}

std::optional<std::string> NodeTask::claim() const {
  if (directory_.claim(id_)) return std::nullopt;
  const auto other = directory_.node(id_);
  return fmt::format("task {} was begun before{}: it is not repeated here", text_of(id_),
                     other ? fmt::format(" by job {} on {}", other->job, other->node) : "");
}

std::optional<TaskEnd> NodeTask::begin() const {
  const ClusterControl control = directory_.control();
  if (control.stops || control.closed.contains(id_) || directory_.is_cancelled())
    return TaskEnd{TaskEnd::Why::left_off, "the study needs no more of this job", {}, {}};
  // What a lost job has left running here would be measured with us.
  std::vector<OtherTask> left, others;
  for (auto& other : other_tasks("/", node_, job_, configuration_)) {
    const auto task = task_of(other.array_file.stem().string() + "-" + other.index);
    const bool is_ours = other.array_file.parent_path() == directory_.path() && task &&
                         (control.closed.contains(*task) || directory_.end(*task));
    (is_ours ? left : others).push_back(std::move(other));
  }
  end_processes(left);
  remove_old_scratch(control);
  if (others.empty()) return std::nullopt;
  return TaskEnd{TaskEnd::Why::failed,
                 fmt::format("node {} also runs job {} (process {}): it is not ours alone", node_,
                             others.front().job, others.front().pid),
                 {},
                 {}};
}

void NodeTask::report(const MachineRecord& machine) const {
  directory_.write_node(id_, {node_, job_, utc_now(), machine});
}

/// Asked before each run. A case that has begun is finished if there is time for it.
bool NodeTask::leaves_off(const RunRequest& request, const Design& design) {
  const std::int64_t now = clock_.now_ns();
  const auto cell_index = [&](const Cell& cell) {
    return static_cast<std::size_t>(std::find(design.cells().begin(), design.cells().end(), cell) -
                                    design.cells().begin());
  };
  const auto case_of = [&](const Cell& cell) -> const std::vector<std::size_t>& {
    const auto index = cell_index(cell);
    return *std::find_if(design.cases().begin(), design.cases().end(), [&](const auto& one) {
      return std::find(one.begin(), one.end(), index) != one.end();
    });
  };
  if (last_) {
    Seconds& longest = took_[cell_index(last_->cell)];
    longest = std::max(longest, seconds_between(run_begin_ns_, now));
  }
  const auto& cells = case_of(request.cell);
  const bool is_first = !last_ || last_->block != request.block || &case_of(last_->cell) != &cells;
  last_ = request;
  run_begin_ns_ = now;

  if (is_warned()) left_off_ = "the job is about to end: time limit or preemption";
  const ClusterControl control = directory_.control();
  if (control.stops || control.closed.contains(id_) || directory_.is_cancelled())
    left_off_ = "the study needs no more of this job";
  if (is_first && array_.time) {
    Seconds need{};
    for (const auto cell : cells) need += took_.contains(cell) ? took_[cell] : Seconds{};
    const Seconds left = *array_.time - spare_time - seconds_between(begin_ns_, now);
    if (need > left && !took_.empty()) left_off_ = "the time limit is near";
  }
  return !left_off_.empty();
}

/// Once for each node of a study that asks for it.
void NodeTask::make_aa(const NodeWork& work, RunKeeper& keeper) {
  const fs::path all = directory_.path() / "aa";
  if (work.study.protocol.aa == 0 || read_aa(all, work.local.machine)) return;
  try {
    const Study labels = aa_study(work.study, work.design.cells().front());
    const auto record =
        measure_study_aa(labels, work.local, work.progress, work.meters, clock_, keeper);
    if (record) write_aa(all, *record);
  } catch (const Error& error) {
    keeper.note(StudyEventKind::aa, std::string("not made: ") + error.what());
  }
}

TaskEnd NodeTask::make(NodeWork work) {
  SpoolKeeper keeper(directory_.task(id_), node_);
  TaskEnd end;
  const auto is_refused = [&](const Cell& cell) {
    return std::any_of(work.refused.begin(), work.refused.end(),
                       [&](const RefusedCell& one) { return one.cell == cell; });
  };
  CampaignPlan plan{{}, work.design.cells(), work.design.cases()};
  CampaignSettings settings;
  for (const auto& block : task().blocks)
    for (const auto& run : work.design.runs_of(block.block)) {
      const auto place = block.places.find(run.place);
      if (place == block.places.end() || is_refused(plan.cells[run.cell])) continue;
      plan.runs.push_back(run);
      if (!place->second.empty()) settings.before.places.insert(*place);
    }
  for (const auto& one : work.refused) end.refused.emplace_back(one.cell, one.why);
  settings.progress = work.progress;
  settings.is_closed = [&](const Cell& cell) { return directory_.control().cells.contains(cell); };
  if (task().makes_profiles)
    settings.profile = [&](const Cell& cell) { return profile_of(result(), cell); };
  make_aa(work, keeper);
  work.local.leaves_off = [&](const RunRequest& request) {
    return leaves_off(request, work.design);
  };
  if (work.study.slurm.energy)
    work.local.beside = [&](const RunRequest& request) -> std::shared_ptr<void> {
      work.local.cells.spare.clear();
      if (request.kind != RunRequest::Kind::counted) return nullptr;
      auto step = std::make_shared<WitnessStep>(request.id);
      if (step->process() > 0) work.local.cells.spare = {step->process()};
      return step;
    };
  LocalExecutor executor(work.study, work.local, work.meters, clock_, keeper);
  const StudyEnd study_end = run_campaign(work.study, plan, settings, executor, clock_, keeper);
  if (study_end.why == StudyEnd::Why::interrupted)
    end.why = left_off_.empty() ? TaskEnd::Why::interrupted : TaskEnd::Why::left_off;
  end.detail = left_off_.empty() ? study_end.detail : left_off_;
  end.notes = keeper.notes();
  std::error_code ignored;
  fs::remove_all(scratch(), ignored);
  return end;
}

}  // namespace prengdl
