// SPDX-License-Identifier: Apache-2.0
#include "cluster/task_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace prengdl {
namespace {

constexpr std::size_t most_unseen = 2;

LostTask::Kind kind_of_loss(const std::string& state) {
  if (state.starts_with("CANCELLED")) return LostTask::Kind::cancelled;
  for (const auto* word : {"COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "DEADLINE"})
    if (state == word) return LostTask::Kind::ended;
  return LostTask::Kind::taken;
}

std::string at_node(const ActiveTask& task) { return task.node.empty() ? "" : " on " + task.node; }

}  // namespace

std::vector<LostTask> TaskTable::take(const std::vector<ListedJob>& jobs) {
  std::map<std::pair<std::string, std::size_t>, const ListedJob*> listed;
  for (const auto& job : jobs) {
    auto& known = listed[{job.name, job.index}];
    // Submitted twice by a controller that was killed: the one that lives is the one to wait for.
    if (!known || (job.is_alive() && !known->is_alive())) known = &job;
  }
  std::vector<LostTask> lost;
  for (auto& [id, task] : tasks) {
    const auto found = listed.find({task.name, id.index});
    const ListedJob* job = found == listed.end() ? nullptr : found->second;
    if (job && !task.submitted.empty() && job->submitted != task.submitted) job = nullptr;
    if (job) {
      task.submitted = job->submitted;
      task.job = job->id;
      task.state = job->state;
      task.reason = job->reason;
      if (!job->node.empty()) task.node = job->node;
    }
    if (job && job->is_stuck()) {
      lost.push_back({id, LostTask::Kind::taken, "it cannot start: " + job->reason, job->id});
    } else if (job && job->is_waiting() && task.is_claimed) {
      lost.push_back({id, LostTask::Kind::taken,
                      fmt::format("it was requeued after it had begun{}", at_node(task)), job->id});
    } else if (job && job->is_alive()) {
      task.unseen = 0;
    } else if (++task.unseen >= most_unseen) {
      if (job)
        lost.push_back({id, kind_of_loss(job->state), job->state + at_node(task), std::nullopt});
      else
        lost.push_back({id, LostTask::Kind::taken,
                        fmt::format("the scheduler does not know it{}", at_node(task)),
                        std::nullopt});
    }
  }
  return lost;
}

std::vector<std::string> TaskTable::names() const {
  std::set<std::string> names;
  for (const auto& [id, task] : tasks) names.insert(task.name);
  return {names.begin(), names.end()};
}

std::size_t TaskTable::running() const {
  return static_cast<std::size_t>(std::count_if(
      tasks.begin(), tasks.end(), [](const auto& one) { return one.second.is_claimed; }));
}

std::map<std::string, std::size_t> TaskTable::waiting() const {
  std::map<std::string, std::size_t> reasons;
  for (const auto& [id, task] : tasks)
    if (!task.is_claimed) ++reasons[task.state == "PENDING" ? task.reason : task.state];
  return reasons;
}

bool TaskTable::has_block(std::size_t block) const {
  return std::any_of(tasks.begin(), tasks.end(), [&](const auto& one) {
    const auto& blocks = one.second.blocks;
    return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
  });
}

}  // namespace prengdl
