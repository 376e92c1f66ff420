// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "run/environments.h"

namespace prengdl {

/// The options by which commands find environments and data: --cache, --variant, --data.
struct EnvironmentOptions {
  std::string cache, variant, data;

  void declare(Arguments& arguments);

  /// Under sudo the cache is the calling user's. CUDA where this machine has an NVIDIA GPU that we
  /// may use.
  EnvironmentPlaces places(const MeterSearch& search) const;
};

/// The command that makes what a study needs.
std::string setup_call(const std::string& study, const std::string& preset,
                       const EnvironmentOptions& options);

/// What a study may name as environments; empty where the files of the product are not there.
std::vector<std::string> environments_to_name();

/// The environments of some cells of a study, which are all there.
class StudyEnvironments {
 public:
  /// Throws an Error that names those that are not ready; `setup` is the command that makes them.
  StudyEnvironments(const Study& study, const std::vector<Cell>& cells,
                    const EnvironmentPlaces& places, const std::string& setup);

  const EnvironmentSite& of(const EnvironmentChoice& choice) const;

  /// What a result keeps of each: its label and the text of its lock.
  std::vector<std::pair<std::string, std::string>> locks() const;

  /// A line for each: what it is, and the hash of its lock.
  std::vector<std::string> notes() const;

 private:
  std::vector<EnvironmentSite> sites_;
  std::map<EnvironmentChoice, std::size_t> places_;  // as the study asks, place in sites_
};

}  // namespace prengdl
