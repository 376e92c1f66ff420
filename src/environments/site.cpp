// SPDX-License-Identifier: Apache-2.0
#include "environments/site.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>

#include "base/escaping.h"
#include "base/files.h"
#include "base/process.h"
#include "base/run_to_end.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "environments/locks.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

std::string from(const Variables& variables, const char* name) {
  return variables(name).value_or("");
}

/// A requirements file with those that it includes, as one text: all that decides what it means.
void add_requirements(const fs::path& file, std::set<fs::path>& seen, std::string& text) {
  if (!seen.insert(file.lexically_normal()).second) return;
  const auto content = read_bytes(file);
  if (!content) throw Error(content.error());
  text += *content;
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (const auto line : split(*content, '\n')) {
    const auto parts = words(line);
    if (parts.size() < 2) continue;
    for (const auto* option : {"-r", "--requirement", "-c", "--constraint"})
      if (parts[0] == option) add_requirements(file.parent_path() / parts[1], seen, text);
  }
}

fs::path absolute_from(const fs::path& directory, const std::string& path) {
  return (directory / path).lexically_normal();
}

/// The file of a program that is named by its path, or found as a shell would.
fs::path program_of(const std::string& name, const fs::path& directory) {
  if (name.find('/') != std::string::npos) return absolute_from(directory, name);
  const char* path = std::getenv("PATH");
  const auto found = find_program(name, path ? path : "/usr/local/bin:/usr/bin:/bin");
  if (!found) throw Error(found.error());
  return *found;
}

void locate_locked(EnvironmentSite& site, const EnvironmentPlaces& places) {
  if (places.share.empty())
    throw Error(fmt::format("the lock of the environment {} is not there: the files of prengdl "
                            "were not found",
                            site.choice.name),
                "install prengdl as a whole, or name their directory in PRENGDL_SHARE");
  auto lock = find_lock(places.share, site.choice.name, places.variant);
  auto text = read_bytes(lock.file);
  if (!text) throw Error(text.error());
  site.kind = EnvironmentSite::Kind::locked;
  site.name = lock.name;
  site.variant = lock.variant;
  site.lock_file = lock.file;
  site.check = lock.check;
  site.lock = std::move(*text);
  site.lock_hash = sha256_of(site.lock);
  site.directory = places.cache / "environments" /
                   environment_directory_name(site.name, site.variant, site.lock_hash);
}

void locate_own(EnvironmentSite& site, const EnvironmentPlaces& places, const fs::path& study) {
  site.kind = EnvironmentSite::Kind::requirements;
  site.lock_file = absolute_from(study, site.choice.requirements);
  std::set<fs::path> seen;
  add_requirements(site.lock_file, seen, site.lock);
  if (site.choice.python.find('/') != std::string::npos)
    site.choice.python = absolute_from(study, site.choice.python);
  // Another interpreter makes another environment of the same packages.
  site.lock_hash = sha256_of(site.lock + site.choice.python);
  site.directory = places.cache / "environments" /
                   environment_directory_name({"requirements", "study"}, "own", site.lock_hash);
}

/// Conda names its packages by a file each: numpy-1.26.4-py311h64a7726_0.json.
std::string conda_packages(const fs::path& prefix) {
  std::string text;
  for (const auto& file : list_directory(prefix / "conda-meta")) {
    const auto build = file.rfind('-');
    const auto version = build == std::string::npos ? build : file.rfind('-', build - 1);
    if (!file.ends_with(".json") || version == std::string::npos || version == 0) continue;
    text += fmt::format("{}=={}\n", file.substr(0, version),
                        file.substr(version + 1, build - version - 1));
  }
  return text;
}

/// The packages that a Python finds, as a lock would name them.
std::string packages_of(const fs::path& python) {
  constexpr auto code =
      "import importlib.metadata as m\n"
      "print('\\n'.join(sorted({f\"{d.metadata['Name']}=={d.version}\" for d in m.distributions() "
      "if d.metadata['Name']}, key=str.lower)))";
  const auto end = run_to_end({.words = {python.string(), "-c", code}});
  if (!end.is_good())
    throw Error(fmt::format("{} does not list its packages: {}", python.string(),
                            shortened(printable(trimmed(end.output)), 200)),
                "is it a Python of version 3.8 or newer?");
  return end.output;
}

}  // namespace

fs::path cache_directory(const std::string& given, const Variables& variables,
                         const fs::path& home) {
  if (!given.empty()) return fs::absolute(given).lexically_normal();
  if (const auto cache = from(variables, "PRENGDL_CACHE"); !cache.empty())
    return fs::absolute(cache).lexically_normal();
  // A relative path there is invalid and to be ignored, says the base directory specification.
  if (const auto cache = from(variables, "XDG_CACHE_HOME"); cache.starts_with("/"))
    return fs::path(cache) / "prengdl";
  return home / ".cache" / "prengdl";
}

fs::path data_directory(const std::string& given, const Variables& variables,
                        const fs::path& cache) {
  if (!given.empty()) return fs::absolute(given).lexically_normal();
  if (const auto data = from(variables, "PRENGDL_DATA"); !data.empty())
    return fs::absolute(data).lexically_normal();
  return cache / "data";
}

std::string EnvironmentSite::title() const {
  if (kind == Kind::locked) return fmt::format("{} {} {}", name.name, name.version, variant);
  return label;
}

EnvironmentSite site_of(const EnvironmentChoice& choice, const EnvironmentPlaces& places,
                        const fs::path& study) {
  EnvironmentSite site;
  site.label = label_of(choice);
  site.asked = site.choice = choice;
  if (choice.empty()) return site;
  if (!choice.requirements.empty()) {
    locate_own(site, places, study);
  } else if (!choice.interpreter.empty()) {
    site.kind = EnvironmentSite::Kind::interpreter;
    site.choice.interpreter = program_of(choice.interpreter, study);
    site.directory = fs::path(site.choice.interpreter).parent_path().parent_path();
  } else if (!choice.conda.empty()) {
    site.kind = EnvironmentSite::Kind::conda;
    site.directory = absolute_from(study, choice.conda);
  } else if (!choice.container.empty()) {
    site.kind = EnvironmentSite::Kind::container;
    site.image = image_of(choice, places.cache, study);
  } else if (choice.is_path()) {
    site.kind = EnvironmentSite::Kind::given;
    site.directory = absolute_from(study, choice.name);
  } else {
    locate_locked(site, places);
  }
  return site;
}

fs::path python_of(const EnvironmentSite& site) {
  switch (site.kind) {
    case EnvironmentSite::Kind::caller:
    case EnvironmentSite::Kind::container:
      return {};
    case EnvironmentSite::Kind::interpreter:
      return site.choice.interpreter;
    default:
      return site.directory / "bin" / "python";
  }
}

std::optional<std::string> what_is_missing(const EnvironmentSite& site) {
  if (site.kind == EnvironmentSite::Kind::caller) return std::nullopt;
  if (site.kind == EnvironmentSite::Kind::container) return missing_image(site.image);
  std::error_code none;
  if (!fs::is_directory(site.directory, none))
    return fmt::format("there is no {}", site.directory.string());
  if (site.is_made()) {
    const auto mark = read_mark(site.directory);
    if (!mark) return fmt::format("{} is not complete", site.directory.string());
    if (mark->lock_hash != site.lock_hash)
      return fmt::format("{} was made from another lock", site.directory.string());
    if (!mark->compiled)
      return fmt::format("the packages in {} are not compiled to bytecode",
                         site.directory.string());
  }
  // Conda holds programs of any kind.
  if (site.kind == EnvironmentSite::Kind::conda) return std::nullopt;
  if (const auto python = python_of(site); access(python.c_str(), X_OK) != 0)
    return fmt::format("{} is not there or cannot be run", python.string());
  return std::nullopt;
}

std::string lock_text(const EnvironmentSite& site) {
  switch (site.kind) {
    case EnvironmentSite::Kind::caller:
      return "";
    case EnvironmentSite::Kind::locked:
      return site.lock;
    case EnvironmentSite::Kind::container:
      return image_id(site.image);
    case EnvironmentSite::Kind::conda: {
      const auto packages = conda_packages(site.directory);
      return !packages.empty() ? packages : packages_of(python_of(site));
    }
    default:
      return packages_of(python_of(site));
  }
}

std::vector<CachedEnvironment> cached_environments(const EnvironmentPlaces& places) {
  static const std::regex shape("(.+)-([^-]+)-(cpu|cuda|own)-([0-9a-f]{12})");
  std::vector<CachedEnvironment> found;
  const auto above = places.cache / "environments";
  std::vector<std::pair<std::string, fs::path>> locks;  // directory's name, file
  for (const auto& lock : all_locks(places.share))
    if (const auto hash = sha256_of_file(lock.file))
      locks.emplace_back(environment_directory_name(lock.name, lock.variant, *hash), lock.file);
  for (const auto& entry : list_directory(above)) {
    std::smatch parts;
    std::error_code none;
    if (!std::regex_match(entry, parts, shape) || !fs::is_directory(above / entry, none)) continue;
    CachedEnvironment one;
    one.directory = above / entry;
    one.name = parts[1];
    one.version = parts[2];
    one.variant = parts[3];
    one.hash = parts[4];
    one.mark = read_mark(one.directory);
    one.is_complete = one.mark && one.mark->lock_hash.starts_with(one.hash) &&
                      access((one.directory / "bin/python").c_str(), X_OK) == 0;
    one.bytes = one.mark ? one.mark->bytes : bytes_below(one.directory);
    const auto lock = std::find_if(locks.begin(), locks.end(),
                                   [&](const auto& known) { return known.first == entry; });
    if (lock != locks.end()) one.lock = lock->second;
    found.push_back(std::move(one));
  }
  return found;
}

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::error_code trouble;
  fs::recursive_directory_iterator entries(directory, fs::directory_options::skip_permission_denied,
                                           trouble);
  for (; !trouble && entries != fs::recursive_directory_iterator(); entries.increment(trouble)) {
    struct stat facts {};
    if (lstat(entries->path().c_str(), &facts) != 0) continue;
    if (facts.st_nlink > 1 && !S_ISDIR(facts.st_mode) &&
        !seen.insert({facts.st_dev, facts.st_ino}).second)
      continue;
    bytes += static_cast<std::uint64_t>(facts.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace prengdl
