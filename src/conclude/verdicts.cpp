// SPDX-License-Identifier: Apache-2.0
#include "conclude/verdicts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "conclude/score_difference.h"
#include "stats/correction.h"
#include "stats/dependence.h"
#include "stats/equivalence.h"
#include "stats/rank_tests.h"
#include "stats/shape.h"
#include "stats/stopping.h"

namespace prengdl {
namespace {

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

/// Several machines are the sample whatever the test: a rank test, trimmed means and looks know
/// nothing of machines, so their interval is widened to hold that over machines, and the larger p
/// counts.
void allow_for_machines(const PairDraft& draft, double margin, double alpha, Comparison& result) {
  if (result.by_machine.empty() || !result.estimate || !result.estimate->p) return;
  Ratio& estimate = *result.estimate;
  const auto over = log_ratio_of_samples(draft.samples, draft.facts);
  if (!over) return;
  estimate.p = std::max(*estimate.p, over->p);
  if (estimate.ci95)
    estimate.ci95 = {std::min((*estimate.ci95)[0], over->ci95[0]),
                     std::max((*estimate.ci95)[1], over->ci95[1])};
  const auto test = equivalence(*over, margin, alpha);
  if (!result.equivalence || !test) return;
  const double p = std::max(result.equivalence->p, test->p);
  result.equivalence = EquivalenceFigures{p, p};
}

void estimate(PairDraft& draft, const FamilyRules& rules) {
  Comparison& result = draft.comparison;
  if (!is_tested(result)) {  // a test of unlike things would only be quoted
    if (const auto plain = plain_ratio(draft.samples)) result.estimate = Ratio{*plain, {}, {}};
    if (result.verdict == Verdict::modelled && result.power)
      result.power = Ratio{result.power->value, {}, {}};
    return;
  }
  const double margin = rules.plan.margin;
  const double alpha = rules.plan.alpha;
  if (result.n > 0) {
    result.rank = rank_figures(draft.samples, draft.facts);
    result.a12 = a12(draft.samples.a, draft.samples.b);
  }
  if (rules.estimator == Estimator::rank)
    estimate_by_rank(draft, margin, result);
  else
    estimate_by_logs(draft, rules.estimator, margin, alpha, result);
  if (rules.estimator != Estimator::log_t) allow_for_machines(draft, margin, alpha, result);
  if (!rules.looks || !result.estimate || !result.estimate->p) return;
  if (draft.facts.is_paired) {
    allow_for_looks(draft, *rules.looks, margin, result);
    return allow_for_machines(draft, margin, alpha, result);
  }
  result.estimate = Ratio{result.estimate->value, {}, {}};
  result.equivalence.reset();
  result.reason = "the study may stop early, which requires pairs";
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

/// An error of a sensor without a stated accuracy that would not surprise.
constexpr double usual_gain_error = 0.1;

/// The second interval, and what is missing for one.
void add_sensor_accuracy(PairDraft& draft) {
  Comparison& one = draft.comparison;
  if (!draft.sensors || !is_tested(one) || !one.estimate || !one.estimate->ci95) return;
  const SensorAccuracy& sensors = *draft.sensors;
  if (sensors.standard_error) {
    one.with_sensor_accuracy =
        with_sensor_accuracy(one.estimate->value, *one.estimate->ci95, *sensors.standard_error);
    return;
  }
  const auto tipping = sensors.needed ? tipping_gain(sensors, *one.estimate->ci95) : std::nullopt;
  if (tipping && *tipping < usual_gain_error)
    one.caveats.push_back({Caveat::sensor_accuracy,
                           fmt::format("this would not hold if a meter were off by {:.2g} %: {}",
                                       *tipping * 100, sensors.reason)});
}

/// Whether the interval that includes the sensors' accuracy, where it matters, excludes 1.
bool holds_between_sensors(const PairDraft& draft) {
  const auto& interval = draft.comparison.with_sensor_accuracy;
  if (!draft.sensors || !draft.sensors->needed || !interval) return true;
  return (*interval)[0] > 1 || (*interval)[1] < 1;
}

void judge(PairDraft& draft, double alpha) {
  Comparison& one = draft.comparison;
  if (!is_tested(one) || !one.estimate || !one.estimate->p_corrected) return;
  const bool is_equivalent = one.equivalence && one.equivalence->p_corrected < alpha;
  if (*one.estimate->p_corrected < alpha && holds_between_sensors(draft)) {
    one.verdict = Verdict::less;
    one.winner = one.pair[one.estimate->value < 1 ? 0 : 1];
    one.below_margin = is_equivalent;
  } else if (is_equivalent) {
    one.verdict = Verdict::equivalent;
  }
}

/// How far runs depend on those before them, over all comparisons of the family: each gets the
/// correlation that its test allows for.
void judge_dependence(std::vector<PairDraft>& family) {
  struct Place {
    PairDraft* draft;
    bool is_second;  // of independent samples
  };
  std::vector<std::vector<double>> series;
  std::vector<Place> places;
  for (auto& draft : family) {
    if (!is_tested(draft.comparison)) continue;
    TimeSeries own = time_series(draft.samples, draft.facts.is_paired);
    for (auto* level : {&own.a, &own.b})
      for (auto& values : *level) {
        series.push_back(std::move(values));
        places.push_back({&draft, level == &own.b});
      }
  }
  const Dependence found = dependence(series);
  for (std::size_t i = 0; i < places.size(); ++i) {
    SampleFacts& facts = places[i].draft->facts.sample;
    double& target = places[i].is_second ? facts.correlation_of_b : facts.correlation;
    target = std::max(target, found.of_series[i]);
  }
  for (auto& draft : family) {
    const double strongest =
        std::max(draft.facts.sample.correlation, draft.facts.sample.correlation_of_b);
    if (is_tested(draft.comparison) && draft.comparison.n >= 2)
      draft.comparison.n_effective = effective_n(draft.comparison.n, strongest);
  }
}

/// What Student's t knows about a comparison.
LogRatio log_ratio_of_estimate(const Ratio& estimate) {
  LogRatio ratio;
  ratio.ratio = estimate.value;
  ratio.p = *estimate.p;
  ratio.standard_error = *estimate.standard_error;
  ratio.freedom = *estimate.freedom;
  return ratio;
}

/// Marks what a test that allows for skewness does not confirm.
void judge_shape(std::vector<PairDraft>& family, const AnalysisPlan& plan) {
  std::vector<Comparison*> judged;
  std::vector<LogRatio> ratios;
  std::vector<std::optional<MeanSkewness>> skewness;
  std::vector<double> p, equivalence_p;
  for (auto& draft : family) {
    Comparison& one = draft.comparison;
    if (!one.estimate || !one.estimate->p || !one.estimate->standard_error || one.looks) continue;
    judged.push_back(&one);
    ratios.push_back(log_ratio_of_estimate(*one.estimate));
    skewness.push_back(skewness_of(draft.samples, draft.facts.is_paired));
    p.push_back(*one.estimate->p);
    equivalence_p.push_back(one.equivalence ? one.equivalence->p : 1);
  }
  const auto doubts = skew_doubts(p, skewness_checked_p(ratios, skewness), plan.alpha);
  std::vector<bool> others(judged.size(), false);
  if (plan.margin > 0)
    others = skew_doubts(equivalence_p,
                         skewness_checked_equivalence_p(ratios, skewness, plan.margin), plan.alpha);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const bool is_doubted = judged[i]->verdict == Verdict::less         ? doubts[i]
                            : judged[i]->verdict == Verdict::equivalent ? others[i]
                                                                        : false;
    if (is_doubted)
      judged[i]->caveats.push_back(
          {Caveat::skewed, "the values are skewed, and a test that allows for it does not agree"});
  }
}

void judge_machines(PairDraft& draft) {
  constexpr double level = 0.05;
  Comparison& one = draft.comparison;
  if (one.by_machine.empty() || !is_tested(one)) return;
  const auto p = p_machines_differ(draft.samples, draft.facts);
  if (!p || *p >= level) return;
  const auto by_ratio = [](const MachineRatio& x, const MachineRatio& y) {
    return x.ratio < y.ratio;
  };
  const auto [low, high] =
      std::minmax_element(one.by_machine.begin(), one.by_machine.end(), by_ratio);
  one.caveats.push_back(
      {Caveat::machines_differ,
       fmt::format("the ratio differs between the {} machines, from {:.3g} on {} to {:.3g} on {}",
                   one.by_machine.size(), low->ratio, low->name, high->ratio, high->name)});
}

/// What so few runs cannot show about themselves.
void add_unjudged(Comparison& one) {
  if (one.verdict != Verdict::less && one.verdict != Verdict::equivalent) return;
  if (one.n < smallest_to_judge_shape)
    one.caveats.push_back(
        {Caveat::shape_unjudged,
         fmt::format("{} runs are too few to see whether the values are skewed", one.n)});
  if (one.n < smallest_to_judge_dependence)
    one.caveats.push_back(
        {Caveat::dependence_unjudged,
         fmt::format("{} runs are too few to see whether runs depend on each other", one.n)});
}

/// Who looks before the end may stop when the figures please; a plan for it keeps the error rate.
void add_looks(const FamilyRules& rules, Comparison& one) {
  if (one.verdict != Verdict::less && one.verdict != Verdict::equivalent) return;
  if (one.looks) return;
  if (rules.earlier_looks > 0)
    one.caveats.push_back(
        {Caveat::looked,
         fmt::format(
             "the findings were seen {} before these runs were complete, which p does "
             "not allow for",
             rules.earlier_looks == 1 ? "once" : fmt::format("{} times", rules.earlier_looks))});
  if (rules.is_unfinished) one.caveats.push_back({Caveat::unfinished, "the study is not finished"});
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
  judge_dependence(family);
  for (auto& draft : family) estimate(draft, rules);
  correct_all(family);
  for (auto& draft : family) {
    add_sensor_accuracy(draft);
    judge(draft, rules.plan.alpha);
    add_unjudged(draft.comparison);
    add_looks(rules, draft.comparison);
    judge_machines(draft);
    judge_score(draft.comparison);
  }
  if (rules.estimator == Estimator::log_t) judge_shape(family, rules.plan);
}

}  // namespace prengdl
