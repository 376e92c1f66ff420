// SPDX-License-Identifier: Apache-2.0
#include "cli/study_environments.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "meters/gpu_facts.h"
#include "run/environment_locks.h"
#include "run/share.h"
#include "run/study_workload.h"

namespace prengdl {
namespace {

std::filesystem::path home_directory() {
  const char* home = std::getenv("HOME");
  return home && *home ? home : "/root";
}

bool has_nvidia_gpu(const MeterSearch& search) {
  const auto gpus = nvml_facts(search);
  return std::any_of(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu.allocated; });
}

}  // namespace

void EnvironmentOptions::declare(Arguments& arguments) {
  arguments.text("--cache", cache,
                 "where environments lie (default: $PRENGDL_CACHE, else ~/.cache/prengdl)", "DIR");
  arguments.text("--variant", variant,
                 "cpu or cuda, of environments that have both (default: by this machine's GPUs)",
                 "NAME");
  arguments.text("--data", data,
                 "where data sets lie (default: $PRENGDL_DATA, else data in the cache)", "DIR");
}

EnvironmentPlaces EnvironmentOptions::places(const MeterSearch& search) const {
  EnvironmentPlaces places;
  places.share = find_share().value_or("");
  places.cache = cache_directory(cache, search.environment, home_directory());
  places.data = data_directory(data, search.environment, places.cache);
  if (!variant.empty() && variant != "cpu" && variant != "cuda")
    throw UsageError("--variant " + variant + " is neither cpu nor cuda",
                     "leave it out to take what this machine has");
  places.variant = !variant.empty() ? variant : has_nvidia_gpu(search) ? "cuda" : "cpu";
  return places;
}

std::string setup_call(const std::string& study, const std::string& preset,
                       const EnvironmentOptions& options) {
  std::vector<std::string> words{"prengdl", "setup", study};
  if (!preset.empty()) words.insert(words.end(), {"--preset", preset});
  if (!options.cache.empty()) words.insert(words.end(), {"--cache", options.cache});
  if (!options.variant.empty()) words.insert(words.end(), {"--variant", options.variant});
  return shell_line(words);
}

std::vector<std::string> environments_to_name() {
  return known_environments(find_share().value_or(""));
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
  std::string text;
  for (const auto& line : missing) text += (text.empty() ? "" : "\n  ") + line;
  throw Error(text, "make what is missing with: " + setup);
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
