// SPDX-License-Identifier: Apache-2.0
#include "campaign/study_environments.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "environments/completion_mark.h"
#include "study/workload.h"

namespace prengdl {

std::vector<EnvironmentSite> sites_of(const Study& study, const std::vector<Cell>& cells,
                                      const EnvironmentPlaces& places) {
  std::vector<EnvironmentSite> sites;
  std::set<EnvironmentChoice> seen;
  const auto add = [&](const EnvironmentChoice& choice) {
    if (!choice.empty() && seen.insert(choice).second)
      sites.push_back(site_of(choice, places, study.directory));
  };
  for (const auto& cell : cells) {
    add(environment_for(study, cell));
    for (const auto& name : environments_named_in(workload_for(study, cell))) {
      EnvironmentChoice choice;
      choice.name = name;
      add(choice);
    }
  }
  return sites;
}

StudyEnvironments::StudyEnvironments(const Study& study, const std::vector<Cell>& cells,
                                     const EnvironmentPlaces& places, const std::string& setup)
    : sites_(sites_of(study, cells, places)) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    places_.emplace(sites_[i].asked, i);
    if (const auto why = what_is_missing(sites_[i]))
      missing.push_back(
          fmt::format("the environment {} is not ready: {}", sites_[i].title(), *why));
  }
  if (missing.empty()) return;
  throw Error(joined(missing, "\n  "), "Create what is missing with: " + setup);
}

const EnvironmentSite& StudyEnvironments::of(const EnvironmentChoice& choice) const {
  return sites_.at(places_.at(choice));
}

std::vector<std::pair<std::string, std::string>> StudyEnvironments::locks() const {
  std::vector<std::pair<std::string, std::string>> locks;
  for (const auto& site : sites_) {
    std::pair lock{site.label, lock_text(site)};
    if (std::find(locks.begin(), locks.end(), lock) == locks.end()) locks.push_back(lock);
  }
  return locks;
}

std::vector<std::string> StudyEnvironments::notes() const {
  std::vector<std::string> notes;
  for (const auto& site : sites_) {
    std::string note = fmt::format("{}: {}", site.label, site.title());
    if (site.is_made()) note += fmt::format(", lock sha256:{}", site.lock_hash);
    if (const auto mark = read_mark(site.directory); mark && site.is_made())
      note += fmt::format(", made by {} with Python {}", mark->tool, mark->python);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace prengdl
