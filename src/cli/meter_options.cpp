// SPDX-License-Identifier: Apache-2.0
#include "cli/meter_options.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/parse.h"
#include "base/strings.h"
#include "meters/gpu_facts.h"
#include "privilege/helper.h"

namespace prengdl {

void MeterOptions::declare(Arguments& arguments) {
  arguments.text("--root", root, "read /sys, /proc and /dev below this directory", "DIR");
  arguments.texts(
      "--meter", exec,
      "a command that prints lines of watts or joules, such as '123.4 W' (a wall meter); "
      "DOMAIN=CMD states what it covers (default: the machine), DOMAIN@1%=CMD its accuracy",
      "CMD");
  arguments.texts("--rail", rails, "count a hwmon rail; LABEL=DOMAIN states what it covers",
                  "LABEL=DOMAIN");
}

std::vector<std::string> MeterOptions::named_domains() const {
  std::vector<std::string> domains;
  for (const auto& text : exec)
    if (const auto equals = text.find('='); equals != std::string::npos)
      domains.push_back(text.substr(0, std::min(equals, text.find('@'))));
  for (const auto& text : rails) domains.push_back(text.substr(text.rfind('=') + 1));
  return domains;
}

MeterSearch MeterOptions::search() const {
  if (!std::filesystem::is_directory(root))
    throw UsageError("--root " + root + " is not a directory",
                     "give the directory that contains sys, proc and dev");
  MeterSearch search;
  search.root = std::filesystem::absolute(root).lexically_normal();
  search.variables = process_variables();
  search.exec = exec;
  search.rails = rails;
  // Below another root nothing is read with more rights than the user's.
  if (Helper* helper = root_helper(); helper && search.root == "/") {
    search.open_protected = [helper](const std::string& kind, const std::string& entry,
                                     const std::string& attribute) {
      return helper->open_meter(kind, entry, attribute);
    };
    search.open_perf_event = [helper](std::uint32_t, std::uint64_t config, int cpu) {
      return helper->open_perf_event(config, cpu).release();
    };
  }
  return search;
}

FoundMeters find_meters(const MeterSearch& search) {
  FoundMeters found = find_all(search);
  for (const auto& one : found.left_out) {
    if (one.asked == Asked::wrongly) throw UsageError(one.reason, one.advice);
    if (one.asked == Asked::yes) throw Error(one.reason, one.advice);
  }
  return found;
}

bool measures_energy(const FoundMeters& found) {
  return std::any_of(found.meters.begin(), found.meters.end(), [](const auto& meter) {
    const MeterInfo& info = meter->info();
    const bool counts = info.counted == Counted::yes || info.counted == Counted::alone ||
                        info.counted == Counted::platform;
    return is_energy(info) && counts && info.quality != Quality::model;
  });
}

std::vector<std::uint64_t> gpu_memories(const MeterSearch& search) {
  std::vector<std::uint64_t> memories;
  auto gpus = nvml_facts(search);
  for (auto& gpu : rocm_facts(search)) gpus.push_back(std::move(gpu));
  for (const auto& gpu : gpus)
    if (gpu.allocated) memories.push_back(gpu.memory_bytes.value_or(0));
  return memories;
}

Seconds duration_option(const std::string& name, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) throw UsageError(name + ": " + duration.error().what(), duration.error().hint);
  return *duration;
}

double share_option(const std::string& name, const std::string& text) {
  const auto content = trimmed(text);
  const bool is_percent = content.ends_with('%');
  const auto number = parse_number(content.substr(0, content.size() - (is_percent ? 1 : 0)));
  if (!number || *number < 0 || (is_percent ? *number > 100 : *number >= 1))
    throw UsageError(name + " '" + text + "' is not a share", "write 1%, 0.5% or 0");
  return is_percent ? *number / 100 : *number;
}

}  // namespace prengdl
