// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "environments/site.h"
#include "model/study.h"

namespace prengdl {

/// All that these cells of a study ask for, each once, in the order in which it is first asked for.
std::vector<EnvironmentSite> sites_of(const Study& study, const std::vector<Cell>& cells,
                                      const EnvironmentPlaces& places);

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
