// SPDX-License-Identifier: Apache-2.0
#include "cluster/submission.h"

#include <fmt/core.h>
#include <sys/random.h>

#include "cluster/batch_script.h"

namespace prengdl {

Submission::Submission(const ClusterStart& start, const ClusterDirectory& directory,
                       const std::vector<JobArray>& earlier)
    : start_(start), directory_(directory) {
  for (const auto& array : earlier) {
    last_ = std::max(last_, array.number);
    campaign_ = array.name.substr(0, array.name.rfind('-'));
  }
  if (!campaign_.empty()) return;
  std::uint32_t number{};
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error("the kernel gives no random numbers");
  campaign_ = fmt::format("prengdl-{:08x}", number);
}

JobArray Submission::array_of(std::vector<ClusterTask> tasks) {
  JobArray array;
  array.number = ++last_;
  array.name = fmt::format("{}-{}", campaign_, array.number);
  array.at = utc_now();
  array.study_directory = start_.start.study.directory;
  array.time = start_.slurm.time;
  array.tasks = std::move(tasks);
  return array;
}

std::string Submission::script_for(const JobArray& array) const {
  const auto& result = start_.start.cells.result;
  BatchScript script;
  script.name = array.name;
  script.jobs = array.tasks.size();
  script.logs = directory_.logs();
  script.array = array.number;
  script.command = start_.command;
  script.task_file = directory_.array_file(array.number);
  script.excluded_nodes = {excluded_nodes.begin(), excluded_nodes.end()};
  script.mounts = {result, start_.start.study.directory};
  if (!start_.start.cells.data.empty()) script.mounts.push_back(start_.start.cells.data);
  return script_of(script, start_.slurm);
}

}  // namespace prengdl
