// SPDX-License-Identifier: Apache-2.0
#include "cluster/controller.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "base/amounts.h"
#include "base/files.h"
#include "base/process.h"
#include "base/strings.h"
#include "campaign/live_state.h"
#include "campaign/pilot.h"
#include "campaign/policies.h"
#include "campaign/store_keeper.h"
#include "cluster/closing.h"
#include "cluster/cluster_directory.h"
#include "cluster/cluster_state.h"
#include "cluster/due_work.h"
#include "cluster/inbox.h"
#include "cluster/paced_scheduler.h"
#include "cluster/submission.h"
#include "cluster/task_table.h"
#include "store/profiles.h"
#include "study/plan.h"

namespace prengdl {
namespace {

/// What is usual at sites; sbatch refuses more.
constexpr std::size_t largest_array = 1000;
/// So many jobs in a row that make no run of a block are not the cluster's fault.
constexpr std::size_t most_fruitless = 3;
constexpr std::size_t most_losses_on_a_node = 2;
/// Looking into the directories uses at most a 25th of a core.
constexpr Seconds shortest_pause{0.2};
constexpr Seconds longest_pause{10};
constexpr double pause_per_look = 25;
constexpr Seconds longest_exit{60};  // of a job after its task has ended

std::string numbers(const std::vector<std::size_t>& blocks) {
  return (blocks.size() == 1 ? "block " : "blocks ") +
         joined(blocks, ", ", [](std::size_t block) { return std::to_string(block + 1); });
}

/// The loop over jobs. Whatever it knows is in the result or in its cluster directory, so the next
/// start knows it too.
class Controller {
 public:
  Controller(const ClusterStart& cluster, ResultStore& store, Scheduler& scheduler, Clock& clock)
      : cluster_(cluster),
        start_(cluster.start),
        study_(cluster.start.study),
        clock_(clock),
        directory_(start_.cells.result),
        store_(store),
        keeper_(store, study_, start_.design),
        live_(start_.cells.result),
        scheduler_(scheduler, clock, keeper_),
        planned_(start_.asked.runs_of(start_.design)),
        inbox_(directory_, store),
        before_(stored_in_time(store)),
        count_(study_, planned_, before_, clock,
               [this](const StudyProgress& progress) { tell(progress); }),
        budget_(study_.protocol, before_.time, clock.now_ns()),
        given_up_(study_.protocol.give_up_after),
        state_(directory_),
        arrays_(directory_.arrays()),
        submission_(cluster, directory_, arrays_),
        work_(study_, start_.design, start_.asked, start_.due, arrays_, before_.places) {
    count_what_is_left();
    directory_.remove_cancelled();
    control_.closed = directory_.control().closed;
    adopt_tasks();
    directory_.write_control(control_);
  }

  StudyOutcome run() {
    note_start(start_, before_.places.empty(), current_plan(store_.study(), store_.events()),
               keeper_);
    while (!is_over()) {
      const std::clock_t begin = std::clock();
      look();
      if (signal_waits(start_.cells.signals)) {
        end_with(StudyEnd::Why::interrupted, going_on());
        break;
      }
      if (directory_.is_cancelled()) {
        end_with(StudyEnd::Why::interrupted, "its jobs were cancelled");
        break;
      }
      if (const auto used = budget_.used_up(count_.energy(), clock_.now_ns());
          used && !is_stopping_)
        stop(StudyEnd::Why::budget, *used);
      ask_scheduler();
      show_state();
      const Seconds used{static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
      const Seconds pause = std::clamp(pause_per_look * used, shortest_pause, longest_pause);
      clock_.sleep_until(clock_.now_ns() + nanoseconds(pause));
    }
    return finish();
  }

 private:
  /// A case that is made again is due again.
  void count_what_is_left() {
    count_.done = planned_.size() - work_.all_due_places();
    count_.left = work_.due_places();
  }

  // ---- tasks

  /// Jobs of earlier starts that may still run.
  void adopt_tasks() {
    for (const auto& array : arrays_)
      for (std::size_t i = 0; i < array.tasks.size(); ++i) {
        const auto& blocks = array.tasks[i].blocks;
        const bool is_due = std::any_of(blocks.begin(), blocks.end(), [&](const TaskBlock& one) {
          return work_.free.contains(one.block);
        });
        if (is_due && !array.tasks[i].makes_profiles &&
            !control_.closed.contains({array.number, i}))
          add_task(array, i, directory_.job(array.number).value_or(""));
      }
  }

  void add_task(const JobArray& array, std::size_t index, const std::string& job) {
    ActiveTask task;
    task.name = array.name;
    if (!job.empty()) task.job = fmt::format("{}_{}", job, index);
    for (const auto& block : array.tasks[index].blocks) {
      task.planned += block.places.size();
      if (array.tasks[index].makes_profiles) continue;
      task.blocks.push_back(block.block);
      work_.free.erase(block.block);
    }
    table_.tasks.emplace(TaskId{array.number, index}, std::move(task));
    numbers_[array.name] = array.number;
  }

  void add_tasks(const JobArray& array, const std::string& job) {
    for (std::size_t i = 0; i < array.tasks.size(); ++i) add_task(array, i, job);
  }

  ActiveTask remove_task(const TaskId& id) {
    auto node = table_.tasks.extract(id);
    return std::move(node.mapped());
  }

  // ---- what the nodes have made

  void look() {
    Inbox::News news = inbox_.look(table_, control_);
    for (const auto& trouble : news.troubles)
      if (start_.trouble) start_.trouble(trouble);
    for (const auto& note : news.notes) keeper_.note(note.kind, note.detail);
    for (const auto& [id, run] : news.runs) take_run(id, run);
    for (const auto& [id, end] : news.ended) {
      if (table_.tasks.contains(id)) end_task(id, end);
      inbox_.remove(id);
    }
  }

  void take_run(const TaskId& id, const StoredRun& run) {
    count_.add_cost(run);
    if (run.is_warmup) return;
    const auto task = table_.tasks.find(id);
    const std::string node = task == table_.tasks.end() ? "" : task->second.node;
    if (task != table_.tasks.end()) ++task->second.made;
    if (run.outcome != Outcome::ok) ++count_.failures;
    if (given_up_.count(run)) {
      end_.given_up.push_back(name_of(study_, run.cell));
      keeper_.note(StudyEventKind::give_up,
                   fmt::format("{} failed {} times in a row, last: {}", name_of(study_, run.cell),
                               study_.protocol.give_up_after, name_of(run.outcome)));
      close_cell(run.cell);
    }
    if (!work_.take(run)) return;
    count_.one_done();
    count_what_is_left();
    count_.tell_end(run.outcome != Outcome::ok ? "failed: " + failure_of(run)
                    : node.empty()             ? "done"
                                               : "done on " + node,
                    run);
  }

  void close_cell(const Cell& cell) {
    work_.closed.insert(cell);
    if (control_.cells.insert(cell).second) directory_.write_control(control_);
  }

  void end_task(const TaskId& id, const TaskEnd& end) {
    const ActiveTask task = remove_task(id);
    ended_[id] = clock_.now_ns();
    for (const auto& note : end.notes) store_.add_event(note);
    for (const auto& [cell, why] : end.refused)
      if (!control_.cells.contains(cell)) {
        keeper_.note(StudyEventKind::refused, why, name_of(study_, cell));
        close_cell(cell);
      }
    const bool is_due = work_.release(task.blocks);
    close_task(id);  // a second copy of the job must not make it again
    if (!is_due && end.why != TaskEnd::Why::failed) return;
    const std::string why = end.why == TaskEnd::Why::interrupted ? "it was interrupted"
                            : end.why == TaskEnd::Why::failed    ? "it failed: " + end.detail
                            : end.why == TaskEnd::Why::done      ? "it made less than it should"
                                                                 : end.detail;
    note_loss(task, id, why + (task.node.empty() ? "" : ", on " + task.node), is_due);
    if (end.why == TaskEnd::Why::failed || end.why == TaskEnd::Why::done)
      count_fruitless(task, why);
  }

  void note_loss(const ActiveTask& task, const TaskId& id, const std::string& why, bool is_due) {
    keeper_.note(StudyEventKind::job_lost,
                 fmt::format("job {}: {}{}", task.job.empty() ? text_of(id) : task.job, why,
                             is_due ? "; due again: " + numbers(task.blocks) : ""));
  }

  void close_task(const TaskId& id) {
    control_.closed.insert(id);
    directory_.write_control(control_);
  }

  void count_fruitless(const ActiveTask& task, const std::string& why) {
    for (const auto block : task.blocks) {
      if (task.made > 0) fruitless_.erase(block);
      if (task.made > 0 || !work_.free.contains(block) || ++fruitless_[block] < most_fruitless)
        continue;
      control_.stops = true;
      directory_.write_control(control_);
      throw Error(fmt::format("{} jobs made no run of block {}; the last one: {}", most_fruitless,
                              block + 1, why),
                  fmt::format("What they printed is in {}. `prengdl doctor --on slurm` checks the "
                              "cluster.",
                              directory_.logs().string()));
    }
  }

  /// Its records are taken first, then nobody may add to them, then those that came in between.
  void lose(const LostTask& lost) {
    look();
    if (!table_.tasks.contains(lost.task)) return;  // it has ended in order after all
    close_task(lost.task);
    for (const auto& run : inbox_.take(lost.task)) take_run(lost.task, run);
    const ActiveTask task = remove_task(lost.task);
    if (lost.cancel) cancels_.insert(*lost.cancel);
    const bool is_due = work_.release(task.blocks);
    note_loss(task, lost.task, lost.why, is_due);
    if (lost.kind == LostTask::Kind::ended)
      count_fruitless(task, lost.why + ", " + directory_.last_words(lost.task));
    if (lost.kind == LostTask::Kind::taken && !task.node.empty() && is_due &&
        ++losses_[task.node] == most_losses_on_a_node) {
      submission_.excluded_nodes.insert(task.node);
      keeper_.note(StudyEventKind::node_excluded,
                   fmt::format("{}: {} jobs were lost on it", task.node, most_losses_on_a_node));
    }
  }

  // ---- the scheduler

  /// At most one call, and none if the last one was a moment ago.
  void ask_scheduler() {
    if (!scheduler_.may_call()) return;
    if (!cancels_.empty())
      cancel();
    else if (!work_.free.empty() && !is_stopping_ && table_.tasks.size() < most_tasks_)
      submit(submission_.array_of(work_.hand_out(
          cluster_.slurm, block_time(), std::min(array_size_, most_tasks_ - table_.tasks.size()))));
    else if (wants_profiles())
      submit_profiles();
    else if (!table_.tasks.empty() && scheduler_.is_list_due())
      list();
  }

  std::optional<Seconds> block_time() {
    if (!block_time_) {
      const auto input = learn_if_there(start_.cells.result, study_, start_.design);
      block_time_ = input ? expected_time(study_, *input, start_.design.runs_of(0)) : std::nullopt;
    }
    return *block_time_;
  }

  void submit(const JobArray& array) {
    count_what_is_left();
    directory_.write_array(array, submission_.script_for(array));
    const auto job = scheduler_.submit(directory_.script_file(array.number));
    if (job) {
      directory_.write_job(array.number, *job);
      add_tasks(array, *job);
      keeper_.note(StudyEventKind::submitted, fmt::format("job {} ({}): {}", *job, array.name,
                                                          counted(array.tasks.size(), "task")));
      if (cluster_.submitted && !was_submitted_) cluster_.submitted();
      was_submitted_ = true;
      return;
    }
    if (job.error().kind == SchedulerTrouble::Kind::away)
      return add_tasks(array, "");  // it may have been taken nevertheless: a list will show
    for (std::size_t i = 0; i < array.tasks.size(); ++i) control_.closed.insert({array.number, i});
    directory_.write_control(control_);
    if (job.error().kind == SchedulerTrouble::Kind::refused || array.tasks.size() == 1)
      throw Error("sbatch refuses the jobs: " + job.error().words,
                  "Change [slurm] of the study, or a value of it with --slurm KEY=VALUE. "
                  "`prengdl doctor --on slurm` shows what the cluster offers.");
    array_size_ = array.tasks.size() / 2;
    most_tasks_ = std::max(table_.tasks.size(), array_size_);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(numbers_.size());
    for (const auto& [name, number] : numbers_) all.push_back(name);
    return all;
  }

  void list() {
    const auto jobs = scheduler_.list(names());
    if (!jobs) return;
    look();  // what has ended since is no loss
    const auto lost = table_.take(*jobs);
    const bool is_unsure = std::any_of(table_.tasks.begin(), table_.tasks.end(),
                                       [](const auto& one) { return one.second.unseen > 0; });
    if (is_unsure) scheduler_.list_soon();
    const bool are_all_cancelled =
        !lost.empty() && lost.size() == table_.tasks.size() && !is_stopping_ &&
        std::all_of(lost.begin(), lost.end(),
                    [](const LostTask& one) { return one.kind == LostTask::Kind::cancelled; });
    for (const auto& one : lost) lose(one);
    if (are_all_cancelled) end_with(StudyEnd::Why::interrupted, "all its jobs were cancelled");
    end_lingering(*jobs);
  }

  /// Jobs whose task is over: one that was lost must not start again, one that has ended must not
  /// keep its node. Arrays without living jobs are not asked for again.
  void end_lingering(const std::vector<ListedJob>& jobs) {
    std::map<std::string, std::size_t> alive;
    for (const auto& name : table_.names()) alive[name] = numbers_.at(name);
    for (const auto& job : jobs) {
      const auto number = numbers_.find(job.name);
      if (number == numbers_.end() || !job.is_alive() || job.state == "COMPLETING") continue;
      alive.insert(*number);
      const TaskId id{number->second, job.index};
      if (table_.tasks.contains(id)) continue;
      const auto ended = ended_.find(id);
      if (ended == ended_.end() || seconds_between(ended->second, clock_.now_ns()) > longest_exit)
        cancels_.insert(job.id);
    }
    numbers_ = std::move(alive);
  }

  void cancel() {
    const auto answer = scheduler_.cancel({cancels_.begin(), cancels_.end()});
    // Jobs that have ended meanwhile cannot be cancelled, and need not be.
    if (answer || answer.error().kind != SchedulerTrouble::Kind::away) cancels_.clear();
  }

  // ---- profiles, after all runs

  bool wants_profiles() const {
    return start_.makes_profiles && !has_profiles_ && !is_stopping_ && work_.free.empty() &&
           table_.tasks.empty();
  }

  bool has_profile(const Cell& cell) const {
    return is_there(profile_of(start_.cells.result, cell));
  }

  void submit_profiles() {
    has_profiles_ = true;
    auto tasks = work_.profiles([this](const Cell& cell) { return has_profile(cell); });
    if (!tasks.empty()) submit(submission_.array_of(std::move(tasks)));
  }

  // ---- the end

  bool is_over() const {
    if (has_ended_) return true;
    return table_.tasks.empty() && (work_.free.empty() || is_stopping_) && !wants_profiles();
  }

  /// Nodes leave off after their run; jobs that wait are not needed any more.
  void stop(StudyEnd::Why why, const std::string& detail) {
    end_.why = why;
    end_.detail = detail;
    is_stopping_ = true;
    control_.stops = true;
    for (auto task = table_.tasks.begin(); task != table_.tasks.end();) {
      if (task->second.is_claimed) {
        ++task;
        continue;
      }
      control_.closed.insert(task->first);
      if (!task->second.job.empty()) cancels_.insert(task->second.job);
      task = table_.tasks.erase(task);
    }
    directory_.write_control(control_);
  }

  void end_with(StudyEnd::Why why, const std::string& detail) {
    end_.why = why;
    end_.detail = detail;
    has_ended_ = true;
  }

  std::string going_on() const {
    if (table_.tasks.empty()) return "";
    return fmt::format(
        "{} still running or waiting; the same command continues, with --cancel it ends them",
        counted(table_.tasks.size(), "job"));
  }

  /// Jobs that are over in every other respect do not keep their nodes.
  void end_what_is_left() {
    for (int i = 0; i < 3 && !numbers_.empty(); ++i) {
      scheduler_.wait_for_call();
      if (signal_waits(start_.cells.signals)) return;
      if (!cancels_.empty()) {
        cancel();
        continue;
      }
      const auto jobs = scheduler_.list(names());
      if (!jobs) return;
      ended_.clear();  // by now a job has had its time to exit
      end_lingering(*jobs);
    }
  }

  StudyOutcome finish() {
    if (!has_ended_) end_what_is_left();
    look();
    keep_aa(directory_, store_);
    if (cluster_.slurm.energy && !has_ended_)
      keep_site_energy(directory_, scheduler_, store_, start_.trouble);
    for (const auto& cell : start_.asked.cells())
      if (has_profiles_ && !has_profile(cell)) end_.unprofiled.push_back(name_of(study_, cell));
    show_state();
    keeper_.settle_up();
    keeper_.note(event_kind(end_.why), end_.detail);
    end_.done = count_.done;
    end_.failures = count_.failures;
    return {std::move(end_), planned_, keeper_.runs()};
  }

  void tell(const StudyProgress& progress) {
    if (start_.progress) start_.progress(progress);
    live_.tell(progress);
  }

  void show_state() {
    const std::string text = state_.tell(table_, scheduler_.is_away(), clock_.now_ns());
    count_.tell_all(text, work_.done_blocks());
  }

  const ClusterStart& cluster_;
  const StudyStart& start_;
  const Study& study_;
  Clock& clock_;
  ClusterDirectory directory_;
  ResultStore& store_;
  StoreKeeper keeper_;
  LiveState live_;
  PacedScheduler scheduler_;
  std::vector<PlannedRun> planned_;
  Inbox inbox_;
  Stored before_;
  ProgressCount count_;
  Budget budget_;
  GivenUpCells given_up_;
  ClusterState state_;
  std::vector<JobArray> arrays_;  // of earlier starts
  Submission submission_;
  DueWork work_;

  TaskTable table_;
  ClusterControl control_;
  std::map<std::string, std::size_t> numbers_;    // of arrays that may have living jobs, by name
  std::map<std::size_t, std::size_t> fruitless_;  // by block
  std::map<std::string, std::size_t> losses_;     // by node
  std::map<TaskId, std::int64_t> ended_;          // when
  std::set<std::string> cancels_;                 // ids of jobs that are to be cancelled
  std::size_t array_size_ = largest_array;
  std::size_t most_tasks_ = SIZE_MAX;  // at once, by the site's limits
  std::optional<std::optional<Seconds>> block_time_;
  bool was_submitted_ = false;
  bool has_profiles_ = false;
  bool is_stopping_ = false;
  bool has_ended_ = false;
  StudyEnd end_;
};

}  // namespace

StudyOutcome control_cluster(const ClusterStart& cluster, Scheduler& scheduler, Clock& clock) {
  const StudyStart& start = cluster.start;
  ResultStore store = open_result(start.cells.result, start.study, start.design, start.text,
                                  start.registered, start.environments.locks());
  ClusterDirectory(start.cells.result).make();
  return Controller(cluster, store, scheduler, clock).run();
}

}  // namespace prengdl
