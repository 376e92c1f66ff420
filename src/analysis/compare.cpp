// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/comparable_runs.h"
#include "analysis/compare_groups.h"
#include "analysis/level_pair.h"
#include "analysis/unit_runs.h"
#include "stats/correction.h"
#include "stats/stopping.h"

namespace prengdl {
namespace {

/// The interval and the p of a study that may have stopped early, which allow for all its looks.
void allow_for_looks(const TwoSamples& samples, const LookPlan& plan, Comparison& result) {
  result.looks = plan.last;
  result.estimate.ci95.reset();
  result.estimate.p.reset();
  const auto differences = log_differences(samples.a, samples.b);
  const auto sequence = differences ? log_ratio_sequence(*differences, plan, 0.05)
                                    : tl::unexpected(differences.error());
  if (!sequence) {
    result.reason = sequence.error().what();
    return;
  }
  result.estimate.ci95 = sequence->interval;
  if (const auto p = sequence_p(*differences, plan)) result.estimate.p = *p;
}

/// Holm's correction over what was tested, and the verdicts.
void conclude(const Study& study, double margin, std::vector<Comparison*>& family) {
  std::vector<double> p;
  std::vector<double> rank_p;
  for (const auto* one : family) {
    if (one->verdict == Verdict::not_comparable) continue;
    if (one->estimate.p) p.push_back(*one->estimate.p);
    if (one->rank) rank_p.push_back(one->rank->p);
  }
  const auto corrected = holm(p);
  const auto rank_corrected = holm(rank_p);
  std::size_t next = 0;
  std::size_t next_rank = 0;
  for (auto* one : family) {
    if (one->verdict == Verdict::not_comparable) {
      // A test of unlike things would only be quoted.
      one->rank.reset();
      one->estimate.p.reset();
      one->a12.reset();
      continue;
    }
    if (one->rank) one->rank->p_corrected = rank_corrected[next_rank++];
    if (!one->estimate.p) continue;
    one->estimate.p_corrected = corrected[next++];
    if (one->verdict == Verdict::derived || !one->estimate.ci95) continue;
    const bool by_rank = study.analysis.test == "rank";
    const bool is_shown = by_rank ? one->rank && one->rank->p_corrected < study.analysis.alpha
                                  : *one->estimate.p_corrected < study.analysis.alpha;
    one->verdict = verdict_of(*one->estimate.ci95, is_shown, margin);
    if (one->verdict == Verdict::less || one->verdict == Verdict::less_below_margin)
      one->winner = one->pair[one->estimate.value < 1 ? 0 : 1];
  }
}

/// Up to how many tied values a rank-sum test is exact. A test of 100 takes some hundredths of a
/// second, which hundreds of comparisons would add up to minutes.
std::size_t largest_exact_tied(const std::vector<UnitRuns>& units) {
  constexpr std::size_t many_comparisons = 100;
  std::size_t comparisons = 0;
  for (const auto& unit : units) {
    const auto levels = static_cast<std::size_t>(std::count_if(
        unit.levels.begin(), unit.levels.end(), [](const auto& runs) { return !runs.empty(); }));
    comparisons += levels * (levels - 1) / 2;
  }
  return comparisons > many_comparisons ? 50 : 100;
}

std::vector<CellFailures> failures_of(const std::vector<StoredRun>& runs) {
  std::map<Cell, CellFailures> cells;
  for (const auto& run : runs) {
    if (run.is_warmup || run.excluded || run.outcome == Outcome::interrupted) continue;
    CellFailures& cell = cells[run.cell];
    cell.cell = run.cell;
    ++cell.runs;
    if (run.outcome == Outcome::ok) continue;
    ++cell.failed;
    if (run.run.energy.metered)
      cell.burnt_joules = cell.burnt_joules.value_or(0) + run.run.energy.metered->value.value;
  }
  std::vector<CellFailures> failures;
  for (const auto& [name, cell] : cells)
    if (cell.failed > 0) failures.push_back(cell);
  return failures;
}

/// A measure that runs have no figure of is left out of the tables, and this says so.
std::string not_measured(const Study& study, const std::string& measure, std::size_t without,
                         std::size_t with) {
  const std::string where =
      study.analysis.window == "run" ? "" : " in the window " + study.analysis.window;
  if (with == 0) return fmt::format("no run has a figure of {}{}", measure, where);
  return fmt::format("{} of {} comparisons are missing because the runs have no figure of {}{}",
                     without, with + without, measure, where);
}

}  // namespace

std::vector<std::string> measures_of(const Study& study, const std::vector<StoredRun>& runs) {
  std::vector<std::string> measures{study.analysis.primary};
  const auto add = [&](const std::string& name) {
    if (std::find(measures.begin(), measures.end(), name) == measures.end())
      measures.push_back(name);
  };
  for (const auto& name : study.analysis.secondary) add(name);
  if (!study.analysis.secondary.empty()) return measures;
  std::set<std::string> domains;
  bool has_energy = false;
  for (const auto& run : runs) {
    has_energy = has_energy || run.run.energy.metered;
    for (const auto& [domain, energy] : run.run.energy.domains) domains.insert(domain);
  }
  if (has_energy) add("metered");
  // The only part of a sum is the sum.
  if (domains.size() > 1)
    for (const auto& domain : domains) add(domain);
  add("seconds");
  return measures;
}

Verdict verdict_of(const std::array<double, 2>& interval, bool is_different, double margin) {
  const bool is_within = margin > 0 && interval[0] >= 1 / (1 + margin) && interval[1] <= 1 + margin;
  if (is_different) return is_within ? Verdict::less_below_margin : Verdict::less;
  return is_within ? Verdict::equivalent : Verdict::inconclusive;
}

Findings compare(const Study& study, const std::vector<StoredRun>& runs,
                 const CompareSettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  check_any_succeeded(runs);
  check_window(study, runs);
  Findings findings;
  findings.compare = study.analysis.compare;
  findings.levels = compared_levels(study);
  findings.test = study.analysis.test;
  findings.window = study.analysis.window;
  findings.alpha = study.analysis.alpha;
  findings.paired = settings.paired;
  findings.pairing = settings.paired
                         ? "runs of one block ran next to each other: they are compared as pairs"
                         : "the runs have no blocks: they are compared as independent samples";
  findings.margin = study.analysis.margin;
  if (settings.smallest_margin && findings.margin > 0 &&
      *settings.smallest_margin > findings.margin) {
    findings.notes.push_back(fmt::format(
        "the margin is {:.2g} % instead of {:.2g} %: the machine cannot show less (doctor --aa)",
        *settings.smallest_margin * 100, findings.margin * 100));
    findings.margin = *settings.smallest_margin;
  }
  std::optional<LookPlan> looks;
  if (study.protocol.stopping.rule != Stopping::Rule::never && settings.paired)
    looks =
        LookPlan{study.protocol.stopping.at_least, settings.planned_blocks.value_or(study.runs)};

  bool is_any_left_out = false;
  const auto units = runs_by_unit(study, runs, settings.paired);
  const std::size_t exact_tied = largest_exact_tied(units);
  for (const auto& measure : measures_of(study, runs)) {
    std::vector<Comparison> made;
    std::size_t without_figure = 0;
    for (const auto& unit : units) {
      for (std::size_t i = 0; i < unit.levels.size(); ++i) {
        for (std::size_t j = i + 1; j < unit.levels.size(); ++j) {
          if (unit.levels[i].empty() || unit.levels[j].empty()) continue;
          const LevelPair pair(settings, *window, unit.levels[i], unit.levels[j], exact_tied);
          Comparison one = pair.compare(measure);
          if (one.levels[0].n == 0 && one.levels[1].n == 0) {
            ++without_figure;
            continue;
          }
          one.is_primary = measure == study.analysis.primary;
          one.cell = unit.cell;
          one.pair = {findings.levels[i], findings.levels[j]};
          for (std::size_t k = 0; k < 2; ++k) one.levels[k].level = one.pair[k];
          if (one.is_primary && looks && one.verdict != Verdict::derived)
            allow_for_looks(pair.samples(measure), *looks, one);
          made.push_back(std::move(one));
        }
      }
    }
    is_any_left_out = is_any_left_out || without_figure > 0;
    if (without_figure > 0)
      findings.notes.push_back(not_measured(study, measure, without_figure, made.size()));
    std::vector<Comparison*> family;
    family.reserve(made.size());
    for (auto& one : made) family.push_back(&one);
    conclude(study, findings.margin, family);
    const auto tests = static_cast<std::size_t>(
        std::count_if(made.begin(), made.end(), [](const auto& one) { return one.estimate.p; }));
    findings.families.push_back({measure, measure == study.analysis.primary, tests});
    std::move(made.begin(), made.end(), std::back_inserter(findings.comparisons));
  }
  if (findings.comparisons.empty())
    throw Error(fmt::format("nothing can be compared: {}",
                            is_any_left_out ? findings.notes.back()
                                            : "no two levels of " + study.analysis.compare +
                                                  " have good runs in the same case"),
                "Look at what there is with `prengdl status`.");
  findings.groups = group_comparisons(study, findings.comparisons);
  findings.failures = failures_of(runs);
  return findings;
}

}  // namespace prengdl
