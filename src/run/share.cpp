// SPDX-License-Identifier: Apache-2.0
#include "run/share.h"

#include <system_error>

#include "base/error.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

fs::path this_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

}  // namespace

std::optional<fs::path> find_share(const fs::path& program, const Environment& environment) {
  std::error_code none;
  if (const auto named = environment("PRENGDL_SHARE"); named && !named->empty()) {
    const auto path = fs::absolute(*named, none).lexically_normal();
    return fs::is_directory(path / "environments", none) ? std::optional(path) : std::nullopt;
  }
  if (program.empty()) return std::nullopt;
  const auto above = program.parent_path().parent_path();
  for (const auto& path : {above / "share/prengdl", above})
    if (fs::is_directory(path / "environments", none)) return path;
  return std::nullopt;
}

std::optional<fs::path> find_share() { return find_share(this_program(), process_environment()); }

fs::path share_directory() {
  if (const auto share = find_share()) return *share;
  const auto named = process_environment()("PRENGDL_SHARE").value_or("");
  if (!named.empty())
    throw Error("PRENGDL_SHARE is " + named + ", which has no directory environments",
                "name the directory that holds environments, studies and workloads");
  throw Error("the files that belong to " + this_program().string() +
                  " are not there: environments, studies, workloads",
              "install prengdl as a whole, or name their directory in PRENGDL_SHARE");
}

}  // namespace prengdl
