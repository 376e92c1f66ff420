// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cluster/cluster_directory.h"
#include "cluster/controller.h"
#include "cluster/due_blocks.h"
#include "cluster/paced_scheduler.h"
#include "cluster/submission.h"

namespace prengdl {

std::size_t cancel_jobs(const std::filesystem::path& result, Scheduler& scheduler, Clock& clock) {
  const ClusterDirectory directory(result);
  std::vector<std::string> names;
  for (const auto& array : directory.arrays()) names.push_back(array.name);
  if (names.empty()) return 0;
  directory.write_cancelled();
  const auto asked = [](const auto& answer) {
    if (!answer)
      throw Error("the scheduler did not cancel the jobs: " + answer.error().words,
                  "They leave off by themselves after the run that they make now. Try again to "
                  "end them at once.");
  };
  const auto jobs = scheduler.list(names);
  asked(jobs);
  std::vector<std::string> ids;
  for (const auto& job : *jobs)
    if (job.is_alive()) ids.push_back(job.id);
  if (ids.empty()) return 0;
  clock.sleep_until(clock.now_ns() + nanoseconds(between_calls));
  asked(scheduler.cancel(ids));
  return ids.size();
}

std::string first_script(const ClusterStart& cluster) {
  const StudyStart& start = cluster.start;
  const ClusterDirectory directory(start.cells.result);
  Submission submission(cluster, directory, {});
  std::vector<TaskBlock> blocks;
  const auto& asked = start.asked.cells();
  for (std::size_t block = 0; block < std::min(start.design.blocks(), start.due.most_blocks);
       ++block)
    if (auto due = due_block(
            start.study, start.design, block, {},
            [&](std::size_t cell) {
              return std::find(asked.begin(), asked.end(), start.design.cells()[cell]) !=
                     asked.end();
            },
            [](std::size_t) { return std::size_t{0}; }))
      blocks.push_back(std::move(*due));
  if (blocks.empty()) return "";
  const std::size_t each = blocks_per_job(cluster.slurm, blocks.size(), std::nullopt);
  return submission.script_for(submission.array_of(tasks_of(std::move(blocks), each)));
}

}  // namespace prengdl
