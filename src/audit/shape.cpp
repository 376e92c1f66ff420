// SPDX-License-Identifier: Apache-2.0
//
// The shape of the runs' figures, over all cells together: cut off above, or in two modes. Also
// runs that should be on record and are not.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "audit/audited_runs.h"
#include "audit/checks.h"
#include "base/amounts.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// An alarm whose p is above this without the first runs is due to them.
constexpr double explained_p = 0.05;

/// What a test of each cell says of all cells together, for the measure that shows it best.
struct PooledTest {
  std::string measure;
  std::size_t cells = 0;
  std::size_t runs = 0;
  double p = 1;  // corrected for the number of measures
};

template <class Test>
std::optional<PooledTest> pooled(const AuditRuns& runs, Test&& test) {
  std::optional<PooledTest> best;
  for (const auto& measure : runs.measures()) {
    PooledTest one{measure, 0, 0, 1};
    std::vector<double> p_values;
    for (const auto& cell : runs.cells()) {
      const auto logs = runs.logs(cell, measure);
      const std::optional<double> p = test(logs);
      if (!p) continue;
      p_values.push_back(*p);
      one.runs += logs.size();
    }
    if (p_values.empty()) continue;
    one.cells = p_values.size();
    one.p = std::min(1.0, combined_p(p_values) * static_cast<double>(runs.measures().size()));
    if (!best || one.p < best->p) best = one;
  }
  return best;
}

/// Of the ranges of the cells' values the mean share below the median: a half if they are even.
double share_below_median(const AuditRuns& runs, const std::string& measure) {
  double sum = 0, cells = 0;
  for (const auto& cell : runs.cells()) {
    const auto logs = runs.logs(cell, measure);
    if (!short_upper_tail_p(logs)) continue;
    const auto [least, most] = std::minmax_element(logs.begin(), logs.end());
    sum += (median(logs) - *least) / (*most - *least);
    ++cells;
  }
  return sum / cells;
}

/// Machines that start cold run first runs quickly, which makes a lower tail.
bool is_by_first_runs(const AuditRuns& runs) {
  const auto without = pooled(runs, [](const std::vector<double>& logs) {
    return logs.size() < 6 ? short_upper_tail_p(logs)
                           : short_upper_tail_p(std::span(logs).subspan(1));
  });
  return without && without->p >= explained_p;
}

void check_cut_off(const AuditRuns& runs, AuditFindings& findings) {
  const auto found =
      pooled(runs, [](const std::vector<double>& logs) { return short_upper_tail_p(logs); });
  if (!found) return;
  AuditFinding finding;
  finding.check = "trimmed";
  const double share = share_below_median(runs, found->measure);
  finding.evidence = {{"measure", found->measure},
                      {"share_of_range_below_median", share},
                      {"cells", static_cast<double>(found->cells)},
                      {"runs", static_cast<double>(found->runs)},
                      {"p_corrected", found->p}};
  if (found->p >= alarm_p) {
    finding.message = fmt::format("the {} of {} runs is not cut off above",
                                  title_of(found->measure), found->runs);
  } else {
    const bool is_explained = is_by_first_runs(runs);
    finding.severity = is_explained ? AuditSeverity::note : AuditSeverity::warning;
    finding.message = fmt::format(
        "high values of {} are missing in {} runs: {} of the range lies below the median of a "
        "cell, where half is usual ({}){}",
        title_of(found->measure), found->runs, percent(share), p_text(found->p),
        is_explained ? "; quick first runs explain it" : "");
    if (!is_explained)
      finding.advice =
          "Find out whether slow runs were deleted, and analyse all runs that were made. Quick "
          "early runs look the same: see drift, stationary and settled";
  }
  findings.push_back(std::move(finding));
}

/// Places in the order of the blocks that have no run at all, not even a failed one.
struct MissingRuns {
  std::size_t missing = 0;
  std::size_t planned = 0;
  std::map<std::string, std::size_t> by_level;
};

/// Cells that `run` gave up, or a rule that ended the study early, leave later blocks out.
bool may_end_early(const AuditRuns& runs) {
  return runs.study().protocol.stopping.rule != Stopping::Rule::never ||
         std::any_of(runs.input().events.begin(), runs.input().events.end(), [](const auto& event) {
           return event.kind == StudyEventKind::give_up || event.kind == StudyEventKind::refused ||
                  event.kind == StudyEventKind::stop_early;
         });
}

/// Whether the blocks of one plan were spread over machines, as on a cluster. Else each machine
/// made the whole plan and the results were merged: most places then have a run on several
/// machines.
bool is_spread_over_machines(const AuditRuns& runs) {
  std::map<std::pair<Cell, std::size_t>, std::set<std::string>> places;
  for (const auto* run : runs.made())
    if (!run->is_warmup) places[{run->cell, run->block}].insert(run->machine);
  const auto shared = static_cast<std::size_t>(std::count_if(
      places.begin(), places.end(), [](const auto& place) { return place.second.size() > 1; }));
  return shared * 2 < places.size();
}

MissingRuns missing_runs(const AuditRuns& runs) {
  const bool is_one_plan = is_spread_over_machines(runs);
  std::map<std::string, std::map<Cell, std::set<std::size_t>>> blocks;  // by machine
  for (const auto* run : runs.made())
    if (!run->is_warmup) blocks[is_one_plan ? "" : run->machine][run->cell].insert(run->block);
  const bool ends_early = may_end_early(runs);
  MissingRuns found;
  for (const auto& [machine, cells] : blocks) {
    std::size_t last = 0;
    for (const auto& [cell, made] : cells) last = std::max(last, *made.rbegin());
    for (const auto& [cell, made] : cells) {
      // The last block of all may still be running.
      const std::size_t end = ends_early ? *made.rbegin() : std::max(last, *made.rbegin());
      const auto before =
          static_cast<std::size_t>(std::distance(made.begin(), made.lower_bound(end)));
      found.planned += end;
      found.missing += end - before;
      if (end > before && runs.compared() && *runs.compared() < cell.size())
        found.by_level[cell[*runs.compared()]] += end - before;
    }
  }
  return found;
}

void check_missing_runs(const AuditRuns& runs, AuditFindings& findings) {
  if (!runs.input().is_paired || !runs.study().imported.empty()) return;
  const auto found = missing_runs(runs);
  if (found.missing == 0) return;
  Evidence evidence{{"missing", static_cast<double>(found.missing)},
                    {"planned", static_cast<double>(found.planned)}};
  std::string levels;
  for (const auto& [level, count] : found.by_level) {
    evidence.emplace_back(level, static_cast<double>(count));
    levels += fmt::format("{}{} {}", levels.empty() ? "" : ", ", level, count);
  }
  findings.push_back({"trimmed",
                      AuditSeverity::warning,
                      {},
                      std::move(evidence),
                      fmt::format("{} planned runs left no record, not even of a failure ({})",
                                  of(found.missing, found.planned), levels),
                      "Run the study again to fill the gaps (prengdl run STUDY -o RESULT). Use "
                      "prengdl exclude instead of deleting records"});
}

/// Whether those that were excluded are the slow ones.
void check_excluded_slow(const AuditRuns& runs, AuditFindings& findings) {
  std::map<Cell, std::vector<std::pair<double, bool>>> cells;  // seconds, excluded
  for (const auto* run : runs.made())
    if (!run->is_warmup && run->outcome == Outcome::ok)
      if (const auto value = runs.value(*run, measures::seconds))
        cells[run->cell].emplace_back(*value, run->excluded.has_value());
  std::vector<double> ranks;
  std::vector<std::size_t> sizes;
  double above = 0;
  for (const auto& [cell, members] : cells)
    for (const auto& [seconds, is_excluded] : members) {
      if (!is_excluded || members.size() < 3) continue;
      double rank = 0.5;
      for (const auto& other : members)
        rank += other.first < seconds ? 1 : other.first == seconds ? 0.5 : 0;
      ranks.push_back(rank);
      sizes.push_back(members.size());
      above += rank - (static_cast<double>(members.size()) + 1) / 2;
    }
  if (ranks.size() < 3 || above <= 0) return;
  const double p = first_ranks_p(ranks, sizes);
  if (p >= alarm_p) return;
  findings.push_back({"trimmed",
                      AuditSeverity::warning,
                      {},
                      {{"excluded", static_cast<double>(ranks.size())}, {"p", p}},
                      fmt::format("{} were excluded, mostly the slowest of their cells ({})",
                                  counted(ranks.size(), "run"), p_text(p)),
                      "Report the comparison with these runs as well (prengdl exclude --undo)"});
}

void check_modes(const AuditRuns& runs, AuditFindings& findings) {
  const auto found =
      pooled(runs, [](const std::vector<double>& logs) { return two_modes_p(logs); });
  if (!found) return;
  std::vector<double> apart;
  for (const auto& cell : runs.cells())
    if (const auto groups = two_groups(runs.logs(cell, found->measure)))
      apart.push_back(groups->apart);
  const double distance = std::expm1(apart.empty() ? 0 : median(apart));
  const bool is_found = found->p < alarm_p;
  findings.push_back(
      {"two-modes",
       !is_found         ? AuditSeverity::ok
       : distance < 0.01 ? AuditSeverity::note
                         : AuditSeverity::warning,
       {},
       {{"measure", found->measure},
        {"modes_apart", distance},
        {"cells", static_cast<double>(found->cells)},
        {"runs", static_cast<double>(found->runs)},
        {"p_corrected", found->p}},
       is_found ? fmt::format("the {} of the runs has two modes, about {} apart, over {} ({})",
                              title_of(found->measure), percent(distance),
                              counted(found->cells, "cell"), p_text(found->p))
                : fmt::format("one mode in {}", counted(found->cells, "cell")),
       is_found ? "Find what has two states (turbo, NUMA placement, caches, another program). Fix "
                  "one of them (machine control in the study file), then measure again"
                : ""});
}

}  // namespace

void audit_shape(const AuditRuns& runs, AuditFindings& findings) {
  check_cut_off(runs, findings);
  check_missing_runs(runs, findings);
  check_excluded_slow(runs, findings);
  check_modes(runs, findings);
}

}  // namespace prengdl
