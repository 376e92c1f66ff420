// SPDX-License-Identifier: Apache-2.0
#include "analysis/early_stopping.h"

#include <fmt/core.h>

#include <algorithm>

namespace prengdl {
namespace {

/// With fewer the spread is known too badly for an early end to be worth its price.
constexpr std::size_t fewest_blocks = 10;

ComparisonState state_of(const PairedValues& values, const StopRule& rule) {
  ComparisonState state;
  state.pair = values.pair;
  if (values.modelled) {
    state.reason = "modelled energy decides nothing";
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
    return failure("stopping early and repeating disturbed runs exclude each other",
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

std::string_view name_of(SequenceVerdict verdict) {
  switch (verdict) {
    case SequenceVerdict::less:
      return "less";
    case SequenceVerdict::less_below_margin:
      return "less, below margin";
    case SequenceVerdict::equivalent:
      return "equivalent";
    case SequenceVerdict::inconclusive:
      break;
  }
  return "inconclusive";
}

SequenceVerdict verdict_of(const std::array<double, 2>& interval, double margin) {
  const bool is_clear = interval[0] > 1 || interval[1] < 1;
  const bool is_small = interval[0] > 1 / (1 + margin) && interval[1] < 1 + margin;
  if (is_clear) return is_small ? SequenceVerdict::less_below_margin : SequenceVerdict::less;
  return is_small ? SequenceVerdict::equivalent : SequenceVerdict::inconclusive;
}

StopDecision may_stop(const StoppingInput& input) {
  const StopRule& rule = input.rule;
  if (rule.comparisons < input.comparisons.size())
    throw Error(fmt::format("a unit has {} comparisons, its whole study {}",
                            input.comparisons.size(), rule.comparisons));
  StopDecision decision;
  decision.blocks = input.blocks;
  decision.planned = rule.planned;
  for (const auto& values : input.comparisons)
    decision.comparisons.push_back(state_of(values, rule));

  const auto open = std::count_if(
      decision.comparisons.begin(), decision.comparisons.end(),
      [](const ComparisonState& state) { return state.verdict == SequenceVerdict::inconclusive; });
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

}  // namespace prengdl
