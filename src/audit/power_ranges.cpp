// SPDX-License-Identifier: Apache-2.0
//
// Whether the power of a run is one that its part of the machine can have.
#include "audit/power_ranges.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "audit/measured.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Shorter runs have a power that depends on when their meter was read.
constexpr double shortest_run = 0.1;

/// How many meters make up the domain in this run.
double meters_of(const StoredRun& run, const std::string& domain) {
  return static_cast<double>(
      std::count_if(run.meters.begin(), run.meters.end(), [&](const MeterInfo& meter) {
        return meter.domain == domain && is_energy(meter) && meter.counted != Counted::channel &&
               meter.counted != Counted::duplicate;
      }));
}

/// The runs of a domain and those whose power is out of range.
struct PowerOf {
  std::size_t runs = 0;
  std::size_t outside = 0;
  std::size_t cells_outside = 0;  // by their median
  double least = INFINITY;
  double most = 0;
  double high = 0;  // the highest limit that was applied
};

void look_at(const AuditRuns& runs, const MeasuredCell& one, const PowerRange& range,
             PowerOf& found) {
  std::vector<double> watts;
  double high = 0;
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    if (one.seconds[i] < shortest_run || one.runs[i]->run.flags.contains(Flag::short_run)) continue;
    const double parts = runs.study().imported.empty()
                             ? std::max(1.0, meters_of(*one.runs[i], one.domain))
                             : range.parts;
    high = std::max(high, parts * range.high.value);
    watts.push_back(one.joules[i] / one.seconds[i]);
    found.outside += watts.back() < range.low.value || watts.back() > parts * range.high.value;
    found.least = std::min(found.least, watts.back());
    found.most = std::max(found.most, watts.back());
  }
  if (watts.empty()) return;
  found.runs += watts.size();
  found.high = std::max(found.high, high);
  const double middle = median(watts);
  found.cells_outside += middle < range.low.value || middle > high;
}

}  // namespace

std::span<const PowerRange> power_ranges() {
  static constexpr std::array<PowerRange, 9> table{{
      {"package", Watts{0.3}, Watts{1000}, 4},
      {"cores", Watts{0.01}, Watts{1000}, 4},
      {"uncore", Watts{0}, Watts{300}, 4},
      {"igpu", Watts{0}, Watts{300}, 1},
      {"dram", Watts{0.02}, Watts{200}, 4},
      {"gpu", Watts{0.5}, Watts{2000}, 16},
      {"module", Watts{2}, Watts{3000}, 4},
      {"platform", Watts{0.5}, Watts{3000}, 1},
      {"machine", Watts{0.3}, Watts{20000}, 1},
  }};
  return table;
}

std::optional<PowerRange> power_range_of(std::string_view domain) {
  for (const auto& range : power_ranges())
    if (range.domain == domain) return range;
  return std::nullopt;
}

void audit_power(const AuditRuns& runs, AuditFindings& findings) {
  std::map<std::string, PowerOf> domains;
  for (const auto& one : measured_cells(runs))
    if (const auto range = power_range_of(one.domain))
      look_at(runs, one, *range, domains[one.domain]);
  std::size_t looked_at = 0;
  bool is_found = false;
  for (const auto& [domain, found] : domains) {
    looked_at += found.runs;
    if (found.outside == 0) continue;
    is_found = true;
    const double low = power_range_of(domain)->low.value;
    findings.push_back(
        {"implausible-power",
         found.cells_outside > 0 ? AuditSeverity::severe : AuditSeverity::warning,
         {},
         {{"domain", domain},
          {"runs_outside", static_cast<double>(found.outside)},
          {"runs", static_cast<double>(found.runs)},
          {"watts", std::vector<double>{found.least, found.most}},
          {"range", std::vector<double>{low, found.high}}},
         fmt::format("the {} draws {:.3g} to {:.3g} W, which is outside {:.3g} to {:.6g} W in {} "
                     "runs",
                     domain, found.least, found.most, low, found.high,
                     of(found.outside, found.runs)),
         "Check the units of the joules and seconds (mJ, Wh, ms), and which part the meter reads"});
  }
  if (looked_at > 0 && !is_found)
    findings.push_back({"implausible-power",
                        AuditSeverity::ok,
                        {},
                        {{"runs", static_cast<double>(looked_at)}},
                        "the power of all domains is plausible",
                        ""});
}

}  // namespace prengdl
