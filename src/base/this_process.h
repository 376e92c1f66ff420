// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace prengdl {

// What surrounds this process: its variables, its machine, its user.

/// Reads an environment variable; tests pass their own.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

/// Those of this process.
Variables process_variables();

std::string host_name();

/// The user behind this process, also behind sudo; a number if the user has no name.
std::string user_name();

}  // namespace prengdl
