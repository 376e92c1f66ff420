// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign/study_start.h"

namespace prengdl {

/// A start of a study whose runs are made by jobs of a cluster.
struct ClusterStart {
  const StudyStart& start;            // its machine and its refused cells are of no use here
  const SlurmSettings& slurm;         // of the study, with what the user changed
  std::vector<std::string> command;   // that makes a task, without its array's file
  std::function<void()> submitted{};  // called once the first array was handed over; may be null
};

}  // namespace prengdl
