// SPDX-License-Identifier: Apache-2.0
//
// Whether the runs are replicates, and enough of them for the family of comparisons.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "audit/audited_runs.h"
#include "base/amounts.h"
#include "base/clock.h"
#include "stats/design_power.h"

namespace prengdl {
namespace {

/// What two runs have alike only if one is a copy of the other: all figures, to the last digit.
using AllFigures = std::pair<double, std::vector<std::pair<std::string, double>>>;

/// Nothing where the figures are too round to differ by chance.
std::optional<AllFigures> figures_of(const Run& run) {
  const auto is_fine = [](double value) { return value != std::floor(value * 10) / 10; };
  AllFigures figures{run.wall.count(), {}};
  bool has_digits = is_fine(figures.first);
  for (const auto& [domain, energy] : run.energy.domains) {
    figures.second.emplace_back(domain, energy.value.value);
    has_digits = has_digits || is_fine(energy.value.value);
  }
  if (!has_digits) return std::nullopt;
  return figures;
}

std::size_t copies(const AuditRuns& runs, std::vector<std::string>& names) {
  std::set<AllFigures> seen;
  std::size_t found = 0;
  for (const auto* run : runs.counted()) {
    auto figures = figures_of(run->run);
    if (!figures || seen.insert(std::move(*figures)).second) continue;
    ++found;
    names.push_back(run->id);
  }
  return found;
}

/// Runs of one process after the other are milliseconds apart; parts of one process are not, or
/// they overlap.
std::size_t parts_of_one(const AuditRuns& runs, std::vector<std::string>& names) {
  constexpr std::int64_t shortest_start_ns = 100'000;
  std::vector<const StoredRun*> order = runs.counted();
  std::sort(order.begin(), order.end(), [](const StoredRun* a, const StoredRun* b) {
    return std::tuple(a->machine, a->run.begin_ns) < std::tuple(b->machine, b->run.begin_ns);
  });
  std::size_t found = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto& before = *order[i - 1];
    const auto& run = *order[i];
    if (run.machine != before.machine || run.cell != before.cell || run.run.begin_ns == 0 ||
        before.run.begin_ns == 0)
      continue;
    const std::int64_t end = before.run.begin_ns + nanoseconds(before.run.window);
    if (run.run.begin_ns - end >= shortest_start_ns) continue;
    ++found;
    names.push_back(run.id);
  }
  return found;
}

void check_replicates(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.counted().size() < 2) return;
  std::vector<std::string> copied, joined;
  const std::size_t same = copies(runs, copied);
  const std::size_t parts = runs.knows_order() ? parts_of_one(runs, joined) : 0;
  const std::string advice =
      "count one execution of a process as one run: epochs and repeats inside it are aggregated "
      "first (spans of one run)";
  if (same > 0)
    findings.push_back({"pseudo-replication",
                        AuditSeverity::severe,
                        {},
                        {{"copies", static_cast<double>(same)},
                         {"runs", static_cast<double>(runs.counted().size())}},
                        fmt::format("{} runs repeat the seconds and joules of another to the last "
                                    "digit: {}",
                                    of(same, runs.counted().size()), some_of(copied)),
                        "a run that was copied is no replicate: leave the copies out"});
  if (parts > 0)
    findings.push_back(
        {"pseudo-replication",
         AuditSeverity::severe,
         {},
         {{"parts", static_cast<double>(parts)},
          {"runs", static_cast<double>(runs.counted().size())}},
         fmt::format("{} runs begin before or at the very end of the run before them: "
                     "parts of one process, not replicates: {}",
                     of(parts, runs.counted().size()), some_of(joined)),
         advice});
  if (same + parts == 0)
    findings.push_back(
        {"pseudo-replication",
         AuditSeverity::ok,
         {},
         {{"runs", static_cast<double>(runs.counted().size())}},
         fmt::format("{} runs, no two alike and none part of another", runs.counted().size()),
         ""});
}

/// The smallest two-sided p of an exact rank-sum test: all of one side above the other.
double smallest_rank_sum_p(std::size_t a, std::size_t b) {
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  return std::min(1.0,
                  2 * std::exp(std::lgamma(x + 1) + std::lgamma(y + 1) - std::lgamma(x + y + 1)));
}

void check_enough_runs(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.cases().empty()) return;
  std::size_t comparisons = 0;
  std::size_t fewest = SIZE_MAX;
  std::size_t other = SIZE_MAX;
  std::vector<std::vector<double>> samples;
  for (const auto& one_case : runs.cases()) {
    comparisons += one_case.size() * (one_case.size() - 1) / 2;
    std::vector<std::size_t> sizes;
    for (const auto cell : one_case) {
      sizes.push_back(runs.cells()[cell].runs.size());
      if (!runs.measures().empty())
        samples.push_back(runs.logs(runs.cells()[cell], runs.measures().front()));
    }
    std::sort(sizes.begin(), sizes.end());
    if (std::pair(sizes[0], sizes[1]) < std::pair(fewest, other)) {
      fewest = sizes[0];
      other = sizes[1];
    }
  }
  const auto& analysis = runs.study().analysis;
  const double needed = analysis.alpha / static_cast<double>(comparisons);
  const double rank =
      runs.input().is_paired ? smallest_signed_rank_p(fewest) : smallest_rank_sum_p(fewest, other);
  AuditFinding finding;
  finding.check = "too-few-runs";
  finding.evidence = {{"runs", static_cast<double>(fewest)},
                      {"comparisons", static_cast<double>(comparisons)},
                      {"needed_p", needed},
                      {"smallest_rank_p", rank}};
  const auto spread = pooled_standard_deviation(samples);
  const auto size = detectable_difference(fewest, needed, 0.8);
  // Differences of two runs, or of two means: either way the variance doubles.
  if (spread && size)
    finding.evidence.emplace_back("detectable_ratio", std::exp(*size * *spread * std::sqrt(2.0)));
  const std::string family = counted(comparisons, "comparison");
  if (fewest < 2) {
    finding.severity = AuditSeverity::severe;
    finding.message = fmt::format(
        "a compared cell has one run: it has no spread to judge any of {} "
        "by",
        family);
  } else if (analysis.test == "rank" && rank > needed) {
    finding.severity = AuditSeverity::severe;
    finding.message = fmt::format(
        "with {} runs the rank test cannot give a p below {:.2g}, and {} need {:.2g}: "
        "nothing can be shown",
        fewest, rank, family, needed);
  } else if (fewest < 5) {
    finding.severity = AuditSeverity::warning;
    finding.message = fmt::format(
        "{} runs of a cell in a family of {}: a rank test cannot go below "
        "p {:.2g} ({:.2g} is needed), and intervals rest on {}",
        fewest, family, rank, needed, counted(fewest - 1, "degree") + " of freedom a cell");
  } else if (rank > needed) {
    finding.severity = AuditSeverity::note;
    finding.message = fmt::format(
        "with {} runs a rank test cannot go below p {:.2g}, and {} need "
        "{:.2g}: only tests on logs can show a difference",
        fewest, rank, family, needed);
  } else {
    finding.message = fmt::format("{} runs of each cell for {}", fewest, family);
  }
  if (finding.severity != AuditSeverity::ok)
    finding.advice =
        "ask `prengdl plan` for the runs that the family needs, and add blocks (--runs)";
  findings.push_back(std::move(finding));
}

/// Why `run` refused a cell by name; nothing if it did not.
std::optional<std::string> refusal_of(const AuditRuns& runs, const std::string& cell) {
  for (const auto& event : runs.input().events)
    if (event.kind == StudyEventKind::refused && event.cell == cell) return event.detail;
  return std::nullopt;
}

void check_missing_cells(const AuditRuns& runs, AuditFindings& findings) {
  const auto planned = cells_of(runs.study());
  std::set<Cell> made;
  for (const auto& cell : runs.cells()) made.insert(cell.cell);
  std::vector<std::string> missing;
  std::map<std::string, std::vector<std::string>> refused;  // by reason
  for (const auto& cell : planned) {
    if (made.contains(cell)) continue;
    if (const auto reason = refusal_of(runs, runs.name(cell)))
      refused[*reason].push_back(runs.name(cell));
    else
      missing.push_back(runs.name(cell));
  }
  for (const auto& [reason, cells] : refused)
    findings.push_back({"too-few-runs",
                        AuditSeverity::note,
                        {},
                        {{"cells_refused", static_cast<double>(cells.size())},
                         {"cells", static_cast<double>(planned.size())}},
                        fmt::format("{} cells were refused: {} ({})",
                                    of(cells.size(), planned.size()), reason, some_of(cells)),
                        "run them where what they require is there"});
  if (missing.empty()) return;
  findings.push_back({"too-few-runs",
                      AuditSeverity::warning,
                      {},
                      {{"cells_without_runs", static_cast<double>(missing.size())},
                       {"cells", static_cast<double>(planned.size())}},
                      fmt::format("{} cells have no good run: {}",
                                  of(missing.size(), planned.size()), some_of(missing)),
                      "continue with prengdl run, or state why they are missing: the remaining "
                      "runs are a selection"});
}

}  // namespace

void audit_design(const AuditRuns& runs, AuditFindings& findings) {
  check_replicates(runs, findings);
  check_enough_runs(runs, findings);
  check_missing_cells(runs, findings);
}

}  // namespace prengdl
