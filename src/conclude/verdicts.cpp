// SPDX-License-Identifier: Apache-2.0
#include "conclude/verdicts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "conclude/score_difference.h"
#include "stats/correction.h"
#include "stats/equivalence.h"
#include "stats/rank_tests.h"
#include "stats/stopping.h"

namespace prengdl {
namespace {

/// From how many runs on the shape of a distribution, and the dependence of neighbours, show.
constexpr std::size_t enough_for_shape = 10;
constexpr std::size_t enough_for_dependence = 30;

bool is_tested(const Comparison& one) {
  return one.verdict != Verdict::modelled && one.verdict != Verdict::not_comparable;
}

/// The interval and the p of a study that may stop early, which allow for all its looks.
void allow_for_looks(const PairDraft& draft, const LookPlan& plan, double margin,
                     Comparison& result) {
  result.looks = plan.last;
  Ratio& estimate = *result.estimate;
  estimate.ci95.reset();
  estimate.p.reset();
  result.equivalence.reset();
  auto differences = log_differences(draft.samples.a, draft.samples.b);
  const auto sequence = differences ? log_ratio_sequence(*differences, plan, 0.05)
                                    : tl::unexpected(differences.error());
  if (!sequence) {
    result.reason = sequence.error().what();
    return;
  }
  estimate.ci95 = sequence->interval;
  if (const auto p = sequence_p(*differences, plan)) estimate.p = *p;
  if (!(margin > 0) || (*estimate.ci95)[0] > 1 + margin || (*estimate.ci95)[1] < 1 / (1 + margin))
    return;
  // Either end of the margin is a ratio of 1 after a shift; the p for both sides is on the safe
  // side of one for one side.
  double largest = 0;
  for (const double bound : {std::log1p(margin), -std::log1p(margin)}) {
    auto shifted = *differences;
    for (double& one : shifted) one += bound;
    const auto p = sequence_p(shifted, plan);
    const bool is_inside =
        bound > 0 ? estimate.value * (1 + margin) > 1 : estimate.value < 1 + margin;
    largest = std::max(largest, p && is_inside ? *p : 1.0);
  }
  result.equivalence = EquivalenceFigures{largest, largest};
}

void estimate_by_rank(const PairDraft& draft, double margin, Comparison& result) {
  if (!result.rank || !result.rank->ratio) {
    result.reason = "too few runs for a rank test";
    return;
  }
  result.estimate = Ratio{*result.rank->ratio, result.rank->ci95, result.rank->p};
  if (const auto p = rank_equivalence_p(draft.samples, draft.facts, margin))
    result.equivalence = EquivalenceFigures{*p, *p};
}

void estimate_by_logs(const PairDraft& draft, Estimator estimator, double margin, double alpha,
                      Comparison& result) {
  const auto ratio = estimator == Estimator::trimmed
                         ? trimmed_ratio_of_samples(draft.samples, draft.facts)
                         : log_ratio_of_samples(draft.samples, draft.facts);
  if (!ratio) {
    if (const auto plain = plain_ratio(draft.samples)) result.estimate = Ratio{*plain, {}, {}};
    result.reason = result.n == 0 ? "a level has no run with a figure" : ratio.error().what();
    return;
  }
  result.estimate =
      Ratio{ratio->ratio, ratio->ci95, ratio->p, {}, ratio->standard_error, ratio->freedom};
  if (const auto test = equivalence(*ratio, margin, alpha))
    result.equivalence = EquivalenceFigures{test->p, test->p};
}

void estimate(PairDraft& draft, const FamilyRules& rules) {
  Comparison& result = draft.comparison;
  if (!is_tested(result)) {  // a test of unlike things would only be quoted
    if (const auto plain = plain_ratio(draft.samples)) result.estimate = Ratio{*plain, {}, {}};
    if (result.verdict == Verdict::modelled && result.power)
      result.power = Ratio{result.power->value, {}, {}};
    return;
  }
  if (result.n > 0) {
    result.rank = rank_figures(draft.samples, draft.facts);
    result.a12 = a12(draft.samples.a, draft.samples.b);
  }
  if (rules.estimator == Estimator::rank)
    estimate_by_rank(draft, rules.plan.margin, result);
  else
    estimate_by_logs(draft, rules.estimator, rules.plan.margin, rules.plan.alpha, result);
  if (!rules.looks || !result.estimate || !result.estimate->p) return;
  if (draft.facts.is_paired) return allow_for_looks(draft, *rules.looks, rules.plan.margin, result);
  result.estimate = Ratio{result.estimate->value, {}, {}};
  result.equivalence.reset();
  result.reason = "the study may stop early, which only pairs allow for";
}

/// Holm's correction of one p of each comparison; `p` points at it, or is null.
template <class PlaceOf>
void correct(std::vector<PairDraft>& family, PlaceOf&& places) {
  std::vector<double> all;
  std::vector<double*> corrected;
  for (auto& draft : family)
    if (const auto [p, target] = places(draft.comparison); p) {
      all.push_back(*p);
      corrected.push_back(target);
    }
  const auto by_holm = holm(all);
  for (std::size_t i = 0; i < corrected.size(); ++i) *corrected[i] = by_holm[i];
}

void correct_all(std::vector<PairDraft>& family) {
  using Places = std::pair<const double*, double*>;
  correct(family, [](Comparison& one) -> Places {
    if (!one.estimate || !one.estimate->p) return {};
    return {&*one.estimate->p, &one.estimate->p_corrected.emplace()};
  });
  correct(family, [](Comparison& one) -> Places {
    return one.rank ? Places{&one.rank->p, &one.rank->p_corrected} : Places{};
  });
  correct(family, [](Comparison& one) -> Places {
    return one.equivalence ? Places{&one.equivalence->p, &one.equivalence->p_corrected} : Places{};
  });
}

/// Whether the interval that includes the sensors' accuracy, where it matters, excludes 1.
bool holds_between_sensors(const Comparison& one) {
  if (!one.with_sensor_accuracy) return true;
  return (*one.with_sensor_accuracy)[0] > 1 || (*one.with_sensor_accuracy)[1] < 1;
}

void judge(Comparison& one, double alpha) {
  if (!is_tested(one) || !one.estimate || !one.estimate->p_corrected) return;
  const bool is_equivalent = one.equivalence && one.equivalence->p_corrected < alpha;
  if (*one.estimate->p_corrected < alpha && holds_between_sensors(one)) {
    one.verdict = Verdict::less;
    one.winner = one.pair[one.estimate->value < 1 ? 0 : 1];
    one.below_margin = is_equivalent;
  } else if (is_equivalent) {
    one.verdict = Verdict::equivalent;
  }
}

/// What so few runs cannot show about themselves.
void add_unjudged(Comparison& one) {
  if (one.verdict != Verdict::less && one.verdict != Verdict::equivalent) return;
  if (one.n < enough_for_shape)
    one.caveats.push_back(
        {Caveat::shape_unjudged,
         fmt::format("{} runs are too few to see whether the values are skewed", one.n)});
  if (one.n < enough_for_dependence)
    one.caveats.push_back(
        {Caveat::dependence_unjudged,
         fmt::format("{} runs are too few to see whether runs depend on each other", one.n)});
}

/// Cheaper but worse is not cheaper.
void judge_score(Comparison& one) {
  if (!one.winner || !one.score) return;
  const auto standing = winners_score(one);
  if (standing == WinnersScore::lower)
    one.caveats.push_back(
        {Caveat::score, fmt::format("{} has the worse {}, and the difference is "
                                    "not shown to be within {:g}",
                                    *one.winner, one.score->metric, one.score->margin)});
  else if (standing == WinnersScore::unknown)
    one.caveats.push_back({Caveat::score, fmt::format("the levels are not shown to reach the same "
                                                      "{} within {:g}",
                                                      one.score->metric, one.score->margin)});
}

}  // namespace

void conclude_family(std::vector<PairDraft>& family, const FamilyRules& rules) {
  for (auto& draft : family) estimate(draft, rules);
  correct_all(family);
  for (auto& draft : family) {
    judge(draft.comparison, rules.plan.alpha);
    add_unjudged(draft.comparison);
    judge_score(draft.comparison);
  }
}

}  // namespace prengdl
