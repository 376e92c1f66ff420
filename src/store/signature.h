// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace prengdl {

// Who did it: what stands beside a lock and a decision.

std::string host_name();

/// The user behind this process, also behind sudo; a number if the user has no name.
std::string user_name();

}  // namespace prengdl
