// SPDX-License-Identifier: Apache-2.0
#include "conclude/early_stopping.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/counted_runs.h"
#include "model/window.h"

namespace prengdl {
namespace {

/// With fewer the spread is known too badly for an early end to be worth its price.
constexpr std::size_t fewest_blocks = 10;

}  // namespace

Verdict verdict_of(const std::array<double, 2>& interval, double margin) {
  if (interval[0] > 1 || interval[1] < 1) return Verdict::less;
  const bool is_within = margin > 0 && interval[0] >= 1 / (1 + margin) && interval[1] <= 1 + margin;
  return is_within ? Verdict::equivalent : Verdict::inconclusive;
}

namespace {

ComparisonState state_of(const PairedValues& values, const StopRule& rule) {
  ComparisonState state;
  state.pair = values.pair;
  if (values.modelled) {
    state.reason = "modelled energy supports no decision";
    return state;
  }
  const auto differences = log_differences(values.first, values.second);
  if (!differences) {
    state.reason = differences.error().what();
    return state;
  }
  const auto sequence = log_ratio_sequence(*differences, look_plan(rule),
                                           rule.alpha / static_cast<double>(rule.comparisons));
  if (!sequence) {
    state.reason = sequence.error().what();
    return state;
  }
  state.sequence = *sequence;
  state.verdict = verdict_of(sequence->interval, rule.margin);
  return state;
}

}  // namespace

Result<StopRule> stop_rule(const Study& study, std::size_t comparisons) {
  const auto& stopping = study.protocol.stopping;
  if (stopping.rule == Stopping::Rule::never)
    return failure("the study does not say that it may stop early");
  if (study.protocol.repeat_disturbed)
    return failure("early stopping and repeating disturbed runs cannot be combined",
                   "which runs count would depend on what they showed; leave one of the two out");
  if (study.analysis.test != "log-t")
    return failure(
        fmt::format("there is no rule to stop early for the test \"{}\"", study.analysis.test),
        "take test = \"log-t\"");
  if (stopping.at_least < fewest_blocks)
    return failure(fmt::format("a study that may stop early needs at least {} blocks, not {}",
                               fewest_blocks, stopping.at_least));
  if (study.runs <= stopping.at_least)
    return failure(fmt::format("with {} runs there is nothing to stop early after {} blocks",
                               study.runs, stopping.at_least),
                   "plan more runs, or leave the rule out");
  if (comparisons == 0) return failure("the study compares nothing");
  StopRule rule;
  rule.first = stopping.at_least;
  rule.planned = study.runs;
  rule.comparisons = comparisons;
  rule.alpha = study.analysis.alpha;
  rule.margin = study.analysis.margin;
  return rule;
}

LookPlan look_plan(const StopRule& rule) {
  LookPlan plan;
  plan.first = rule.first;
  plan.last = rule.planned;
  return plan;
}

StopDecision may_stop(const StoppingInput& input) {
  const StopRule& rule = input.rule;
  if (rule.comparisons < input.comparisons.size())
    throw Error(fmt::format("a case has {} comparisons, its whole study {}",
                            input.comparisons.size(), rule.comparisons));
  StopDecision decision;
  decision.blocks = input.blocks;
  decision.planned = rule.planned;
  for (const auto& values : input.comparisons)
    decision.comparisons.push_back(state_of(values, rule));

  const auto open = std::count_if(
      decision.comparisons.begin(), decision.comparisons.end(),
      [](const ComparisonState& state) { return state.verdict == Verdict::inconclusive; });
  if (input.blocks >= rule.planned) {
    decision.stop = true;
    decision.reason = fmt::format("all {} planned blocks are done", rule.planned);
  } else if (input.blocks < rule.first) {
    decision.reason =
        fmt::format("{} blocks are done, the first look is at {}", input.blocks, rule.first);
  } else if (open > 0 || decision.comparisons.empty()) {
    decision.reason = fmt::format("{} of {} comparisons are not decided after {} blocks", open,
                                  decision.comparisons.size(), input.blocks);
  } else {
    decision.stop = true;
    decision.early = true;
    decision.reason = fmt::format(
        "stopped after {} of {} planned blocks: every comparison is decided by an interval that "
        "allows for the looks",
        input.blocks, rule.planned);
  }
  return decision;
}

BlockRuns::BlockRuns(const std::vector<Cell>& cells, const std::vector<StoredRun>& runs) {
  std::map<Cell, std::size_t> index;
  for (std::size_t i = 0; i < cells.size(); ++i) index[cells[i]] = i;
  const CountedRuns which(runs, true);
  for (const auto& run : runs) {
    const auto cell = index.find(run.cell);
    if (run.is_warmup || cell == index.end()) continue;
    tried_.emplace(run.block, cell->second);
    if (which.counts(run)) counted_[{run.block, cell->second}] = &run;
  }
}

const StoredRun* BlockRuns::at(std::size_t block, std::size_t cell) const {
  const auto found = counted_.find({block, cell});
  return found == counted_.end() ? nullptr : found->second;
}

std::size_t BlockRuns::whole_blocks(const std::vector<std::size_t>& one_case) const {
  for (std::size_t block = 0;; ++block)
    for (const std::size_t cell : one_case)
      if (!tried_.contains({block, cell})) return block;
}

std::vector<PairedValues> paired_values(const Study& study, const std::vector<Cell>& cells,
                                        const std::vector<std::size_t>& one_case,
                                        const BlockRuns& runs, std::size_t blocks) {
  const auto compared = factor_index(study, study.analysis.compare);
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  std::vector<PairedValues> all;
  for (std::size_t i = 0; compared && i < one_case.size(); ++i) {
    for (std::size_t j = i + 1; j < one_case.size(); ++j) {
      PairedValues values;
      values.pair = {cells[one_case[i]][*compared], cells[one_case[j]][*compared]};
      for (std::size_t block = 0; block < blocks; ++block) {
        const StoredRun* a = runs.at(block, one_case[i]);
        const StoredRun* b = runs.at(block, one_case[j]);
        if (!a || !b) continue;
        const auto first = value_in(a->run, *window, study.analysis.primary);
        const auto second = value_in(b->run, *window, study.analysis.primary);
        if (!first || !second) continue;
        values.first.push_back(*first);
        values.second.push_back(*second);
        for (const auto* run : {a, b})
          values.modelled =
              values.modelled || quality_in(run->run, study.analysis.primary) == Quality::model;
      }
      all.push_back(std::move(values));
    }
  }
  return all;
}

}  // namespace prengdl
