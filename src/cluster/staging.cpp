// SPDX-License-Identifier: Apache-2.0
#include "cluster/staging.h"

#include <fmt/core.h>
#include <sys/file.h>

#include <cctype>
#include <cerrno>

#include "base/files.h"
#include "base/own_files.h"
#include "base/run_to_end.h"
#include "base/sha256.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Two originals are the same if their paths and the times of their last change are.
std::string mark_of(const fs::path& from) {
  std::error_code none;
  const auto changed = fs::last_write_time(from, none).time_since_epoch().count();
  return sha256_of(fmt::format("{}\n{}", from.string(), changed));
}

void copy_once(const fs::path& from, const fs::path& to) {
  const fs::path mark = to.string() + ".staged";
  const std::string wanted = mark_of(from);
  if (const auto found = read_optional(mark); found && *found == wanted) return;
  std::error_code ignored;
  fs::remove(mark, ignored);
  fs::remove_all(to, ignored);
  make_directories(to.parent_path());
  const ProgramEnd end = run_to_end({{"cp", "-a", "--", from.string(), to.string()}});
  if (!end.is_good())
    throw Error(
        fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), trimmed(end.output)),
        "Free some space there, choose another directory with [slurm] stage, or leave "
        "stage out.");
  replace_file(mark, wanted, Durability::quick);
}

}  // namespace

std::string with_variables(const std::string& text, const Variables& variables) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      made += text[i];
      continue;
    }
    const bool has_braces = i + 1 < text.size() && text[i + 1] == '{';
    std::size_t end = i + 1 + (has_braces ? 1 : 0);
    const std::size_t begin = end;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    const std::string name = text.substr(begin, end - begin);
    const auto value = variables(name);
    if (!value)
      throw Error(fmt::format("[slurm] stage = \"{}\": {} is not set on this node", text, name),
                  "Name a directory that every node has.");
    made += *value;
    i = has_braces ? end : end - 1;
  }
  return made;
}

EnvironmentPlaces staged(const SlurmSettings& settings, const std::vector<EnvironmentSite>& sites,
                         const EnvironmentPlaces& places, const Variables& variables) {
  if (settings.stage.empty()) return places;
  const fs::path stage = with_variables(settings.stage, variables);
  make_directories(stage);
  const FileDescriptor lock = open_own_file(stage / "prengdl-stage.lock");
  while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  EnvironmentPlaces made = places;
  made.cache = stage / "cache";
  for (const auto& site : sites)
    if (site.is_made())
      copy_once(site.directory, made.cache / site.directory.lexically_relative(places.cache));
  if (std::error_code none; settings.stage_data && fs::is_directory(places.data, none)) {
    made.data = stage / "data";
    copy_once(places.data, made.data);
  }
  return made;
}

}  // namespace prengdl
