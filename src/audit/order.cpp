// SPDX-License-Identifier: Apache-2.0
//
// In which order the runs were made, and what that does to a comparison.
#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>

#include "audit/audited_runs.h"
#include "audit/checks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

const char* const take_turns =
    "alternate the compared levels (order = \"adjacent\", the default of prengdl run): then "
    "what "
    "changes with time hits all alike";

/// All runs of a cell in a row.
void check_back_to_back(const AuditRuns& runs, AuditFindings& findings) {
  const auto& order = runs.counted();
  std::size_t possible = 0;
  double expected = 0;  // if the order were drawn at random
  for (const auto& cell : runs.cells()) {
    possible += cell.runs.size() - 1;
    expected += static_cast<double>(cell.runs.size() * (cell.runs.size() - 1)) /
                static_cast<double>(order.size());
  }
  if (runs.cells().size() < 2 || possible < 2) return;
  std::size_t in_a_row = 0;
  for (std::size_t i = 1; i < order.size(); ++i) in_a_row += order[i]->cell == order[i - 1]->cell;
  const double share = static_cast<double>(in_a_row) / static_cast<double>(possible);
  const bool is_found =
      share >= 0.5 && static_cast<double>(in_a_row) > expected + 3 * std::sqrt(expected);
  findings.push_back(
      {"back-to-back",
       is_found ? AuditSeverity::warning : AuditSeverity::ok,
       {},
       {{"in_a_row", static_cast<double>(in_a_row)},
        {"could_be", static_cast<double>(possible)},
        {"expected_at_random", expected}},
       is_found
           ? fmt::format("{} runs follow a run of their own cell (at random: {:.0f}): "
                         "replicates share heat, caches and time of day, so their spread is too "
                         "small",
                         of(in_a_row, possible), expected)
           : fmt::format("{} runs follow a run of their own cell", of(in_a_row, possible)),
       is_found ? take_turns : ""});
}

/// How much of the place in time the compared level explains.
double explained_by_level(const AuditRuns& runs) {
  std::map<std::string, std::vector<double>> places;
  const auto& order = runs.counted();
  for (std::size_t i = 0; i < order.size(); ++i)
    places[runs.level(*order[i])].push_back(static_cast<double>(i));
  const double middle = (static_cast<double>(order.size()) - 1) / 2;
  double between = 0;
  double total = 0;
  for (const auto& [level, values] : places) {
    between += static_cast<double>(values.size()) * std::pow(mean(values) - middle, 2);
    for (const double value : values) total += std::pow(value - middle, 2);
  }
  return total > 0 ? between / total : 0;
}

/// Whether the levels of a case were made one wholly after another; and the log of the chance of
/// that in a random order.
bool is_apart(const AuditRuns& runs, const std::vector<std::size_t>& one_case,
              const std::map<const StoredRun*, std::size_t>& places, double& log_chance) {
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  std::size_t all = 0;
  log_chance = std::lgamma(static_cast<double>(one_case.size()) + 1);
  for (const std::size_t cell : one_case) {
    const auto& made = runs.cells()[cell].runs;
    spans.emplace_back(places.at(made.front()), places.at(made.back()));
    all += made.size();
    log_chance += std::lgamma(static_cast<double>(made.size()) + 1);
  }
  log_chance -= std::lgamma(static_cast<double>(all) + 1);
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second) return false;
  return true;
}

void check_confounded_with_time(const AuditRuns& runs, AuditFindings& findings) {
  const auto levels = runs.levels();
  if (runs.cases().empty() || levels.size() < 2) return;
  const double explained = explained_by_level(runs);
  const auto n = static_cast<double>(runs.counted().size());
  // Kruskal and Wallis's H of places in time.
  const boost::math::chi_squared chi(static_cast<double>(levels.size() - 1));
  const double p = boost::math::cdf(boost::math::complement(chi, (n - 1) * explained));
  std::map<const StoredRun*, std::size_t> places;
  for (std::size_t i = 0; i < runs.counted().size(); ++i) places[runs.counted()[i]] = i;
  std::size_t apart = 0;
  double log_chance = 0;
  for (const auto& one_case : runs.cases()) {
    double one = 0;
    if (!is_apart(runs, one_case, places, one)) continue;
    ++apart;
    log_chance += one;
  }
  const bool is_whole = explained >= 0.5 && p < 0.001;
  const bool is_by_case = apart * 2 >= runs.cases().size() && log_chance < std::log(0.001);
  const std::string& factor = runs.study().analysis.compare;
  AuditFinding finding;
  finding.check = "confounded-time";
  finding.severity = is_whole     ? AuditSeverity::severe
                     : is_by_case ? AuditSeverity::warning
                                  : AuditSeverity::ok;
  finding.evidence = {{"factor", factor},
                      {"place_explained_by_level", explained},
                      {"units_apart", static_cast<double>(apart)},
                      {"cases", static_cast<double>(runs.cases().size())},
                      {"p", p}};
  if (is_whole) {
    const auto& first = runs.level(*runs.counted().front());
    finding.message = fmt::format(
        "{} is confounded with time: it explains {} of when a run was made, {} "
        "came first; in {} comparisons all runs of one level came before the other",
        factor, percent(explained), first, of(apart, runs.cases().size()));
  } else if (is_by_case) {
    finding.message = fmt::format(
        "in {} comparisons all runs of one level of {} came before the other: drift "
        "between them looks like a difference",
        of(apart, runs.cases().size()), factor);
  } else {
    finding.message = fmt::format("levels of {} ran in turn", factor);
  }
  if (finding.severity != AuditSeverity::ok) finding.advice = take_turns;
  findings.push_back(std::move(finding));
}

/// Residuals of runs, and something about the run before each of them.
struct CarryOver {
  std::vector<double> residuals;  // of logs, about the mean of their cell
  std::vector<double> before;     // about the mean of the cell too
  std::vector<std::size_t> cells;
};

/// `value` gives a number of the run before; nothing keeps a run out.
template <class Value>
CarryOver carry_over(const AuditRuns& runs, Value&& value) {
  std::map<const StoredRun*, const StoredRun*> predecessor;
  const auto& made = runs.made();
  for (std::size_t i = 1; i < made.size(); ++i)
    if (made[i]->machine == made[i - 1]->machine) predecessor[made[i]] = made[i - 1];
  CarryOver found;
  for (std::size_t c = 0; c < runs.cells().size(); ++c) {
    const auto& cell = runs.cells()[c];
    std::vector<double> logs;
    std::vector<double> before;
    for (const auto* run : cell.runs) {
      const auto previous = predecessor.find(run);
      const auto figure = runs.value(*run, runs.measures().front());
      if (previous == predecessor.end() || !figure || !(*figure > 0)) continue;
      const std::optional<double> number = value(*previous->second);
      if (!number) continue;
      logs.push_back(std::log(*figure));
      before.push_back(*number);
    }
    if (logs.size() < 3) continue;
    const double middle = mean(logs);
    const double usual = mean(before);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      found.residuals.push_back(logs[i] - middle);
      found.before.push_back(before[i] - usual);
      found.cells.push_back(c);
    }
  }
  return found;
}

void check_carry_over(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.measures().empty()) return;
  struct Candidate {
    std::string what;
    double p = 1;
    double effect = 0;
    std::size_t runs = 0;
  };
  std::vector<Candidate> candidates;
  const auto look = [&](const std::string& what, const CarryOver& found) {
    double spread = 0;
    double together = 0;
    for (std::size_t i = 0; i < found.before.size(); ++i) {
      spread += found.before[i] * found.before[i];
      together += found.before[i] * found.residuals[i];
    }
    if (found.before.size() < 8 || !(spread > 1e-12)) return;
    Candidate one{what, association_p(found.residuals, found.before, found.cells), 0,
                  found.before.size()};
    // From a low run before to a high one: two standard deviations of what came before.
    one.effect =
        together / spread * 2 * std::sqrt(spread / static_cast<double>(found.before.size()));
    candidates.push_back(one);
  };
  look("a run before of more power", carry_over(runs, [](const StoredRun& run) {
         const auto& metered = run.run.energy.metered;
         return metered && metered->value.value > 0 && run.run.window.count() > 0
                    ? std::optional(std::log(metered->value.value / run.run.window.count()))
                    : std::nullopt;
       }));
  if (const auto levels = runs.levels(); levels.size() >= 2)
    for (std::size_t i = 0; i < (levels.size() == 2 ? 1 : levels.size()); ++i)
      look(fmt::format("a run before of {}={}", runs.study().analysis.compare, levels[i]),
           carry_over(runs, [&](const StoredRun& run) {
             return std::optional(runs.level(run) == levels[i] ? 1.0 : 0.0);
           }));
  if (candidates.empty()) return;
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [](const auto& a, const auto& b) { return a.p < b.p; });
  const double p = std::min(1.0, best->p * static_cast<double>(candidates.size()));
  const bool is_found = p < alarm_p;
  const bool is_large = std::abs(best->effect) >= 0.005;
  findings.push_back(
      {"carry-over",
       !is_found  ? AuditSeverity::ok
       : is_large ? AuditSeverity::warning
                  : AuditSeverity::note,
       {},
       {{"effect", std::expm1(best->effect)},
        {"before", best->what},
        {"runs", static_cast<double>(best->runs)},
        {"p_corrected", p}},
       is_found ? fmt::format("after {} the {} of a run {} ({}, {} runs)", best->what,
                              runs.measures().front(), change(best->effect), p_text(p), best->runs)
                : fmt::format("earlier runs have no visible effect in {} runs", best->runs),
       is_found ? "wait longer before each run (settle = { at_most = \"10min\" }), or warm every "
                  "run up alike (start = \"warm\")"
                : ""});
}

}  // namespace

void audit_order(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.counted().size() < 2) return;
  if (!runs.knows_order()) return;  // audit_records says that it is missing
  check_back_to_back(runs, findings);
  check_confounded_with_time(runs, findings);
  check_carry_over(runs, findings);
}

}  // namespace prengdl
