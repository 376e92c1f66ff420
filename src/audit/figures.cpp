// SPDX-License-Identifier: Apache-2.0
//
// Whether joules that are declared as measured look like the readings of a meter.
#include <fmt/core.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <map>
#include <set>

#include "audit/measured.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Seconds that differ by less say nothing about a meter that does not move.
constexpr double different_seconds = 1e-3;
/// No meter repeats itself by chance this rarely.
constexpr double stuck_p = 1e-4;
/// The mean power of real runs varies by more than this.
constexpr double constant_watts = 1e-4;
/// Power that varies so many times less than time did not come from a meter.
constexpr double steadier = 20;
/// A step of this share of the energy is coarse by itself; a smaller one if it hides the spread.
constexpr double coarse_share = 0.01;
constexpr double notable_share = 0.001;

using ByDomain = std::map<std::string, std::vector<MeasuredCell>>;

ByDomain by_domain(const AuditRuns& runs) {
  ByDomain domains;
  for (auto& one : measured_cells(runs)) domains[one.domain].push_back(std::move(one));
  return domains;
}

/// The step of a domain's joules: as its meters state it or as the figures show it, the larger.
double step_of(const std::vector<MeasuredCell>& cells) {
  std::vector<double> all;
  double stated = 0;
  for (const auto& one : cells) {
    all.insert(all.end(), one.joules.begin(), one.joules.end());
    for (const auto* run : one.runs)
      for (const auto& meter : run->meters)
        if (meter.domain == one.domain && meter.unit == Unit::joule)
          stated = std::max(stated, meter.quantum);
  }
  if (const auto shown = common_step(all)) return std::max(stated, *shown);
  double shown = INFINITY;
  for (const double joules : all)
    if (joules > 0) shown = std::min(shown, last_digit(joules));
  return std::isfinite(shown) ? std::max(stated, shown) : stated;
}

/// Runs of a cell that repeat the joules of another run, although their seconds differ.
std::size_t repeats_of(const MeasuredCell& one) {
  std::map<double, std::set<double>> seconds;
  for (std::size_t i = 0; i < one.joules.size(); ++i) seconds[one.joules[i]].insert(one.seconds[i]);
  std::size_t repeats = 0;
  for (const auto& [joules, lengths] : seconds)
    if (*lengths.rbegin() > *lengths.begin() * (1 + different_seconds))
      repeats += lengths.size() - 1;
  return repeats;
}

/// How many repeats the meter's step makes by chance: normal values that are rounded to it.
double expected_repeats(const MeasuredCell& one, double step) {
  const auto n = static_cast<double>(one.joules.size());
  if (n < 2) return 0;
  double spread = standard_deviation(one.joules);
  if (!(spread > 0))
    spread = median(one.joules) / median(one.seconds) * standard_deviation(one.seconds);
  const double chance = spread > 0 ? step / (2 * std::sqrt(M_PI) * spread) : 1;
  return n * (n - 1) / 2 * std::min(1.0, chance);
}

void check_stuck(const AuditRuns& runs, const ByDomain& domains, AuditFindings& findings) {
  const std::size_t before = findings.size();
  for (const auto& [domain, cells] : domains) {
    const double step = step_of(cells);
    std::size_t repeats = 0, cells_with = 0, count = 0;
    double expected = 0;
    for (const auto& one : cells) {
      const std::size_t found = repeats_of(one);
      repeats += found;
      cells_with += found > 0;
      count += one.runs.size();
      expected += expected_repeats(one, step);
    }
    if (repeats == 0) continue;
    const double p =
        expected > 0 ? boost::math::gamma_p(static_cast<double>(repeats), expected) : 0;
    if (p >= stuck_p) continue;
    findings.push_back(
        {"stuck-meter",
         AuditSeverity::severe,
         {},
         {{"domain", domain},
          {"repeats", static_cast<double>(repeats)},
          {"runs", static_cast<double>(count)},
          {"cells", static_cast<double>(cells_with)},
          {"expected_by_step", expected},
          {"p", p}},
         fmt::format("{} runs repeat the {} joules of another run of their cell, although their "
                     "seconds differ ({:.2g} expected by chance)",
                     of(repeats, count), domain, expected),
         "Check that the meter is read in every run (prengdl meters) and measure again. Exclude "
         "these runs from energy comparisons"});
  }
  std::size_t flagged = 0;
  for (const auto* run : runs.counted()) flagged += run->run.flags.contains(Flag::stuck_meter);
  if (flagged > 0)
    findings.push_back({"stuck-meter",
                        AuditSeverity::warning,
                        {},
                        {{"flagged", static_cast<double>(flagged)},
                         {"runs", static_cast<double>(runs.counted().size())}},
                        fmt::format("a counter stopped during {} runs, so they lack its domain",
                                    of(flagged, runs.counted().size())),
                        "Find out why the counter stops (dmesg, other readers of it), then measure "
                        "these runs again"});
  if (findings.size() == before && !domains.empty())
    findings.push_back({"stuck-meter",
                        AuditSeverity::ok,
                        {},
                        {{"domains", static_cast<double>(domains.size())}},
                        "no meter repeats its figures",
                        ""});
}

/// How little the power varies between the runs of a cell, against which it is judged; nothing if
/// the runs are too few or too equal in length to tell.
struct Steadiness {
  double of_watts = 0;  // relative ranges
  double of_seconds = 0;
  double by_rounding = 0;
  bool is_constant() const {
    return of_watts <= constant_watts + by_rounding && of_watts * steadier <= of_seconds;
  }
};

std::optional<Steadiness> steadiness_of(const MeasuredCell& one, bool by_wall) {
  if (one.runs.size() < 3) return std::nullopt;
  std::vector<double> watts, lengths;
  Steadiness found;
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    const double seconds = by_wall ? one.runs[i]->run.wall.count() : one.seconds[i];
    if (!(seconds > 0) || !(one.joules[i] > 0)) return std::nullopt;
    lengths.push_back(seconds);
    watts.push_back(one.joules[i] / seconds);
    found.by_rounding = std::max(found.by_rounding, last_digit(one.joules[i]) / one.joules[i] +
                                                        last_digit(seconds) / seconds);
  }
  found.of_watts = relative_range(watts);
  found.of_seconds = relative_range(lengths);
  if (found.of_seconds < different_seconds) return std::nullopt;
  return found;
}

void check_constant_power(const ByDomain& domains, AuditFindings& findings) {
  bool any = false, is_found = false;
  for (const auto& [domain, cells] : domains) {
    std::size_t eligible = 0, constant = 0, count = 0;
    double widest = 0, narrowest = INFINITY;
    std::vector<double> watts;
    for (const auto& one : cells) {
      const auto by_window = steadiness_of(one, false);
      const auto by_wall = steadiness_of(one, true);
      if (!by_window && !by_wall) continue;
      ++eligible;
      const auto steady = by_window && by_window->is_constant() ? by_window : by_wall;
      if (!steady || !steady->is_constant()) continue;
      ++constant;
      count += one.runs.size();
      widest = std::max(widest, steady->of_watts);
      narrowest = std::min(narrowest, steady->of_seconds);
      watts.push_back(median(one.joules) / median(one.seconds));
    }
    any = any || eligible > 0;
    if (constant * 2 < eligible || count < 5) continue;
    is_found = true;
    const auto [least, most] = std::minmax_element(watts.begin(), watts.end());
    findings.push_back(
        {"constant-power",
         AuditSeverity::severe,
         {},
         {{"domain", domain},
          {"cells", static_cast<double>(constant)},
          {"cells_looked_at", static_cast<double>(eligible)},
          {"runs", static_cast<double>(count)},
          {"watts", std::vector<double>{*least, *most}},
          {"power_range", widest},
          {"seconds_range", narrowest}},
         fmt::format("the {} joules are seconds times a constant in {} cells ({:.4g} to {:.4g} W, "
                     "equal to {} within a cell): they were computed, not measured",
                     domain, of(constant, eligible), *least, *most,
                     percent(std::max(widest, 1e-9))),
         "Compare seconds only, or measure with a meter. Declare computed joules as modelled "
         "(import csv --quality model)"});
  }
  if (any && !is_found)
    findings.push_back({"constant-power",
                        AuditSeverity::ok,
                        {},
                        {{"domains", static_cast<double>(domains.size())}},
                        "power varies between the runs of a cell, as measured power does",
                        ""});
}

/// What the step does to the figures of one cell.
struct Coarseness {
  double of_energy = 0;  // the step as a share of the compared joules
  double of_spread = 0;  // the step in standard deviations of them; 0 if that is not known
  bool is_coarse() const {
    return of_energy >= coarse_share || (of_energy >= notable_share && of_spread >= 1);
  }
};

std::optional<Coarseness> coarseness_of(const AuditRuns& runs, const MeasuredCell& one,
                                        double step) {
  const std::string& primary = runs.study().analysis.primary;
  const bool is_by_total = primary == measures::metered;
  std::vector<double> compared;
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    const auto& covers = one.runs[i]->run.energy.covers;
    if (is_by_total && std::find(covers.begin(), covers.end(), one.domain) == covers.end())
      return std::nullopt;
    const auto value = is_energy_measure(primary) ? runs.value(*one.runs[i], primary)
                                                  : std::optional(one.joules[i]);
    if (value && *value > 0) compared.push_back(*value);
  }
  if (compared.empty()) return std::nullopt;
  Coarseness found{step / median(compared), 0};
  if (compared.size() >= 3) {
    const double spread = standard_deviation(compared);
    found.of_spread = spread > 0 ? step / spread : INFINITY;
  }
  return found;
}

void check_coarse_step(const AuditRuns& runs, const ByDomain& domains, AuditFindings& findings) {
  const std::string& primary = runs.study().analysis.primary;
  bool any = false, is_found = false;
  for (const auto& [domain, cells] : domains) {
    if (is_energy_measure(primary) && primary != measures::metered && primary != domain) continue;
    const double step = step_of(cells);
    std::size_t looked_at = 0, coarse = 0;
    double largest = 0, most_of_spread = 0;
    for (const auto& one : cells) {
      const auto found = coarseness_of(runs, one, step);
      if (!found) continue;
      ++looked_at;
      coarse += found->is_coarse();
      largest = std::max(largest, found->of_energy);
      if (std::isfinite(found->of_spread))
        most_of_spread = std::max(most_of_spread, found->of_spread);
    }
    any = any || looked_at > 0;
    if (coarse == 0) continue;
    is_found = true;
    const bool is_gross = largest >= runs.study().analysis.margin;
    findings.push_back(
        {"coarse-step",
         is_gross ? AuditSeverity::severe : AuditSeverity::warning,
         {},
         {{"domain", domain},
          {"step", step},
          {"share_of_energy", largest},
          {"standard_deviations", most_of_spread},
          {"cells", static_cast<double>(coarse)},
          {"cells_looked_at", static_cast<double>(looked_at)}},
         fmt::format("the {} joules move in steps of {:.4g} J, up to {} of a run's energy: too "
                     "coarse in {} cells",
                     domain, step, percent(largest), of(coarse, looked_at)),
         "Make each run longer (more steps or epochs), so that one step of the meter is below "
         "0.1 % of it, or use a finer meter"});
  }
  if (any && !is_found)
    findings.push_back({"coarse-step",
                        AuditSeverity::ok,
                        {},
                        {{"domains", static_cast<double>(domains.size())}},
                        "the meters' steps are small against the energy of a run",
                        ""});
}

}  // namespace

void audit_figures(const AuditRuns& runs, AuditFindings& findings) {
  const ByDomain domains = by_domain(runs);
  check_stuck(runs, domains, findings);
  check_constant_power(domains, findings);
  check_coarse_step(runs, domains, findings);
}

}  // namespace prengdl
