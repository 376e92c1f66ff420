// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// What a workload's commands find around them, as a study file asks for it: nothing, which means
/// the caller's own surroundings, or exactly one of name, requirements, interpreter, conda and
/// container.
struct EnvironmentChoice {
  std::string name;          // of `setup`; with a slash in it, the directory of any environment
  std::string requirements;  // a file of packages, for an environment of the study's own
  std::string python;        // with requirements: the interpreter; empty: one that is found
  std::string interpreter;   // a Python that is there
  std::string conda;         // the prefix of a conda environment
  std::string container;     // an image
  std::string engine;        // with container: podman, docker or apptainer
  std::vector<std::string> options;  // with container: of the engine

  friend auto operator<=>(const EnvironmentChoice&, const EnvironmentChoice&) = default;
  bool empty() const { return *this == EnvironmentChoice{}; }
  bool is_path() const { return name.find('/') != std::string::npos; }
};

/// What a choice is called in messages and in the locks of a result: "pytorch@2.13.0",
/// "requirements.txt", "podman image".
std::string label_of(const EnvironmentChoice& choice);

/// "pytorch" or "pytorch@2.13.0"; without a version it is the default one.
struct EnvironmentName {
  std::string name;
  std::string version;
};

/// An Error if this can be no name of an environment: letters, digits and . _ + - in it, and no dot
/// or dash in front.
Result<EnvironmentName> parse_environment_name(std::string_view text);

/// Where an environment lies in the cache: NAME-VERSION-VARIANT-HASH, of the hash of its lock the
/// first 12 digits, so that another lock is another environment.
std::string environment_directory_name(const EnvironmentName& name, std::string_view variant,
                                       std::string_view lock_hash);

}  // namespace prengdl
