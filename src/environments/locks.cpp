// SPDX-License-Identifier: Apache-2.0
#include "environments/locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/suggestions.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<EnvironmentLock> all_locks(const fs::path& share) {
  std::vector<EnvironmentLock> locks;
  if (share.empty()) return locks;
  const auto environments = share / "environments";
  std::error_code none;
  for (const auto& name : list_directory(environments))
    for (const auto& version : list_directory(environments / name))
      for (const auto* variant : {"cpu", "cuda"}) {
        auto file = environments / name / version / (std::string(variant) + ".lock");
        if (fs::is_regular_file(file, none))
          locks.push_back(
              {{name, version}, variant, std::move(file), environments / name / "check.py"});
      }
  return locks;
}

std::vector<std::string> known_environments(const fs::path& share) {
  std::vector<std::string> names;
  std::string before;
  for (const auto& lock : all_locks(share)) {
    const auto& [name, version] = lock.name;
    if (name != before) names.push_back(name);
    before = name;
    if (const auto with_version = fmt::format("{}@{}", name, version); names.back() != with_version)
      names.push_back(with_version);
  }
  return names;
}

EnvironmentLock find_lock(const fs::path& share, const std::string& text,
                          const std::string& variant) {
  const auto parsed = parse_environment_name(text);
  if (!parsed) throw UsageError(parsed.error().what(), parsed.error().hint);
  const auto directory = share / "environments" / parsed->name;
  const auto known = known_environments(share);
  if (std::find(known.begin(), known.end(), parsed->name) == known.end())
    throw UsageError(fmt::format("there is no environment '{}'", text),
                     meant_or_known(text, known));
  EnvironmentLock lock{*parsed, variant, {}, directory / "check.py"};
  if (lock.name.version.empty()) {
    const auto version = read_text(directory / "default");
    if (!version) throw Error(version.error());
    lock.name.version = *version;
  }
  for (const auto& one : {variant, std::string("cpu")}) {
    lock.variant = one;
    lock.file = directory / lock.name.version / (one + ".lock");
    std::error_code none;
    if (fs::is_regular_file(lock.file, none)) return lock;
  }
  throw UsageError(
      fmt::format("the environment {} has no version '{}'", lock.name.name, lock.name.version),
      meant_or_known(text, known));
}

}  // namespace prengdl
