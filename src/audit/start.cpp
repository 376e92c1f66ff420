// SPDX-License-Identifier: Apache-2.0
//
// Whether the machine was at rest when a run began.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "audit/audited_runs.h"

namespace prengdl {
namespace {

/// A run starts warm from this far above rest on. Cards at rest show 5.2 to 8.9 W in one published
/// study and 35.8 to 41.0 W in another, so it takes both; sensors of heat have steps of one degree.
constexpr double power_ratio = 1.5;
constexpr double power_distance = 5;    // W
constexpr double celsius_distance = 5;  // degC
/// From this share of runs on it is a matter of the protocol, not of single runs.
constexpr double many = 0.1;

/// What a run started from: watts of its GPUs together, or its hottest sensor.
template <class Which>
std::optional<double> start_of(const AuditRuns& runs, const StoredRun& run, bool sum, Which which) {
  const auto& series = runs.series(run);
  std::optional<double> found;
  for (std::size_t i = 0; i < series.meters.size(); ++i) {
    const auto& first = series.meters[i].first;
    if (!first || !which(run.meters[i])) continue;
    found = sum ? found.value_or(0) + *first : std::max(found.value_or(*first), *first);
  }
  return found;
}

/// A card's power may be there twice, as a meter and as a channel next to its counter.
std::optional<double> start_power(const AuditRuns& runs, const StoredRun& run) {
  for (const char* domain : {"gpu", "gpu_power"})
    if (const auto found = start_of(runs, run, true, [&](const MeterInfo& info) {
          return is_gpu_power(info) && info.domain == domain;
        }))
      return found;
  return std::nullopt;
}

std::optional<double> start_temperature(const AuditRuns& runs, const StoredRun& run) {
  return start_of(runs, run, false, is_temperature);
}

/// The idle power of the GPU by the baseline that the study measured itself.
std::optional<double> idle_power(const StoredRun& run) {
  if (!run.run.net || !(run.run.window.count() > 0)) return std::nullopt;
  const auto gross = run.run.energy.domains.find("gpu");
  const auto net = run.run.net->domains.find("gpu");
  if (gross == run.run.energy.domains.end() || net == run.run.net->domains.end())
    return std::nullopt;
  return (gross->second.value - net->second.value).value / run.run.window.count();
}

/// The low end of what runs started from: one in twenty.
double rest_of(std::vector<double> starts) {
  std::sort(starts.begin(), starts.end());
  return starts[starts.size() / 20];
}

struct Starts {
  std::vector<const StoredRun*> runs;
  std::vector<double> values;
  double rest = 0;
  double limit = 0;
  std::size_t warm() const {
    return static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [&](double value) { return value > limit; }));
  }
};

template <class Start>
Starts starts_of(const AuditRuns& runs, Start start) {
  Starts found;
  for (const auto* run : runs.counted())
    if (const auto value = start(runs, *run)) {
      found.runs.push_back(run);
      found.values.push_back(*value);
    }
  if (!found.values.empty()) found.rest = rest_of(found.values);
  return found;
}

void report(const Starts& starts, const std::string& what, const std::string& one_case,
            AuditFindings& findings) {
  const std::size_t warm = starts.warm();
  const double share = static_cast<double>(warm) / static_cast<double>(starts.values.size());
  const auto hottest = std::max_element(starts.values.begin(), starts.values.end());
  const bool is_found = warm > 0;
  findings.push_back(
      {"settled",
       share >= many ? AuditSeverity::warning
       : is_found    ? AuditSeverity::note
                     : AuditSeverity::ok,
       {},
       {{"what", what},
        {"warm_runs", static_cast<double>(warm)},
        {"runs", static_cast<double>(starts.values.size())},
        {"rest", starts.rest},
        {"limit", starts.limit},
        {"highest", *hottest}},
       is_found ? fmt::format("{} runs start with the {} above {:.3g} {} (at rest {:.3g}, highest "
                              "{:.3g}): the pause before them was too short",
                              of(warm, starts.values.size()), what, starts.limit, one_case,
                              starts.rest, *hottest)
                : fmt::format("{} runs start with the {} at rest, up to {:.3g} {}",
                              starts.values.size(), what, *hottest, one_case),
       is_found ? "wait until power and temperature are back at idle, not for a fixed time (settle "
                  "= { at_most = \"10min\" })"
                : ""});
}

/// Where the files do not say when a run was made: if the first run of nearly every cell starts
/// coldest, the runs of a cell were made in a row after a pause.
void check_pattern(const AuditRuns& runs, const Starts& power, AuditFindings& findings) {
  if (runs.knows_order()) return;
  std::size_t cells = 0;
  std::size_t coldest_first = 0;
  double log_chance = 0;
  for (const auto& cell : runs.cells()) {
    std::vector<double> starts;
    for (const auto* run : cell.runs)
      if (const auto value = start_power(runs, *run)) starts.push_back(*value);
    if (starts.size() < 3) continue;
    ++cells;
    if (std::min_element(starts.begin(), starts.end()) != starts.begin()) continue;
    ++coldest_first;
    log_chance -= std::log(static_cast<double>(starts.size()));
  }
  if (cells == 0 || coldest_first * 2 < cells) return;
  // At most: any choice of so many cells.
  log_chance += std::lgamma(static_cast<double>(cells) + 1) -
                std::lgamma(static_cast<double>(coldest_first) + 1) -
                std::lgamma(static_cast<double>(cells - coldest_first) + 1);
  if (log_chance > std::log(0.001)) return;
  findings.push_back(
      {"back-to-back",
       AuditSeverity::warning,
       {},
       {{"coldest_first", static_cast<double>(coldest_first)},
        {"cells", static_cast<double>(cells)},
        {"warm_runs", static_cast<double>(power.warm())}},
       fmt::format("in {} cells the first run starts with the GPU coldest and the later ones warm: "
                   "the runs of a cell were made in a row",
                   of(coldest_first, cells)),
       "alternate the cells (order = \"adjacent\"): replicates in a row share heat, caches and the "
       "time of day"});
}

void check_flags(const AuditRuns& runs, AuditFindings& findings) {
  std::size_t asked = 0;
  std::size_t missed = 0;
  double longest = 0;
  for (const auto* run : runs.counted()) {
    if (!run->run.settling) continue;
    ++asked;
    missed += !run->run.settling->settled;
    longest = std::max(longest, run->run.settling->took.count());
  }
  if (asked == 0) return;
  const double share = static_cast<double>(missed) / static_cast<double>(asked);
  findings.push_back(
      {"settled",
       share >= many ? AuditSeverity::warning
       : missed > 0  ? AuditSeverity::note
                     : AuditSeverity::ok,
       {},
       {{"what", "the wait for rest"},
        {"missed", static_cast<double>(missed)},
        {"runs", static_cast<double>(asked)},
        {"longest_seconds", longest}},
       missed > 0 ? fmt::format("{} runs began before the machine was at rest: the wait of up to "
                                "{:.3g} s ended first",
                                of(missed, asked), longest)
                  : fmt::format("the machine came to rest before each of {} runs", asked),
       missed > 0 ? "raise settle.at_most, or find what keeps the machine busy" : ""});
}

}  // namespace

void audit_start(const AuditRuns& runs, AuditFindings& findings) {
  check_flags(runs, findings);
  if (runs.study().protocol.start == Start::warm) return;  // every run is warmed up alike
  Starts power = starts_of(runs, start_power);
  if (power.values.size() > 1) {
    if (const auto idle = idle_power(*power.runs.front())) power.rest = *idle;
    power.limit = std::max(power.rest * power_ratio, power.rest + power_distance);
    report(power, "GPU's power", "W", findings);
    check_pattern(runs, power, findings);
  }
  Starts heat = starts_of(runs, start_temperature);
  if (heat.values.size() > 1) {
    heat.limit = heat.rest + celsius_distance;
    report(heat, "temperature", "degC", findings);
  }
}

}  // namespace prengdl
