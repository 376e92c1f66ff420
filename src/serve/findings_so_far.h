// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/json.h"

namespace prengdl {

/// How much of the plan the findings rest on.
struct SeenBlocks {
  std::size_t whole = 0;    // blocks that are complete
  std::size_t planned = 0;  // 0: the runs were imported
  bool is_final = false;    // all planned runs are made
};

/// What `compare` says of the result as it is now, for the live page (docs/serve.md, `findings`).
/// If there are no findings, the object says why not. Reads the whole result: for large ones that
/// would take so long that it is left to `compare`.
Json findings_so_far(const std::filesystem::path& result, const SeenBlocks& seen);

}  // namespace prengdl
