// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace prengdl {

/// Whether the machine below `root` is a guest: its hypervisor, not the chip, answers for RAPL.
bool is_virtual_machine(const std::filesystem::path& root);

}  // namespace prengdl
