// SPDX-License-Identifier: Apache-2.0
#include "environments/shipped_files.h"

#include <system_error>

namespace prengdl {
namespace {

namespace fs = std::filesystem;

fs::path this_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

}  // namespace

std::optional<fs::path> find_share(const fs::path& program, const Variables& variables) {
  std::error_code none;
  if (const auto named = variables("PRENGDL_SHARE"); named && !named->empty()) {
    const auto path = fs::absolute(*named, none).lexically_normal();
    return fs::is_directory(path / "environments", none) ? std::optional(path) : std::nullopt;
  }
  if (program.empty()) return std::nullopt;
  const auto above = program.parent_path().parent_path();
  for (const auto& path : {above / "share/prengdl", above})
    if (fs::is_directory(path / "environments", none)) return path;
  return std::nullopt;
}

std::optional<fs::path> find_share() { return find_share(this_program(), process_variables()); }

}  // namespace prengdl
