// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/study.h"
#include "study/setting_tree.h"

namespace prengdl {

/// Reads every value of a study file, each for itself; what is wrong becomes a problem. Whether the
/// values go together is for check_study. Name, preset and directory are the caller's.
Study read_sections(const StudyNode& tree, Problems& problems);

/// The keys of [slurm]; those that are absent leave `settings` alone.
void read_slurm(const StudyNode* table, SlurmSettings& settings, Problems& problems);

/// The keys of [workload] and of [[override]].
Workload read_workload(const StudyNode* table, Problems& problems);

}  // namespace prengdl
