// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/study.h"

namespace prengdl {

/// What the machine lacks, in words: "the study icse22 requires 1 GPU, this process may use 0".
/// Each lack is reported once, for the first cell that has it.
std::vector<std::string> unmet_requirements(const Study& study, const std::vector<Cell>& cells,
                                            const Machine& machine,
                                            const std::vector<std::uint64_t>& gpu_memories,
                                            const std::filesystem::path& result_parent);

/// A cell that this machine cannot run, and why.
struct RefusedCell {
  Cell cell;
  std::string why;  // "requires 1 GPU, this process may use 0"
};

/// Throws an Error that names what the machine lacks of what the study or its preset requires.
/// Gives the cells whose own requirements are not met; an Error too if that leaves none of them.
/// `gpu_memories` are those of the GPUs that this process may use, in bytes.
std::vector<RefusedCell> check_requirements(const Study& study, const std::vector<Cell>& cells,
                                            const Machine& machine,
                                            const std::vector<std::uint64_t>& gpu_memories,
                                            const std::filesystem::path& result_parent);

}  // namespace prengdl
