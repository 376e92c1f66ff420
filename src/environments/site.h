// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/this_process.h"
#include "environments/completion_mark.h"
#include "environments/container.h"
#include "model/study.h"

namespace prengdl {

/// Where environments come from and where they lie.
struct EnvironmentPlaces {
  std::filesystem::path share;  // of the product (run/share.h); empty: it is not there
  std::filesystem::path cache;
  std::filesystem::path data;   // of the data sets
  std::string variant = "cpu";  // or "cuda", of environments that have both
};

/// `given`, else PRENGDL_CACHE, else prengdl in XDG_CACHE_HOME, else in .cache of `home`.
std::filesystem::path cache_directory(const std::string& given, const Variables& variables,
                                      const std::filesystem::path& home);

/// `given`, else PRENGDL_DATA, else data in the cache.
std::filesystem::path data_directory(const std::string& given, const Variables& variables,
                                     const std::filesystem::path& cache);

/// An environment that a cell asks for: what it is, where it lies, and what it is made of.
struct EnvironmentSite {
  enum class Kind { caller, locked, requirements, given, interpreter, conda, container };
  Kind kind = Kind::caller;
  std::string label;                // what the study calls it
  EnvironmentChoice asked;          // as the study asks
  EnvironmentChoice choice;         // the same with absolute paths
  EnvironmentName name;             // of kind locked: with its version
  std::string variant;              // of kind locked
  std::filesystem::path directory;  // whose bin comes first in PATH; none of caller and container
  std::filesystem::path lock_file;  // what it is made from: a lock or a requirements file
  std::string lock;                 // the text of that
  std::string lock_hash;            // SHA-256
  std::filesystem::path check;      // a script that tries it
  Image image;                      // of kind container

  /// Whether `setup` makes it in the cache.
  bool is_made() const { return kind == Kind::locked || kind == Kind::requirements; }

  /// "pytorch 2.15.0 cpu": for tables and messages.
  std::string title() const;
};

/// Finds out all about a choice without making anything. Relative paths start at
/// `study_directory`. Throws an Error for a name that there is not or a file that cannot be read.
EnvironmentSite site_of(const EnvironmentChoice& choice, const EnvironmentPlaces& places,
                        const std::filesystem::path& study_directory);

/// The Python of a site; empty for the caller's own and for a container.
std::filesystem::path python_of(const EnvironmentSite& site);

/// Why the site cannot be used as it is; nothing if it can. Quick: at most a program is asked
/// whether it has an image.
std::optional<std::string> what_is_missing(const EnvironmentSite& site);

/// What a result keeps of it: the lock, or the packages that are there, "name==version" a line, or
/// the id of an image.
std::string lock_text(const EnvironmentSite& site);

/// An environment in the cache.
struct CachedEnvironment {
  std::filesystem::path directory;
  std::string name, version, variant;
  std::string hash;  // 12 digits
  std::optional<EnvironmentMark> mark;
  bool is_complete = false;
  std::uint64_t bytes = 0;
  std::filesystem::path lock;  // of the product; empty: none that is there today
};

/// All environments in the cache, by name.
std::vector<CachedEnvironment> cached_environments(const EnvironmentPlaces& places);

/// The bytes on the disk of all files below a directory; one with several names counts once.
std::uint64_t bytes_below(const std::filesystem::path& directory);

}  // namespace prengdl
