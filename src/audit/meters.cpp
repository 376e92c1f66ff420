// SPDX-License-Identifier: Apache-2.0
//
// Whether the figures agree with the samples behind them, and with the hardware that is said to
// have made them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "audit/audited_runs.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr double same_energy = 0.01;
constexpr double other_energy = 0.05;
/// A card's power and its energy counter agree to some percent, once a run lasts.
constexpr double power_by_time = 0.1;
constexpr Seconds long_enough{10};
/// A controller of power overshoots for moments, by little.
constexpr double overshoot = 1.1;
constexpr double overshoot_share = 0.001;

struct Mismatch {
  std::vector<double> off;  // one per run: stored / recomputed - 1
  std::size_t beyond = 0;
};

AuditFinding judge(const std::string& domain, const Mismatch& found, double limit,
                   const std::string& against) {
  double worst = 0;
  for (const double off : found.off) worst = std::abs(off) > std::abs(worst) ? off : worst;
  const double middle = median(found.off);
  const auto [least, most] = std::minmax_element(found.off.begin(), found.off.end());
  AuditFinding finding;
  finding.check = "energy-power-time";
  finding.severity = found.beyond == 0                 ? AuditSeverity::ok
                     : std::abs(middle) > other_energy ? AuditSeverity::severe
                                                       : AuditSeverity::warning;
  finding.evidence = {{"domain", domain},
                      {"against", against},
                      {"runs_beyond", static_cast<double>(found.beyond)},
                      {"runs", static_cast<double>(found.off.size())},
                      {"median_off", middle},
                      {"off", std::vector<double>{*least, *most}},
                      {"limit", limit}};
  if (found.beyond == 0) {
    finding.message = fmt::format("{} joules agree with {} to {}", domain, against,
                                  percent(std::max(std::abs(worst), 1e-4)));
  } else {
    finding.message =
        fmt::format("the {} joules of {} runs do not match {}: off by {:+.2f} to {:+.2f} %", domain,
                    of(found.beyond, found.off.size()), against, *least * 100, *most * 100);
    finding.advice =
        "take the integral of power over real times (import without --as-published), or "
        "state how the joules were computed";
  }
  return finding;
}

void check_energy(const AuditRuns& runs, AuditFindings& findings) {
  std::map<std::string, Mismatch> samples, power;
  for (const auto* run : runs.counted()) {
    const auto& energy = run->run.energy.domains;
    for (const auto& [domain, joules] : runs.series(*run).energy) {
      const auto stored = energy.find(domain);
      if (stored == energy.end() || !(joules.value > 0)) continue;
      const double off = stored->second.value / joules - 1;
      auto& found = samples[domain];
      found.off.push_back(off);
      const double unsure = stored->second.uncertainty / stored->second.value;
      found.beyond += std::abs(off) > std::max(same_energy, unsure);
    }
    if (run->run.window < long_enough) continue;
    for (const auto& channel : run->run.channels) {
      if (channel.unit != Unit::watt || !channel.name.ends_with("_power")) continue;
      const std::string domain = channel.name.substr(0, channel.name.size() - 6);
      const auto stored = energy.find(domain);
      if (stored == energy.end() || !(channel.mean > 0)) continue;
      const double off = stored->second.value / (Watts{channel.mean} * run->run.window) - 1;
      auto& found = power[domain];
      found.off.push_back(off);
      found.beyond += std::abs(off) > power_by_time;
    }
  }
  for (const auto& [domain, found] : samples)
    findings.push_back(judge(domain, found, same_energy, "the integral of their samples"));
  for (const auto& [domain, found] : power)
    findings.push_back(judge(domain, found, power_by_time, "mean power times time"));
}

/// Readings of one kind against a limit of the card.
struct Beyond {
  double highest = 0;
  std::size_t readings = 0;
  std::size_t above = 0;
  std::set<const StoredRun*> runs;
  std::size_t looked_at = 0;  // runs
};

template <class Which>
Beyond beyond(const AuditRuns& runs, Which which) {
  Beyond found;
  for (const auto* run : runs.counted()) {
    const auto& series = runs.series(*run);
    bool any = false;
    for (std::size_t i = 0; i < series.meters.size(); ++i) {
      const auto& meter = series.meters[i];
      if (!which(run->meters[i]) || !meter.highest) continue;
      any = true;
      found.highest = std::max(found.highest, *meter.highest);
      found.readings += meter.readings;
      found.above += meter.above_limit;
      if (meter.above_limit > 0) found.runs.insert(run);
    }
    found.looked_at += any;
  }
  return found;
}

AuditFinding against_card(const std::string& what, const Beyond& found, double limit,
                          const std::string& unit, AuditSeverity severity) {
  const auto shown = [&](double value) {
    return unit == "B" ? fmt::format("{:.4g} GiB", value / (1 << 30))
                       : fmt::format("{:.4g} W", value);
  };
  const double share = static_cast<double>(found.above) /
                       static_cast<double>(std::max<std::size_t>(1, found.readings));
  AuditFinding finding;
  finding.check = "hardware";
  finding.severity = severity;
  finding.evidence = {{"what", what},
                      {"highest", found.highest},
                      {"limit", limit},
                      {"share_above", share},
                      {"runs_above", static_cast<double>(found.runs.size())},
                      {"runs", static_cast<double>(found.looked_at)}};
  finding.message =
      severity == AuditSeverity::ok
          ? fmt::format("{} stays within the card's {}: at most {}", what, shown(limit),
                        shown(found.highest))
          : fmt::format(
                "{} of up to {} is beyond the stated card's {}: in {} runs, {} of the "
                "readings",
                what, shown(found.highest), shown(limit), of(found.runs.size(), found.looked_at),
                percent(share));
  if (severity != AuditSeverity::ok)
    finding.advice =
        "the runs were made on another card than stated, or the option is wrong: find out "
        "which (nvidia-smi -L) and record it";
  return finding;
}

void check_card(const AuditRuns& runs, AuditFindings& findings) {
  const auto& input = runs.input();
  if (input.gpu_memory_bytes) {
    const Beyond found = beyond(runs, is_gpu_memory);
    if (found.looked_at > 0)
      findings.push_back(against_card("GPU memory in use", found,
                                      static_cast<double>(*input.gpu_memory_bytes), "B",
                                      found.above > 0 ? AuditSeverity::severe : AuditSeverity::ok));
  }
  if (input.gpu_power_limit) {
    const Beyond found = beyond(runs, is_gpu_power);
    const double limit = input.gpu_power_limit->value;
    const bool is_beyond =
        found.highest > limit * overshoot ||
        static_cast<double>(found.above) > overshoot_share * static_cast<double>(found.readings);
    if (found.looked_at > 0)
      findings.push_back(against_card("GPU power", found, limit, "W",
                                      found.above == 0 ? AuditSeverity::ok
                                      : is_beyond      ? AuditSeverity::severe
                                                       : AuditSeverity::note));
  }
}

/// What no hardware does, and what this machine says that it does not.
void check_plausible(const AuditRuns& runs, AuditFindings& findings) {
  std::map<std::string, std::pair<double, std::size_t>> impossible;  // highest, runs
  const auto add = [&](const std::string& what, double value) {
    auto& [highest, count] = impossible[what];
    highest = std::max(highest, value);
    ++count;
  };
  std::map<std::string, double> package_limit;
  for (const auto& machine : runs.input().machines)
    for (const auto& limit : machine.facts.frequency.power_limits)
      if (limit.name == "long_term") package_limit[machine.fingerprint] += limit.limit.value;
  for (const auto* run : runs.counted()) {
    std::optional<double> recorded_limit;
    std::optional<double> gpu_power;
    for (const auto& channel : run->run.channels) {
      if (channel.unit == Unit::share && channel.name.starts_with("gpu_") && channel.highest > 1.01)
        add(channel.name + " above 100 %", channel.highest);
      if (channel.unit == Unit::celsius && channel.highest > 125)
        add(channel.name + " above 125 degC", channel.highest);
      if (channel.name == "gpu_power_limit") recorded_limit = channel.highest;
      if (channel.name == "gpu_power") gpu_power = channel.mean;
    }
    if (recorded_limit && gpu_power && *gpu_power > *recorded_limit * overshoot)
      add("gpu_power above the limit that the card reports, on average", *gpu_power);
    const auto package = run->run.energy.domains.find("package");
    const auto limit = package_limit.find(run->machine);
    if (package == run->run.energy.domains.end() || limit == package_limit.end() ||
        run->run.window < long_enough || !(limit->second > 0))
      continue;
    const Watts mean = package->second.value / run->run.window;
    if (mean.value > limit->second * overshoot)
      add("package power above its long-term limit, on average", mean.value);
  }
  for (const auto& [what, found] : impossible)
    findings.push_back(
        {"hardware",
         AuditSeverity::warning,
         {},
         {{"what", what}, {"highest", found.first}, {"runs", static_cast<double>(found.second)}},
         fmt::format("{}: up to {:.4g} in {} runs", what, found.first, found.second),
         "check units and columns of what was imported, and the meter"});
}

}  // namespace

void audit_meters(const AuditRuns& runs, AuditFindings& findings) {
  check_energy(runs, findings);
  check_card(runs, findings);
  check_plausible(runs, findings);
}

}  // namespace prengdl
