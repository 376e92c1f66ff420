// SPDX-License-Identifier: Apache-2.0
#include "conclude/level_pair.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/strings.h"
#include "conclude/energy_kind.h"
#include "model/measure.h"
#include "model/window.h"
#include "stats/log_ratio.h"
#include "stats/rank_sum.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Runs = LevelPair::Runs;

constexpr double equal_work = 0.01;  // work that differs by more is not the same work

bool all_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

double geometric(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// The ratio of two samples and, from two values on, what is known of it.
std::optional<Ratio> ratio_of(const TwoSamples& samples, bool paired) {
  const auto& [a, b] = samples;
  if (a.empty() || b.empty() || !all_positive(a) || !all_positive(b)) return std::nullopt;
  const auto known = paired ? paired_log_ratio(a, b) : unpaired_log_ratio(a, b);
  if (known) return Ratio{known->ratio, known->ci95, known->p, {}};
  return Ratio{geometric(a) / geometric(b), {}, {}, {}};
}

/// What the runs of a level did on average, by kind.
std::map<std::string, double> mean_work(const Runs& runs) {
  std::map<std::string, std::vector<double>> told;
  for (const auto* run : runs)
    for (const auto& work : run->run.work) told[work.name].push_back(work.value);
  std::map<std::string, double> means;
  for (const auto& [name, values] : told) means[name] = mean(values);
  return means;
}

/// Work that both told and that is not the same; "" if it is, or if one told nothing.
std::string unequal_work(const Runs& a, const Runs& b) {
  const auto first = mean_work(a);
  const auto second = mean_work(b);
  if (first.empty() || second.empty()) return "";
  std::set<std::string> kinds[2];
  bool has_common = false;
  for (const auto& [name, amount] : first) {
    kinds[0].insert(name);
    const auto other = second.find(name);
    if (other == second.end()) continue;
    has_common = true;
    if (std::abs(amount - other->second) > equal_work * std::max(amount, other->second))
      return fmt::format("unequal work: {:.6g} against {:.6g} {} a run", amount, other->second,
                         name);
  }
  for (const auto& [name, amount] : second) kinds[1].insert(name);
  return has_common ? ""
                    : fmt::format("they told different work: {} and {}", joined(kinds[0], ", "),
                                  joined(kinds[1], ", "));
}

/// Modelled energy is a function of time and CPU time: a test of it would test those.
void leave_only_the_ratio(Comparison& result) {
  result.estimate = {result.estimate.value, {}, {}, {}};
  if (result.power) result.power = Ratio{result.power->value, {}, {}, {}};
  result.verdict = Verdict::modelled;
  result.reason = "the energy is modelled, not measured";
}

}  // namespace

LevelPair::LevelPair(const CompareSettings& settings, const Window& window, const Runs& a,
                     const Runs& b, std::size_t largest_exact_tied)
    : settings_(settings), window_(window), a_(a), b_(b), largest_exact_tied_(largest_exact_tied) {
  // Work is told for a run as a whole.
  if (!window.spans.empty()) return;
  if (settings.per_work) per_ = common_work(a, b);
  if (!per_) work_trouble_ = unequal_work(a, b);
}

TwoSamples LevelPair::samples(const std::string& measure) const {
  return two_samples(a_, b_, settings_.paired, [&](const Run& run) { return cost(run, measure); });
}

Comparison LevelPair::compare(const std::string& measure) const {
  Comparison result;
  result.measure = measure;
  result.paired = settings_.paired;
  if (!is_latency(measure)) result.per = per_;
  result.levels = {figures(a_, measure), figures(b_, measure)};
  const TwoSamples both = samples(measure);
  result.n = std::min(both.a.size(), both.b.size());
  result.quality = quality(measure);
  estimate(both, result);
  decompose(measure, result);
  if (result.quality == Quality::model) {
    leave_only_the_ratio(result);
    return result;
  }
  if (result.n > 0) rank(both, result);
  if (auto why = why_not_comparable(measure); !why.empty()) {
    result.verdict = Verdict::not_comparable;
    result.reason = std::move(why);
  }
  return result;
}

std::optional<double> LevelPair::cost(const Run& run, const std::string& measure) const {
  const auto value = value_in(run, window_, measure);
  if (!value || !per_ || is_latency(measure)) return value;
  const auto work = work_of(run, *per_);
  return work ? std::optional(*value / *work) : std::nullopt;
}

std::optional<double> LevelPair::watts(const Run& run, const std::string& measure) const {
  const auto joules = value_in(run, window_, measure);
  const auto seconds = value_in(run, window_, measures::seconds);
  if (!joules || !seconds || *seconds <= 0) return std::nullopt;
  return *joules / *seconds;
}

std::optional<Quality> LevelPair::quality(const std::string& measure) const {
  const auto first = worst_quality(a_, measure);
  const auto second = worst_quality(b_, measure);
  return first && second ? std::max(first, second) : (first ? first : second);
}

LevelFigures LevelPair::figures(const Runs& runs, const std::string& measure) const {
  std::vector<double> values;
  for (const auto* run : runs)
    if (const auto figure = cost(run->run, measure)) values.push_back(*figure);
  LevelFigures figures;
  figures.n = values.size();
  if (values.empty()) return figures;
  const Summary summary = summarise(values);
  figures.mean = summary.mean;
  figures.median = summary.median;
  figures.sd = summary.sd;
  if (all_positive(values)) figures.geomean = geometric(values);
  return figures;
}

void LevelPair::estimate(const TwoSamples& samples, Comparison& result) const {
  const auto ratio = ratio_of(samples, settings_.paired);
  if (!ratio) {
    result.reason = result.n == 0 ? "a level has no run with a figure"
                                  : "a figure is not above zero: it has no logarithm";
    return;
  }
  result.estimate = *ratio;
  if (!ratio->p) result.reason = "a level has a single run: nothing tells how far it scatters";
}

void LevelPair::decompose(const std::string& measure, Comparison& result) const {
  if (is_in_seconds(measure)) return;
  const auto of = [&](const ValueOf& value) {
    return ratio_of(two_samples(a_, b_, settings_.paired, value), settings_.paired);
  };
  // Of the same runs: one without a figure of energy tells nothing about its parts.
  result.time = of([&](const Run& run) {
    return value_in(run, window_, measure) ? cost(run, measures::seconds) : std::nullopt;
  });
  result.power = of([&](const Run& run) { return watts(run, measure); });
}

void LevelPair::rank(const TwoSamples& samples, Comparison& result) const {
  const auto test = settings_.paired ? signed_rank(samples.a, samples.b)
                                     : rank_sum(samples.a, samples.b, Alternative::two_sided,
                                                largest_exact_tied_);
  if (test) result.rank = RankFigures{std::string(test->test), test->p, test->p};
  result.a12 = a12(samples.a, samples.b);
}

std::string LevelPair::why_not_comparable(const std::string& measure) const {
  return work_trouble_.empty() ? other_domains(a_, b_, measure) : work_trouble_;
}

}  // namespace prengdl
