// SPDX-License-Identifier: Apache-2.0
#include "conclude/aa.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <random>

#include "base/error.h"
#include "model/measure.h"
#include "model/window.h"
#include "stats/design_power.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr double aa_level = 0.05;
constexpr std::size_t most_enumerated = 14;  // pairs; beyond that relabellings are drawn
constexpr std::size_t drawn_relabellings = 20'000;

struct Values {
  std::vector<double> first;  // logs; the i-th of both are of one block
  std::vector<double> second;
  std::vector<double> in_order;  // as they ran
  std::optional<Quality> quality;
};

Values values_in(const std::vector<Run>& first, const std::vector<Run>& second,
                 const std::string& measure) {
  Values values;
  std::map<std::size_t, const Run*> partners;
  for (const auto& run : second)
    if (succeeded(run)) partners[run.block] = &run;
  std::map<std::size_t, double> by_place;
  for (const auto& run : first) {
    const auto partner = partners.find(run.block);
    if (!succeeded(run) || partner == partners.end()) continue;
    const auto a = value_of(run, measure);
    const auto b = value_of(*partner->second, measure);
    if (!a || !b || *a <= 0 || *b <= 0) continue;
    values.first.push_back(std::log(*a));
    values.second.push_back(std::log(*b));
    by_place[run.order] = std::log(*a);
    by_place[partner->second->order] = std::log(*b);
    if (is_energy_measure(measure))
      for (const auto* one : {&run, partner->second})
        values.quality = std::max(values.quality.value_or(one->energy.metered->quality),
                                  one->energy.metered->quality);
  }
  for (const auto& [place, value] : by_place) values.in_order.push_back(value);
  return values;
}

/// The share of relabellings that a paired t test finds different. Swapping labels leaves the sum
/// of squares as it is, so the mean alone decides.
double paired_false_positives(const std::vector<double>& differences) {
  const std::size_t n = differences.size();
  const auto count = static_cast<double>(n);
  double squares = 0;
  for (const double d : differences) squares += d * d;
  const double t = student_factor(1 - aa_level, count - 1);
  // |mean| / sqrt((squares - n mean^2) / (n - 1) / n) > t, solved for the sum.
  const double limit = t * std::sqrt(count * squares / (count - 1 + t * t));
  std::size_t found = 0;
  std::size_t all = 0;
  const auto look = [&](double sum) {
    ++all;
    found += std::abs(sum) > limit;
  };
  if (n <= most_enumerated) {
    for (std::size_t signs = 0; signs < (std::size_t{1} << n); ++signs) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        sum += (signs >> i) & 1U ? differences[i] : -differences[i];
      look(sum);
    }
  } else {
    std::mt19937_64 generator(1);
    for (std::size_t i = 0; i < drawn_relabellings; ++i) {
      double sum = 0;
      std::uint64_t bits = 0;
      for (std::size_t k = 0; k < n; ++k) {
        if (k % 64 == 0) bits = generator();
        sum += bits & 1U ? differences[k] : -differences[k];
        bits >>= 1;
      }
      look(sum);
    }
  }
  return static_cast<double>(found) / static_cast<double>(all);
}

/// Every stretch of runs against the next one of the same length.
std::optional<double> back_to_back(const std::vector<double>& in_order) {
  const std::size_t length = in_order.size() / 4;
  if (length < 3) return std::nullopt;
  std::vector<double> values(in_order.size());
  std::transform(in_order.begin(), in_order.end(), values.begin(),
                 [](double log) { return std::exp(log); });
  std::size_t found = 0;
  std::size_t all = 0;
  for (std::size_t at = 0; at + 2 * length <= values.size(); ++at) {
    const std::span all_values(values);
    const auto test =
        unpaired_log_ratio(all_values.subspan(at, length), all_values.subspan(at + length, length));
    ++all;
    found += test && test->p < aa_level;
  }
  return static_cast<double>(found) / static_cast<double>(all);
}

/// Nothing if the values do not differ at all.
std::optional<AaMeasure> judge(const std::string& measure, const Values& values) {
  AaMeasure result;
  result.measure = measure;
  result.quality = values.quality;
  result.pairs = values.first.size();
  std::vector<double> differences;
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t i = 0; i < result.pairs; ++i) {
    differences.push_back(values.first[i] - values.second[i]);
    a.push_back(std::exp(values.first[i]));
    b.push_back(std::exp(values.second[i]));
  }
  result.spread = standard_deviation(differences);
  const auto ratio = paired_log_ratio(a, b);
  if (!ratio || !(result.spread > 0)) return std::nullopt;
  const auto freedom = static_cast<double>(result.pairs - 1);
  const boost::math::chi_squared distribution(freedom);
  result.spread_ci95 = {result.spread * std::sqrt(freedom / quantile(distribution, 0.975)),
                        result.spread * std::sqrt(freedom / quantile(distribution, 0.025))};
  const std::vector<std::vector<double>> labels{values.first, values.second};
  result.run_spread = *pooled_standard_deviation(labels);
  result.ratio = ratio->ratio;
  result.ci95 = ratio->ci95;
  result.p = ratio->p;
  result.false_positives = paired_false_positives(differences);
  result.back_to_back_false_positives = back_to_back(values.in_order);
  result.detectable_ratio = detectable_ratio(result, result.pairs).value_or(1);
  return result;
}

}  // namespace

std::optional<double> detectable_ratio(const AaMeasure& measure, std::size_t pairs, double alpha,
                                       double power) {
  const auto size = detectable_difference(pairs, alpha, power);
  if (!size) return std::nullopt;
  return std::exp(*size * measure.spread);
}

std::vector<AaMeasure> judge_aa(const std::vector<Run>& first, const std::vector<Run>& second) {
  std::vector<AaMeasure> measures;
  for (const std::string measure : {"metered", "seconds", "cpu_seconds"}) {
    const Values values = values_in(first, second, measure);
    if (measure == measures::cpu_seconds && values.first.size() < fewest_aa_pairs) continue;
    if (measure == measures::metered && (values.first.empty() || values.quality == Quality::model))
      continue;
    if (values.first.size() < fewest_aa_pairs)
      throw Error(fmt::format("{} pairs of runs have a figure for {}: an A/A needs {}",
                              values.first.size(), measure, fewest_aa_pairs),
                  "make more runs");
    if (auto judged = judge(measure, values)) measures.push_back(std::move(*judged));
  }
  return measures;
}

}  // namespace prengdl
