// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "model/machine.h"
#include "model/study.h"

namespace prengdl {

/// Throws an Error that names what the machine lacks of what the study, its preset or one of its
/// cells requires. `gpu_memories` are those of the GPUs that this process may use, in bytes.
void check_requirements(const Study& study, const std::vector<Cell>& cells, const Machine& machine,
                        const std::vector<std::uint64_t>& gpu_memories,
                        const std::filesystem::path& result_parent);

}  // namespace prengdl
