// SPDX-License-Identifier: Apache-2.0
//
// When the compared levels were run: at the same hours, and in changing order.
#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>

#include "audit/audited_runs.h"
#include "audit/time_checks.h"

namespace prengdl {
namespace {

/// Half of the runs of a level began at hours at which the other level did not run.
constexpr double different_hours = 0.5;
constexpr double other_part_of_day = 0.8;
/// Closer levels see the same part of the day; `confounded-time` looks at which came first.
constexpr double hours_apart = 2;
constexpr double schedule_p = 0.01;
/// Nearly always the same level first.
constexpr double fixed_share = 0.9;
constexpr double fixed_p = 0.01;
/// Of fewer even a fixed order can be chance.
constexpr std::size_t fewest_pairs = 8;

std::string clock_time(double hour) {
  const auto minutes = static_cast<int>(std::lround(hour * 60)) % (24 * 60);
  return fmt::format("{:02}:{:02}", minutes / 60, minutes % 60);
}

double apart_on_clock(double a, double b) {
  const double distance = std::abs(a - b);
  return std::min(distance, 24 - distance);
}

/// The two levels whose hours differ most.
struct LevelHours {
  std::string first, second;
  DayDifference day;
  double mean_apart = 0;  // hours
  double gap() const { return day.first - day.second; }
};

std::optional<LevelHours> most_different_hours(
    const std::map<std::string, std::vector<double>>& hours) {
  std::optional<LevelHours> worst;
  const auto pairs = static_cast<double>(hours.size() * (hours.size() - 1)) / 2;
  for (auto a = hours.begin(); a != hours.end(); ++a)
    for (auto b = std::next(a); b != hours.end(); ++b) {
      const auto of_a = mean_hour(a->second), of_b = mean_hour(b->second);
      // Hours all around the clock have no mean, so nothing says that they are close.
      const double apart = of_a && of_b ? apart_on_clock(*of_a, *of_b) : 12;
      LevelHours one{a->first, b->first, day_difference(a->second, b->second), apart};
      one.day.p = std::min(1.0, one.day.p * pairs);
      const bool is_worse = !worst || (apart >= hours_apart) > (worst->mean_apart >= hours_apart) ||
                            ((apart >= hours_apart) == (worst->mean_apart >= hours_apart) &&
                             one.gap() > worst->gap());
      if (is_worse) worst = one;
    }
  return worst;
}

void check_time_of_day(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.cases().empty()) return;
  std::map<std::string, std::vector<double>> hours;
  for (const auto* run : runs.counted())
    if (const auto hour = hour_of_day(run->run.started_at))
      hours[runs.level(*run)].push_back(*hour);
  const auto worst = most_different_hours(hours);
  if (!worst) return;
  const bool is_found = worst->gap() >= different_hours && worst->mean_apart >= hours_apart &&
                        worst->day.p < schedule_p;
  AuditFinding finding;
  finding.check = "time-of-day";
  finding.severity = !is_found                           ? AuditSeverity::ok
                     : worst->gap() >= other_part_of_day ? AuditSeverity::severe
                                                         : AuditSeverity::warning;
  finding.evidence = {{"levels", worst->first + ", " + worst->second},
                      {"hours", std::vector<double>{worst->day.from, worst->day.to}},
                      {"shares", std::vector<double>{worst->day.first, worst->day.second}},
                      {"mean_hours_apart", worst->mean_apart},
                      {"p_corrected", worst->day.p}};
  finding.message = is_found
                        ? fmt::format(
                              "{} of the runs of {} began between {} and {}, but {} of those of {} "
                              "({})",
                              percent(worst->day.first), worst->first, clock_time(worst->day.from),
                              clock_time(worst->day.to), percent(worst->day.second), worst->second,
                              p_text(worst->day.p))
                        : "the levels were run at the same hours of the day";
  if (is_found)
    finding.advice =
        "Alternate the levels (order = \"adjacent\"), so that heat, load and other users of the "
        "machine affect all alike";
  findings.push_back(std::move(finding));
}

/// How often the first of two levels ran before the second.
struct Precedence {
  std::size_t first = 0;
  std::size_t pairs = 0;
};
using Precedences = std::map<std::pair<std::string, std::string>, Precedence>;

void count_order(const std::string& earlier, const std::string& later, Precedences& counts) {
  auto& one = counts[std::minmax(earlier, later)];
  ++one.pairs;
  one.first += earlier < later;
}

/// The cell without its compared level.
Cell rest_of(const AuditRuns& runs, const StoredRun& run) {
  Cell rest = run.cell;
  rest.at(*runs.compared()).clear();
  return rest;
}

/// Two levels are a pair if they ran in one block of one machine and next to each other among the
/// runs of their case.
void count_blocks(const AuditRuns& runs, Precedences& counts) {
  std::map<std::pair<std::string, Cell>, std::vector<const StoredRun*>> cases;
  for (const auto* run : runs.counted()) cases[{run->machine, rest_of(runs, *run)}].push_back(run);
  const std::size_t levels = runs.levels().size();
  for (const auto& [key, members] : cases)
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = i + 1; j < std::min(i + levels, members.size()); ++j)
        if (members[i]->block == members[j]->block && members[i]->cell != members[j]->cell)
          count_order(runs.level(*members[i]), runs.level(*members[j]), counts);
}

/// Without blocks: a run and the next one on its machine are a pair if they belong to one case.
/// Each run is in one pair, so that alternating levels are not both before and after each other.
void count_neighbours(const AuditRuns& runs, Precedences& counts) {
  std::map<std::string, const StoredRun*> last;  // of each machine, unless it is in a pair already
  for (const auto* run : runs.counted()) {
    const StoredRun*& before = last[run->machine];
    if (before && before->cell != run->cell && rest_of(runs, *before) == rest_of(runs, *run)) {
      count_order(runs.level(*before), runs.level(*run), counts);
      before = nullptr;
    } else {
      before = run;
    }
  }
}

void check_fixed_order(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.cases().empty()) return;
  Precedences counts;
  if (runs.input().is_paired)
    count_blocks(runs, counts);
  else
    count_neighbours(runs, counts);
  bool is_found = false;
  std::size_t pairs = 0;
  for (const auto& [levels, one] : counts) {
    pairs += one.pairs;
    const bool is_first = one.first * 2 >= one.pairs;
    const std::size_t before = is_first ? one.first : one.pairs - one.first;
    const double share = static_cast<double>(before) / static_cast<double>(one.pairs);
    const boost::math::binomial chance(static_cast<double>(one.pairs), 0.5);
    const double tail =
        boost::math::cdf(boost::math::complement(chance, static_cast<double>(before) - 1));
    const double p = std::min(1.0, 2 * tail * static_cast<double>(counts.size()));
    if (share < fixed_share || p >= fixed_p) continue;
    is_found = true;
    const auto& earlier = is_first ? levels.first : levels.second;
    const auto& later = is_first ? levels.second : levels.first;
    findings.push_back(
        {"fixed-order",
         AuditSeverity::warning,
         {},
         {{"before", earlier},
          {"after", later},
          {"pairs_in_this_order", static_cast<double>(before)},
          {"pairs", static_cast<double>(one.pairs)},
          {"p_corrected", p}},
         fmt::format("{} ran directly before {} in {} pairs: drift and heat of the earlier run "
                     "count as a difference",
                     earlier, later, of(before, one.pairs)),
         "Draw the order of the levels again in each block (order = \"adjacent\", the default)"});
  }
  if (pairs >= fewest_pairs && !is_found)
    findings.push_back({"fixed-order",
                        AuditSeverity::ok,
                        {},
                        {{"pairs", static_cast<double>(pairs)}},
                        "no level always runs before another",
                        ""});
}

}  // namespace

void audit_schedule(const AuditRuns& runs, AuditFindings& findings) {
  if (!runs.knows_order()) return;  // audit_records reports that times are missing
  check_time_of_day(runs, findings);
  check_fixed_order(runs, findings);
}

}  // namespace prengdl
