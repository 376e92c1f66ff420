// SPDX-License-Identifier: Apache-2.0
#include "cluster/inbox.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cmath>
#include <ctime>

#include "base/clock.h"
#include "base/files.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_at_once = 1000;
/// Clocks that are further apart than this are wrong, not just unequal.
constexpr double largest_difference_s = 5;

struct TaskFiles {
  std::vector<fs::path> records;
  bool has_ended = false;
};

TaskFiles files_of(const fs::path& directory) {
  TaskFiles files;
  for (const auto& name : list_directory(directory)) {
    if (name.ends_with(".record")) files.records.push_back(directory / name);
    if (name == "end.json") files.has_ended = true;
  }
  return files;
}

/// How far the node's clock was ahead of the file system's when it wrote its report.
std::optional<double> clock_difference(const std::string& at, const fs::path& file) {
  struct stat status {};
  std::tm parts{};
  if (::stat(file.c_str(), &status) != 0 || !::strptime(at.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts))
    return std::nullopt;
  return static_cast<double>(::timegm(&parts)) - static_cast<double>(status.st_mtim.tv_sec);
}

}  // namespace

Stored stored_in_time(const ResultStore& store) {
  auto runs = store.runs(Detail::figures);
  std::erase_if(runs, [](const StoredRun& run) { return run.excluded == late_reason; });
  return what_is_stored(std::move(runs));
}

void Inbox::meet_node(const TaskId& id, ActiveTask& task, News& news) {
  task.is_claimed = true;
  const auto report = directory_.node(id);
  if (!report) return;  // it will be there before the first record
  task.node = report->node;
  store_.add_machine(report->machine);
  const auto difference = clock_difference(report->at, directory_.task(id) / "node.json");
  if (difference && std::abs(*difference) > largest_difference_s)
    news.notes.push_back(
        {"", StudyEventKind::clock,
         fmt::format("the clock of {} is {:.0f} s {} that of the file system", report->node,
                     std::abs(*difference), *difference > 0 ? "ahead of" : "behind")});
}

Inbox::News Inbox::look(TaskTable& table, const ClusterControl& control) {
  News news;
  std::vector<fs::path> records, late;
  std::map<std::string, TaskId> task_of_run;
  std::vector<TaskId> ended;
  for (const auto& name : list_directory(directory_.path() / "tasks")) {
    const auto id = task_of(name);
    if (!id) continue;
    const auto active = table.tasks.find(*id);
    const bool is_late = active == table.tasks.end() && control.closed.contains(*id);
    if (active != table.tasks.end() && (!active->second.is_claimed || active->second.node.empty()))
      meet_node(*id, active->second, news);
    TaskFiles files = files_of(directory_.task(*id));
    // The end is written last: with it there, all records are.
    if (files.has_ended) files = files_of(directory_.task(*id));
    for (auto& path : files.records) {
      task_of_run[path.stem().string()] = *id;
      (is_late ? late : records).push_back(std::move(path));
    }
    if (files.has_ended) ended.push_back(*id);
    if (records.size() + late.size() >= most_at_once) break;
  }
  const auto take_all = [&](const std::vector<fs::path>& paths, bool is_late) {
    if (paths.empty()) return;
    auto runs = store_.take_records(
        paths, is_late ? std::optional<std::string>(late_reason) : std::nullopt);
    for (const auto& trouble : store_.troubles()) news.troubles.push_back(trouble);
    for (auto& run : runs) {
      const TaskId id = task_of_run.at(run.id);
      if (is_late)
        news.notes.push_back({"", StudyEventKind::late_run,
                              fmt::format("{} by job {}: kept, not counted", run.id, text_of(id))});
      else
        news.runs.emplace_back(id, std::move(run));
    }
  };
  take_all(records, false);
  take_all(late, true);
  for (const auto& id : ended)
    if (auto end = directory_.end(id)) news.ended.emplace_back(id, std::move(*end));
  return news;
}

std::vector<StoredRun> Inbox::take(const TaskId& task) {
  const auto files = files_of(directory_.task(task));
  return files.records.empty() ? std::vector<StoredRun>{} : store_.take_records(files.records);
}

void Inbox::remove(const TaskId& task) const {
  std::error_code ignored;
  fs::remove_all(directory_.task(task), ignored);
}

}  // namespace prengdl
