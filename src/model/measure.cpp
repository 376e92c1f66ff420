// SPDX-License-Identifier: Apache-2.0
#include "model/measure.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "base/suggestions.h"

namespace prengdl {
namespace {

bool is_cpu_time(const std::string& measure) {
  return measure == measures::cpu_seconds || measure == "user_seconds" ||
         measure == "system_seconds";
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

MeasureKind kind_of(const std::string& measure) {
  if (measure == measures::seconds) return MeasureKind::time;
  if (is_cpu_time(measure)) return MeasureKind::cpu_time;
  return is_latency(measure) ? MeasureKind::latency : MeasureKind::energy;
}

bool is_energy_measure(const std::string& measure) {
  return kind_of(measure) == MeasureKind::energy;
}

bool is_latency(const std::string& measure) { return measure.starts_with("latency"); }

bool is_in_seconds(const std::string& measure) { return !is_energy_measure(measure); }

std::string_view unit_of(const std::string& measure) { return is_in_seconds(measure) ? "s" : "J"; }

std::string title_of(const std::string& measure) {
  if (measure == measures::seconds) return "time";
  if (measure == measures::metered) return "energy";
  if (measure == measures::cpu_seconds) return "CPU time";
  if (measure == "user_seconds") return "user CPU time";
  if (measure == "system_seconds") return "system CPU time";
  if (!is_latency(measure)) return measure + " energy";
  std::string title = measure;
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

const std::vector<std::string>& known_measures() {
  static const std::vector<std::string> names{
      "metered", "seconds", "cpu_seconds", "user_seconds", "system_seconds", "package", "dram",
      "gpu",     "machine", "platform",    "cores",        "uncore",         "igpu",    "module"};
  return names;
}

bool is_known_measure(const std::string& name, const std::vector<std::string>& domains) {
  return is_among(name, known_measures()) || is_among(name, domains) || is_latency(name) ||
         name.starts_with("rail:");
}

std::string measure_advice(const std::string& name, const std::vector<std::string>& domains) {
  auto all = known_measures();
  for (const auto& domain : domains)
    if (!is_among(domain, all)) all.push_back(domain);
  const auto meant = name.size() <= 200 ? nearest(name, all) : std::nullopt;
  return fmt::format("{}The measures are {}, and latencies that the workload emits (latency_p99).",
                     meant ? "Did you mean '" + *meant + "'? " : "", joined(all, ", "));
}

std::optional<double> cpu_time_of_run(const Run& run, const std::string& measure) {
  // No program starts without any CPU time: two zeros stand for an imported run without figures.
  if (!is_cpu_time(measure) || run.user + run.system <= Seconds{0}) return std::nullopt;
  if (measure == "user_seconds") return run.user.count();
  if (measure == "system_seconds") return run.system.count();
  return (run.user + run.system).count();
}

}  // namespace prengdl
