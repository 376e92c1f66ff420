// SPDX-License-Identifier: Apache-2.0
#include "cli/environment_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/shell_words.h"
#include "base/strings.h"
#include "environments/locks.h"
#include "environments/shipped_files.h"
#include "meters/gpu_facts.h"

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
                 "directory of the environments (default: $PRENGDL_CACHE, else ~/.cache/prengdl)",
                 "DIR");
  arguments.text("--variant", variant,
                 "cpu or cuda, for environments that have both (default: depends on this machine)",
                 "NAME");
  arguments.text("--data", data,
                 "directory of the data sets (default: $PRENGDL_DATA, else data in the cache)",
                 "DIR");
}

EnvironmentPlaces EnvironmentOptions::places(const MeterSearch& search) const {
  EnvironmentPlaces places;
  places.share = find_share().value_or("");
  places.cache = cache_directory(cache, search.variables, home_directory());
  places.data = data_directory(data, search.variables, places.cache);
  if (!variant.empty() && variant != "cpu" && variant != "cuda")
    throw UsageError("--variant " + variant + " is neither cpu nor cuda",
                     "leave it out to use what this machine has");
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

}  // namespace prengdl
