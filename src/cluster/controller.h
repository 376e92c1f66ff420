// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/clock.h"
#include "cluster/cluster_start.h"
#include "cluster/scheduler.h"

namespace prengdl {

/// Submits the blocks that are due as jobs, takes their records into the result, and submits again
/// what was lost, until nothing is due. It may be killed at any moment: the jobs continue, and
/// the next start continues with them. Errors are thrown as by start_study().
StudyOutcome control_cluster(const ClusterStart& start, Scheduler& scheduler, Clock& clock);

/// The script of the first jobs that a start would submit, and how many jobs that are; nothing if
/// no run is due. For --dry-run.
std::string first_script(const ClusterStart& start);

/// Ends all jobs of a result, and the controller that looks after them; gives how many jobs were
/// still known. Throws an Error if the scheduler does not answer.
std::size_t cancel_jobs(const std::filesystem::path& result, Scheduler& scheduler, Clock& clock);

}  // namespace prengdl
