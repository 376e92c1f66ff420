// SPDX-License-Identifier: Apache-2.0
#include "conclude/robustness.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "conclude/compare.h"
#include "model/counted_runs.h"
#include "stats/design_power.h"

namespace prengdl {
namespace {

/// More than so many blocks are left out in groups of neighbours.
constexpr std::size_t most_left_out = 30;

/// One way to look at the runs.
struct Specification {
  std::string name;
  Study study;
  CompareSettings settings;
  std::function<bool(const StoredRun&)> leaves_out{};  // nothing: it takes all runs

  bool is_rank() const { return settings.estimator == Estimator::rank; }
};

bool is_same(const Comparison& a, const Comparison& b) {
  return a.measure == b.measure && a.pair == b.pair && a.cell == b.cell;
}

/// What the specification finds; empty if it does not fit the data.
std::vector<Comparison> comparisons_by(const Specification& one,
                                       const std::vector<StoredRun>& runs) {
  try {
    if (!one.leaves_out) return compare(one.study, runs, one.settings).comparisons;
    std::vector<StoredRun> kept;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(kept),
                 [&](const StoredRun& run) { return !one.leaves_out(run); });
    return compare(one.study, kept, one.settings).comparisons;
  } catch (const Error&) {
    return {};
  }
}

bool agrees(const Comparison& own, const Comparison& other) {
  return own.verdict == other.verdict && own.winner == other.winner;
}

AlternativeFinding finding_of(const std::string& name, const Comparison& own,
                              const Comparison& other) {
  AlternativeFinding finding;
  finding.analysis = name;
  finding.verdict = other.verdict;
  finding.winner = other.winner;
  if (other.estimate) {
    finding.ratio = other.estimate->value;
    finding.ci95 = other.estimate->ci95;
  }
  finding.agrees = agrees(own, other);
  return finding;
}

/// Whether ranks could show a difference at all: of few runs not even a perfect separation has a
/// small enough p after the correction.
bool can_rank(const Comparison& one, const Findings& findings) {
  const auto family = std::find_if(findings.families.begin(), findings.families.end(),
                                   [&](const Family& each) { return each.measure == one.measure; });
  const std::size_t tests = family == findings.families.end() ? 1 : family->tests;
  const double smallest = one.paired ? smallest_signed_rank_p(one.n)
                                     : smallest_rank_sum_p(one.levels[0].n, one.levels[1].n);
  return smallest * static_cast<double>(tests) <= findings.alpha;
}

void add(const std::string& name, const std::vector<Comparison>& others, bool is_rank,
         Findings& findings) {
  for (auto& own : findings.comparisons) {
    const auto other = std::find_if(others.begin(), others.end(),
                                    [&](const Comparison& one) { return is_same(own, one); });
    if (other == others.end() || !own.robustness || (is_rank && !can_rank(*other, findings)))
      continue;
    own.robustness->analyses.push_back(finding_of(name, own, *other));
  }
}

/// Kinds of spans that every counted run has, for windows, and kinds of work, for costs per unit.
std::vector<std::string> common_names(
    const std::vector<const StoredRun*>& runs,
    const std::function<std::set<std::string>(const Run&)>& names_of) {
  std::map<std::string, std::size_t> counts;
  for (const auto* run : runs)
    for (const auto& name : names_of(run->run)) ++counts[name];
  std::vector<std::string> common;
  for (const auto& [name, count] : counts)
    if (count == runs.size()) common.push_back(name);
  return common;
}

std::set<std::string> spans_of(const Run& run) {
  std::set<std::string> names;
  for (const auto& one : run.spans) names.insert(one.span.span);
  return names;
}

std::set<std::string> work_of_run(const Run& run) {
  std::set<std::string> names;
  for (const auto& one : run.work)
    if (one.value > 0) names.insert(one.name);
  return names;
}

/// All that differ from the study's own analysis in one respect, except for the blocks left out.
std::vector<Specification> specifications(const Study& study, const CompareSettings& settings,
                                          const std::vector<const StoredRun*>& counted,
                                          bool is_paired) {
  std::vector<Specification> all;
  const auto with = [&](std::string name, auto&& change) {
    Specification one{std::move(name), study, settings};
    change(one);
    all.push_back(std::move(one));
  };
  with("log-t", [](auto& one) { one.settings.estimator = Estimator::log_t; });
  with("rank test", [](auto& one) { one.settings.estimator = Estimator::rank; });
  with("trimmed means", [](auto& one) { one.settings.estimator = Estimator::trimmed; });
  if (is_paired) with("independent samples", [](auto& one) { one.settings.paired = false; });
  if (std::any_of(counted.begin(), counted.end(),
                  [](const auto* run) { return !run->run.flags.empty(); }))
    with("without flagged runs", [](auto& one) {
      one.leaves_out = [](const StoredRun& run) { return !run.run.flags.empty(); };
    });
  if (study.analysis.window != "run")
    with("whole runs", [](auto& one) { one.study.analysis.window = "run"; });
  else
    for (const auto& span : common_names(counted, spans_of))
      with("window " + span, [&](auto& one) { one.study.analysis.window = span; });
  if (!study.analysis.per.empty())
    with("costs per run", [](auto& one) { one.study.analysis.per.clear(); });
  else
    for (const auto& work : common_names(counted, work_of_run))
      with("costs per " + work, [&](auto& one) { one.study.analysis.per = work; });
  return all;
}

/// The blocks in groups, each of which is left out once.
std::vector<std::set<std::size_t>> groups_of_blocks(const std::vector<const StoredRun*>& counted) {
  std::set<std::size_t> blocks;
  for (const auto* run : counted) blocks.insert(run->block);
  const std::size_t count = std::min(blocks.size(), most_left_out);
  std::vector<std::set<std::size_t>> groups(count);
  std::size_t at = 0;
  for (const std::size_t block : blocks) groups[at++ * count / blocks.size()].insert(block);
  return groups;
}

/// One analysis of which each block's absence is a part: the first that disagrees stands for it.
void add_without_blocks(const Specification& own, const std::vector<StoredRun>& runs,
                        const std::vector<const StoredRun*>& counted, Findings& findings) {
  const auto groups = groups_of_blocks(counted);
  if (groups.size() < 3) return;  // too little would be left
  std::map<const Comparison*, AlternativeFinding> worst;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Specification without = own;
    without.leaves_out = [&](const StoredRun& run) { return groups[i].contains(run.block); };
    const auto others = comparisons_by(without, runs);
    if (i == 0) add("without the first block", others, own.is_rank(), findings);
    for (const auto& mine : findings.comparisons) {
      const auto other = std::find_if(others.begin(), others.end(),
                                      [&](const Comparison& one) { return is_same(mine, one); });
      if (other == others.end() || !mine.robustness) continue;
      const auto [place, is_new] =
          worst.try_emplace(&mine, finding_of("without any one block", mine, *other));
      if (!is_new && place->second.agrees && !agrees(mine, *other))
        place->second = finding_of("without any one block", mine, *other);
    }
  }
  for (auto& mine : findings.comparisons)
    if (const auto found = worst.find(&mine); found != worst.end())
      mine.robustness->analyses.push_back(found->second);
}

}  // namespace

void add_robustness(const Study& study, const std::vector<StoredRun>& runs,
                    const CompareSettings& settings, const std::string& measure,
                    Findings& findings) {
  Study of_measure = study;
  of_measure.analysis.primary = measure;
  of_measure.analysis.secondary = {measure};  // the primary one and no other
  bool is_paired = false;
  for (auto& one : findings.comparisons) {
    if (one.measure != measure || one.verdict == Verdict::modelled ||
        one.verdict == Verdict::not_comparable)
      continue;
    one.robustness.emplace();
    is_paired = is_paired || one.paired;
  }
  const auto counted = counted_runs(runs, settings.paired);
  for (const auto& one : specifications(of_measure, settings, counted, is_paired))
    add(one.name, comparisons_by(one, runs), one.is_rank(), findings);
  if (settings.paired) add_without_blocks({"", of_measure, settings}, runs, counted, findings);
  for (auto& one : findings.comparisons)
    if (one.robustness)
      one.robustness->agree = static_cast<std::size_t>(
          std::count_if(one.robustness->analyses.begin(), one.robustness->analyses.end(),
                        [](const AlternativeFinding& finding) { return finding.agrees; }));
}

}  // namespace prengdl
