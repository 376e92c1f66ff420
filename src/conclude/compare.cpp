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
#include "conclude/node_variation.h"
#include "conclude/verdicts.h"
#include "model/measure.h"

namespace prengdl {
namespace {

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
  if (with == 0) return fmt::format("no run has a figure for {}{}", measure, where);
  return fmt::format("{} of {} comparisons are missing because the runs have no figure for {}{}",
                     without, with + without, measure, where);
}

/// What the findings say about the study itself.
Findings findings_without_comparisons(const Study& study) {
  Findings findings;
  findings.compare = study.analysis.compare;
  findings.levels = compared_levels(study);
  findings.test = study.analysis.test;
  findings.window = study.analysis.window;
  findings.alpha = study.analysis.alpha;
  findings.margin = study.analysis.margin;
  return findings;
}

Estimator estimator_of(const Study& study, const CompareSettings& settings) {
  if (settings.estimator) return *settings.estimator;
  return study.analysis.test == "rank" ? Estimator::rank : Estimator::log_t;
}

/// Two levels of a case that both have runs.
struct ComparedPair {
  CellPattern cell;
  LevelPair pair;
};

std::vector<ComparedPair> pairs_of(const Study& study, const CompareSettings& settings,
                                   const Window& window, const std::vector<CaseRuns>& cases) {
  const auto levels = compared_levels(study);
  const std::size_t exact_tied = largest_exact_tied(cases);
  std::vector<ComparedPair> pairs;
  for (const auto& one_case : cases)
    for (std::size_t i = 0; i < one_case.levels.size(); ++i)
      for (std::size_t j = i + 1; j < one_case.levels.size(); ++j)
        if (!one_case.levels[i].empty() && !one_case.levels[j].empty())
          pairs.push_back(
              {one_case.cell, LevelPair(study.analysis, settings, window, {levels[i], levels[j]},
                                        one_case.levels[i], one_case.levels[j], exact_tied)});
  return pairs;
}

/// The comparisons by one measure that have a figure; `without_figure` counts the others.
std::vector<PairDraft> drafts_of(const std::vector<ComparedPair>& pairs, const std::string& measure,
                                 bool is_primary, std::size_t& without_figure) {
  std::vector<PairDraft> drafts;
  for (const auto& [cell, pair] : pairs) {
    PairDraft draft = pair.draft(measure);
    draft.comparison.cell = cell;
    draft.comparison.is_primary = is_primary;
    if (draft.comparison.levels[0].n == 0 && draft.comparison.levels[1].n == 0)
      ++without_figure;
    else
      drafts.push_back(std::move(draft));
  }
  return drafts;
}

/// What the nodes do to the costs, once for all pairs of a case.
void add_nodes(const std::vector<CaseRuns>& cases, const Window& window, bool has_blocks,
               std::vector<PairDraft>& family) {
  using Key = std::pair<CellPattern, std::optional<std::string>>;
  std::map<Key, std::optional<NodeVariation>> known;
  for (auto& draft : family) {
    Comparison& one = draft.comparison;
    if (one.verdict == Verdict::modelled) continue;
    const auto [place, is_new] = known.try_emplace({one.cell, one.per});
    if (is_new)
      for (const auto& one_case : cases)
        if (one_case.cell == one.cell)
          place->second = node_variation(one_case, one.measure, one.per, window, has_blocks);
    one.nodes = place->second;
  }
}

/// Why runs were compared as pairs or not, in a sentence for all comparisons.
void say_pairing(Findings& findings) {
  const auto& all = findings.comparisons;
  const auto paired = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const Comparison& one) { return one.paired; }));
  findings.paired = paired == all.size();
  const auto is_proved = [](const Comparison& one) { return one.pairing.is_proved; };
  if (std::all_of(all.begin(), all.end(), is_proved))
    findings.pairing = "runs of one block ran next to each other, so they are compared as pairs";
  else if (paired > 0 && !findings.paired)
    findings.pairing = fmt::format(
        "{} of {} comparisons are of pairs, the others of independent samples", paired, all.size());
  else
    findings.pairing = all.front().pairing.reason;
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
  Findings findings = findings_without_comparisons(study);
  bool is_any_left_out = false;
  const auto cases = runs_by_case(study, runs, settings.paired);
  const auto pairs = pairs_of(study, settings, *window, cases);
  for (const auto& measure : measures_of(study, runs)) {
    const bool is_primary = measure == study.analysis.primary;
    std::size_t without_figure = 0;
    auto family = drafts_of(pairs, measure, is_primary, without_figure);
    is_any_left_out = is_any_left_out || without_figure > 0;
    if (without_figure > 0)
      findings.notes.push_back(not_measured(study, measure, without_figure, family.size()));
    FamilyRules rules{study.analysis,
                      estimator_of(study, settings),
                      {},
                      settings.earlier_looks,
                      settings.is_unfinished};
    if (is_primary && settings.paired && study.protocol.stopping.rule != Stopping::Rule::never)
      rules.looks =
          LookPlan{study.protocol.stopping.at_least, settings.planned_blocks.value_or(study.runs)};
    conclude_family(family, rules);
    add_nodes(cases, *window, settings.paired, family);
    std::size_t tests = 0;
    for (auto& draft : family) {
      tests += draft.comparison.estimate && draft.comparison.estimate->p;
      findings.comparisons.push_back(std::move(draft.comparison));
    }
    findings.families.push_back({measure, is_primary, tests});
  }
  if (findings.comparisons.empty())
    throw Error(fmt::format("nothing can be compared: {}",
                            is_any_left_out ? findings.notes.back()
                                            : "no two levels of " + study.analysis.compare +
                                                  " have good runs in the same case"),
                "See what there is with `prengdl status`.");
  say_pairing(findings);
  findings.groups = group_comparisons(study, findings.comparisons);
  findings.failures = failures_of(runs);
  return findings;
}

}  // namespace prengdl
