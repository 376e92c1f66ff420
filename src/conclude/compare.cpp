// SPDX-License-Identifier: Apache-2.0
#include "conclude/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "conclude/case_runs.h"
#include "conclude/comparable_runs.h"
#include "conclude/compare_groups.h"
#include "conclude/level_pair.h"
#include "model/measure.h"
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
    if (one->verdict == Verdict::modelled || !one->estimate.ci95) continue;
    const bool by_rank = study.analysis.test == "rank";
    const bool is_shown = by_rank ? one->rank && one->rank->p_corrected < study.analysis.alpha
                                  : *one->estimate.p_corrected < study.analysis.alpha;
    one->verdict = verdict_of(*one->estimate.ci95, is_shown, margin);
    if (one->verdict != Verdict::less) continue;
    one->winner = one->pair[one->estimate.value < 1 ? 0 : 1];
    one->below_margin = is_within_margin(*one->estimate.ci95, margin);
  }
}

/// Up to how many tied values a rank-sum test is exact. A test of 100 takes some hundredths of a
/// second, which hundreds of comparisons would add up to minutes.
std::size_t largest_exact_tied(const std::vector<CaseRuns>& cases) {
  constexpr std::size_t many_comparisons = 100;
  std::size_t comparisons = 0;
  for (const auto& one_case : cases) {
    const auto levels =
        static_cast<std::size_t>(std::count_if(one_case.levels.begin(), one_case.levels.end(),
                                               [](const auto& runs) { return !runs.empty(); }));
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

/// What the findings say of the study itself, with the margin that applies.
Findings findings_without_comparisons(const Study& study, const CompareSettings& settings) {
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
  return findings;
}

/// Compares all pairs of levels in all cases, one measure after the other.
class PairComparer {
 public:
  PairComparer(const Study& study, const CompareSettings& settings, const Window& window,
               const std::vector<CaseRuns>& cases)
      : study_(study),
        settings_(settings),
        window_(window),
        cases_(cases),
        levels_(compared_levels(study)),
        exact_tied_(largest_exact_tied(cases)) {
    if (study.protocol.stopping.rule != Stopping::Rule::never && settings.paired)
      looks_ =
          LookPlan{study.protocol.stopping.at_least, settings.planned_blocks.value_or(study.runs)};
  }

  /// Those that have a figure; `without_figure` counts the others.
  std::vector<Comparison> by(const std::string& measure, std::size_t& without_figure) const {
    std::vector<Comparison> made;
    for (const auto& one_case : cases_)
      for (std::size_t i = 0; i < one_case.levels.size(); ++i)
        for (std::size_t j = i + 1; j < one_case.levels.size(); ++j) {
          if (one_case.levels[i].empty() || one_case.levels[j].empty()) continue;
          Comparison one = pair(one_case, i, j, measure);
          if (one.levels[0].n == 0 && one.levels[1].n == 0)
            ++without_figure;
          else
            made.push_back(std::move(one));
        }
    return made;
  }

 private:
  Comparison pair(const CaseRuns& one_case, std::size_t i, std::size_t j,
                  const std::string& measure) const {
    const LevelPair pair(settings_, window_, one_case.levels[i], one_case.levels[j], exact_tied_);
    Comparison one = pair.compare(measure);
    one.is_primary = measure == study_.analysis.primary;
    one.cell = one_case.cell;
    one.pair = {levels_[i], levels_[j]};
    for (std::size_t k = 0; k < 2; ++k) one.levels[k].level = one.pair[k];
    const bool has_figure = one.levels[0].n > 0 || one.levels[1].n > 0;
    if (has_figure && one.is_primary && looks_ && one.verdict != Verdict::modelled)
      allow_for_looks(pair.samples(measure), *looks_, one);
    return one;
  }

  const Study& study_;
  const CompareSettings& settings_;
  const Window& window_;
  const std::vector<CaseRuns>& cases_;
  const std::vector<std::string>& levels_;
  std::size_t exact_tied_;
  std::optional<LookPlan> looks_;
};

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
  if (has_energy) add(measures::metered);
  // The only part of a sum is the sum.
  if (domains.size() > 1)
    for (const auto& domain : domains) add(domain);
  add(measures::seconds);
  return measures;
}

Findings compare(const Study& study, const std::vector<StoredRun>& runs,
                 const CompareSettings& settings) {
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  check_any_succeeded(runs);
  check_window(study, runs);
  Findings findings = findings_without_comparisons(study, settings);
  bool is_any_left_out = false;
  const auto cases = runs_by_case(study, runs, settings.paired);
  const PairComparer pairs(study, settings, *window, cases);
  for (const auto& measure : measures_of(study, runs)) {
    std::size_t without_figure = 0;
    std::vector<Comparison> made = pairs.by(measure, without_figure);
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
