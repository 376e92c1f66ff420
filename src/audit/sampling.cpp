// SPDX-License-Identifier: Apache-2.0
//
// How evenly the meters were read. A counter forgives a gap; of a gauge nobody knows what it would
// have shown.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "audit/audited_runs.h"

namespace prengdl {
namespace {

/// Of the time: beyond this a gap may move the energy of a gauge by a percent.
constexpr double many_gaps = 0.01;
/// Intervals that differ by less are what any clock does.
constexpr double uneven = 0.1;
/// Mean intervals of runs that differ by more cannot come from one setting.
constexpr double unequal_runs = 0.0005;
constexpr std::size_t least_readings = 10;

/// The intervals of one meter over all runs.
struct MeterIntervals {
  std::size_t runs = 0;
  bool is_gauge = false;
  double shortest = INFINITY;  // single intervals
  double longest = 0;
  std::vector<double> medians;
  std::size_t without_stamps = 0;  // runs whose intervals are equal to the nanosecond
  std::size_t gaps = 0;
  double in_gaps = 0;
  double covered = 0;
};

std::map<std::string, MeterIntervals> intervals_of(const AuditRuns& runs) {
  std::map<std::string, MeterIntervals> found;
  for (const auto* run : runs.counted()) {
    const auto& series = runs.series(*run);
    for (std::size_t i = 0; i < series.meters.size(); ++i) {
      const auto& info = run->meters[i];
      const auto& meter = series.meters[i];
      if (!is_energy(info) || info.counted == Counted::channel || meter.readings < least_readings)
        continue;
      auto& all = found[info.id];
      ++all.runs;
      all.is_gauge = info.kind == Kind::gauge;
      all.shortest = std::min(all.shortest, meter.shortest.count());
      all.longest = std::max(all.longest, meter.longest.count());
      all.medians.push_back(meter.median.count());
      // Times that were computed are rounded to nanoseconds; a clock is never as even.
      all.without_stamps += (meter.longest - meter.shortest).count() < 3e-9;
      all.gaps += meter.gaps;
      all.in_gaps += meter.in_gaps.count();
      all.covered += meter.covered.count();
    }
  }
  return found;
}

/// 1, 2 or 5 times a power of ten, if the interval is within a tenth of it: what was asked for.
std::optional<double> nominal_interval(double interval) {
  const double power = std::pow(10, std::floor(std::log10(interval)));
  for (const double digit : {1.0, 2.0, 5.0, 10.0})
    if (std::abs(interval / (digit * power) - 1) < 0.1) return digit * power;
  return std::nullopt;
}

AuditFinding judge(const std::string& id, MeterIntervals meter) {
  std::sort(meter.medians.begin(), meter.medians.end());
  const double least = meter.medians.front();
  const double most = meter.medians.back();
  const double middle = meter.medians[meter.medians.size() / 2];
  const double share = meter.covered > 0 ? meter.in_gaps / meter.covered : 0;
  AuditFinding finding;
  finding.check = "sampling";
  finding.evidence = {{"meter", id},
                      {"runs", static_cast<double>(meter.runs)},
                      {"shortest_seconds", meter.shortest},
                      {"median_seconds", middle},
                      {"longest_seconds", meter.longest},
                      {"run_medians", std::vector<double>{least, most}},
                      {"gaps", static_cast<double>(meter.gaps)},
                      {"share_in_gaps", share}};
  std::string off;
  if (const auto nominal = nominal_interval(middle)) {
    finding.evidence.emplace_back("nominal_seconds", *nominal);
    off = fmt::format("; a sum of watts times {:g} s is off by {:+.2f} to {:+.2f} %", *nominal,
                      100 * (*nominal / most - 1), 100 * (*nominal / least - 1));
  }
  if (meter.is_gauge && meter.without_stamps == meter.runs && meter.runs > 1 &&
      most / least - 1 > unequal_runs) {
    finding.severity = AuditSeverity::warning;
    finding.message = fmt::format(
        "{}: readings without time stamps, and their interval is uneven from run to run, "
        "{:.4f} to {:.4f} s{}",
        id, least, most, off);
    finding.advice =
        "record time stamps (nvidia-smi --query-gpu=timestamp,power.draw), and integrate "
        "over them";
  } else if (meter.is_gauge && share >= many_gaps) {
    finding.severity = AuditSeverity::warning;
    finding.message = fmt::format(
        "{}: {} of the time lies in {} gaps of more than twice the usual "
        "{:.4g} s, the longest {:.4g} s",
        id, percent(share), meter.gaps, middle, meter.longest);
    finding.advice =
        "read it from a CPU that the workload does not use (sampler_cpus), or less often";
  } else if (meter.longest / middle - 1 > uneven ||
             (meter.is_gauge && middle / meter.shortest - 1 > uneven)) {
    // A late tick at a hundred a second is nothing; it is reported only if it lasts.
    const bool matters = meter.is_gauge && (meter.gaps > 0 || middle >= 0.5);
    finding.severity = matters ? AuditSeverity::note : AuditSeverity::ok;
    finding.message = fmt::format("{}: intervals from {:.4g} to {:.4g} s, usually {:.4g} s{}", id,
                                  meter.shortest, meter.longest, middle, matters ? off : "");
    if (matters) finding.advice = "integrate over the real times, as prengdl does";
  } else {
    finding.message = fmt::format("{}: read every {:.4g} s in {} runs", id, middle, meter.runs);
  }
  return finding;
}

}  // namespace

void audit_sampling(const AuditRuns& runs, AuditFindings& findings) {
  for (const auto& [id, meter] : intervals_of(runs)) findings.push_back(judge(id, meter));
  std::size_t flagged = 0;
  std::size_t missed = 0;
  std::size_t samples = 0;
  for (const auto* run : runs.counted()) {
    flagged += run->run.flags.contains(Flag::sampling_gaps);
    missed += run->run.missed_samples;
    samples += run->run.samples;
  }
  if (flagged == 0) return;
  const double share = static_cast<double>(flagged) / static_cast<double>(runs.counted().size());
  findings.push_back({"sampling",
                      share >= 0.1 ? AuditSeverity::warning : AuditSeverity::note,
                      {},
                      {{"flagged", static_cast<double>(flagged)},
                       {"missed_samples", static_cast<double>(missed)},
                       {"samples", static_cast<double>(samples)}},
                      fmt::format("{} runs are flagged sampling-gaps: {} samples were missed",
                                  of(flagged, runs.counted().size()), missed),
                      "give the sampler its own CPU (sampler_cpus), or sample less often (rate)"});
}

}  // namespace prengdl
