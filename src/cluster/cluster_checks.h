// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/doctor.h"
#include "model/study.h"

namespace prengdl {

/// Whether studies can run on the cluster, as far as the login node knows: whether Slurm answers,
/// its partitions, limits, energy accounting, and whether `directory`, where results go, and
/// `program` are on a file system that nodes can share.
std::vector<Check> check_cluster(const SlurmSettings& settings,
                                 const std::filesystem::path& directory,
                                 const std::filesystem::path& program);

/// Runs `prengdl doctor` on a node by a job of these settings, which waits in the queue for at most
/// `patience`, and gives what it says, with the node's name before each finding.
std::vector<Check> probe_node(const SlurmSettings& settings, const std::filesystem::path& directory,
                              const std::vector<std::string>& command, Seconds patience,
                              Clock& clock);

/// What `sinfo` and `scontrol show config` print, as checks.
std::vector<Check> checks_of_partitions(const std::string& sinfo, const std::string& partition);
std::vector<Check> checks_of_configuration(const std::string& scontrol);

/// The checks in what `prengdl doctor --json` printed on a node; nothing if it is something else.
std::optional<std::vector<Check>> checks_of_json(const std::string& text, const std::string& node);

}  // namespace prengdl
