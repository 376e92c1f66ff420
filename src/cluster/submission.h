// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cluster/cluster_directory.h"
#include "cluster/cluster_start.h"

namespace prengdl {

/// Writes the arrays of a study and the scripts for them.
class Submission {
 public:
  /// Arrays that are there already, of earlier starts, are counted on from.
  Submission(const ClusterStart& start, const ClusterDirectory& directory,
             const std::vector<JobArray>& earlier);

  /// The next array with these tasks, not written yet.
  JobArray array_of(std::vector<ClusterTask> tasks);
  std::string script_for(const JobArray& array) const;

  std::set<std::string> excluded_nodes;

 private:
  const ClusterStart& start_;
  const ClusterDirectory& directory_;
  std::string campaign_;  // "prengdl-3f9a1c2e"
  std::size_t last_ = 0;
};

}  // namespace prengdl
