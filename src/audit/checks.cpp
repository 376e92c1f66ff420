// SPDX-License-Identifier: Apache-2.0
#include "audit/checks.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <utility>

#include "stats/summary.h"

namespace prengdl {
namespace {

constexpr std::uint64_t seed = 20220521;

/// Longer series are not simulated at their own length, which would take a second for each: a step
/// is looked for in so many means of neighbours, two groups in one value of each of so many parts,
/// and the other tests know their limits for long series.
constexpr std::size_t longest_simulated = 500;
/// From so many values on shuffles add nothing to the normal distribution of their sum.
constexpr std::size_t most_shuffled = 5000;

double two_sided(double deviate) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(deviate)));
}

/// The chance that an exponential value is so many standard deviations from its mean.
double exponential_two_sided(double deviate) {
  return std::exp(-1 - deviate) + (deviate < 1 ? -std::expm1(deviate - 1) : 0);
}

/// What the tests below look at in n values.
enum class Statistic : std::size_t { split, groups, farthest, first, upper_tail, modes };
constexpr std::size_t statistics = 6;

/// What runs that nothing is wrong with may look like: normal, or a fastest time with delays on
/// top.
enum class NoiseShape { normal, skewed };

/// The share of samples of that shape whose statistic is as large, the one at hand counted among
/// them.
double simulated_p(Statistic statistic, std::size_t n, double found, NoiseShape shape);

/// By the shape that speaks more for the sample.
double simulated_p(Statistic statistic, std::size_t n, double found) {
  return std::max(simulated_p(statistic, n, found, NoiseShape::normal),
                  simulated_p(statistic, n, found, NoiseShape::skewed));
}

bool are_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
}

/// Of all splits of a series the largest |t|, as the share of the variance that it explains: a
/// monotone function of t that stays finite when the parts have no spread.
LevelStep best_split(std::span<const double> values, double& explained) {
  const auto n = values.size();
  const double all = std::accumulate(values.begin(), values.end(), 0.0);
  const double centre = all / static_cast<double>(n);
  double total = 0;
  for (const double value : values) total += (value - centre) * (value - centre);
  LevelStep best;
  explained = 0;
  double sum = 0;
  for (std::size_t k = 1; k + 2 <= n; ++k) {
    sum += values[k - 1];
    if (k < 2) continue;
    const auto before = static_cast<double>(k);
    const auto after = static_cast<double>(n - k);
    const double step = (all - sum) / after - sum / before;
    const double between = step * step * before * after / static_cast<double>(n);
    if (between <= explained) continue;
    explained = between;
    best.before = k;
    best.step = step;
  }
  explained = total > 0 ? explained / total : 0;
  return best;
}

double split_statistic(std::span<const double> values) {
  double explained = 0;
  best_split(values, explained);
  return explained;
}

TwoGroups best_groups(std::span<const double> values, double& clearness) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const std::size_t least = std::max<std::size_t>(2, (n + 3) / 4);
  TwoGroups best;
  clearness = 0;
  for (std::size_t k = least; k + least <= n; ++k) {
    const double gap = sorted[k] - sorted[k - 1];
    const double widest = std::max(sorted[k - 1] - sorted[0], sorted[n - 1] - sorted[k]);
    // Between 0 and 1, also where both groups have no width at all.
    const double clear = gap > 0 ? gap / (gap + widest) : 0;
    if (clear <= clearness) continue;
    clearness = clear;
    best.lower = k;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(k);
    best.apart = std::accumulate(middle, sorted.end(), 0.0) / static_cast<double>(n - k) -
                 std::accumulate(sorted.begin(), middle, 0.0) / static_cast<double>(k);
  }
  return best;
}

double groups_statistic(std::span<const double> values) {
  double clearness = 0;
  best_groups(values, clearness);
  return clearness;
}

FarthestValue farthest(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double mad = median(distances);
  FarthestValue found;
  const auto far = std::max_element(distances.begin(), distances.end());
  found.index = static_cast<std::size_t>(far - distances.begin());
  constexpr double to_deviations = 1.4826022185056018;  // of normal values
  if (mad > 0) found.deviations = (values[found.index] - centre) / (to_deviations * mad);
  return found;
}

/// |t| of the first against the others, without the factor that is the same for every sample.
double first_statistic(std::span<const double> values) {
  const auto others = values.subspan(1);
  const double spread = standard_deviation(others);
  return spread > 0 ? std::abs(values[0] - mean(others)) / spread : 0;
}

double farthest_statistic(std::span<const double> values) {
  return std::abs(farthest(values).deviations);
}

/// How much of the range lies below the median.
double upper_tail_statistic(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most > *least ? (median(values) - *least) / (*most - *least) : 0.5;
}

/// The share of the variance between two groups of sorted values, each of at least a quarter.
double modes_statistic(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const std::size_t least = std::max<std::size_t>(2, (n + 3) / 4);
  const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  double total = 0, best = 0, sum = 0;
  for (const double value : sorted) total += std::pow(value - all / static_cast<double>(n), 2);
  for (std::size_t k = 1; k + least <= n; ++k) {
    sum += sorted[k - 1];
    if (k < least) continue;
    const auto below = static_cast<double>(k), above = static_cast<double>(n - k);
    const double apart = (all - sum) / above - sum / below;
    best = std::max(best, apart * apart * below * above / static_cast<double>(n));
  }
  return total > 0 ? best / total : 0;
}

/// Each statistic of n values, drawn often enough: sorted.
using Draws = std::array<std::vector<double>, statistics>;

/// All statistics from the same samples: to draw these takes as long as to look at them.
Draws drawn(std::size_t n, NoiseShape shape) {
  const std::size_t count = n <= 20 ? 10'000 : 4'000;
  std::mt19937_64 random(seed + n);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> skewed;
  std::vector<double> values(n);
  Draws draws;
  for (auto& one : draws) one.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (auto& value : values)
      value = shape == NoiseShape::normal ? normal(random) : skewed(random);
    const auto keep = [&](Statistic statistic, double value) {
      draws[static_cast<std::size_t>(statistic)].push_back(value);
    };
    keep(Statistic::split, split_statistic(values));
    keep(Statistic::groups, groups_statistic(values));
    keep(Statistic::farthest, farthest_statistic(values));
    keep(Statistic::first, first_statistic(values));
    keep(Statistic::upper_tail, upper_tail_statistic(values));
    keep(Statistic::modes, modes_statistic(values));
  }
  for (auto& one : draws) std::sort(one.begin(), one.end());
  return draws;
}

double simulated_p(Statistic statistic, std::size_t n, double found, NoiseShape shape) {
  static std::mutex guard;
  static std::map<std::pair<std::size_t, NoiseShape>, Draws> known;
  const std::lock_guard lock(guard);
  const auto [place, is_new] = known.try_emplace({n, shape});
  if (is_new) place->second = drawn(n, shape);
  const auto& draws = place->second[static_cast<std::size_t>(statistic)];
  const auto as_large = draws.end() - std::lower_bound(draws.begin(), draws.end(), found);
  return static_cast<double>(as_large + 1) / static_cast<double>(draws.size() + 1);
}

}  // namespace

namespace {

/// Where part i of a long series begins, if it is cut into as many equal parts as are simulated.
std::size_t begin_of_part(std::size_t i, std::size_t n) { return i * n / longest_simulated; }

std::vector<double> means_of_parts(std::span<const double> values) {
  std::vector<double> means;
  for (std::size_t i = 0; i < longest_simulated; ++i) {
    const std::size_t begin = begin_of_part(i, values.size());
    means.push_back(mean(values.subspan(begin, begin_of_part(i + 1, values.size()) - begin)));
  }
  return means;
}

/// Any value of each part. Not always the first: runs that take turns would hide each other.
std::vector<double> one_of_parts(std::span<const double> values) {
  std::mt19937_64 random(seed);
  std::vector<double> chosen;
  for (std::size_t i = 0; i < longest_simulated; ++i) {
    const std::size_t begin = begin_of_part(i, values.size());
    chosen.push_back(values[begin + random() % (begin_of_part(i + 1, values.size()) - begin)]);
  }
  return chosen;
}

/// The best of what `search` can find in the values, with its simulated p. A series that is too
/// long to simulate is searched in the parts that `reduce` makes of it; `position` is moved back.
template <typename Found>
std::optional<Found> searched(std::span<const double> values, Statistic statistic,
                              Found (*search)(std::span<const double>, double&),
                              std::vector<double> (*reduce)(std::span<const double>),
                              std::size_t Found::*position) {
  if (values.size() < 6 || are_equal(values)) return std::nullopt;
  if (values.size() > longest_simulated) {
    auto found = searched(reduce(values), statistic, search, reduce, position);
    if (found) (*found).*position = begin_of_part((*found).*position, values.size());
    return found;
  }
  double strength = 0;
  Found found = search(values, strength);
  found.p = simulated_p(statistic, values.size(), strength);
  return found;
}

}  // namespace

std::optional<LevelStep> level_step(std::span<const double> values) {
  return searched(values, Statistic::split, best_split, means_of_parts, &LevelStep::before);
}

std::optional<TwoGroups> two_groups(std::span<const double> values) {
  return searched(values, Statistic::groups, best_groups, one_of_parts, &TwoGroups::lower);
}

std::optional<FarthestValue> farthest_value(std::span<const double> values) {
  if (values.size() < 5) return std::nullopt;
  FarthestValue found = farthest(values);
  if (found.deviations == 0) return std::nullopt;  // more than half of the values are equal
  if (values.size() > longest_simulated) {
    // The MAD is known well by now: the chance that one of n normal values is as far out.
    const double one = two_sided(found.deviations);
    found.p = -std::expm1(static_cast<double>(values.size()) * std::log1p(-one));
    return found;
  }
  found.p = simulated_p(Statistic::farthest, values.size(), std::abs(found.deviations),
                        NoiseShape::normal);
  return found;
}

std::optional<FirstValue> first_value(std::span<const double> values) {
  if (values.size() < 4 || are_equal(values.subspan(1))) return std::nullopt;
  FirstValue found;
  found.difference = values[0] - mean(values.subspan(1));
  const double distance = first_statistic(values);
  found.p = values.size() > longest_simulated
                ? std::max(two_sided(distance), exponential_two_sided(distance))
                : simulated_p(Statistic::first, values.size(), distance);
  for (const double value : values)
    found.rank += value < values[0] ? 1 : value == values[0] ? 0.5 : 0;
  found.rank += 0.5;  // itself counted half above
  return found;
}

std::optional<double> short_upper_tail_p(std::span<const double> values) {
  if (values.size() < 5 || are_equal(values)) return std::nullopt;
  if (values.size() > longest_simulated) return short_upper_tail_p(one_of_parts(values));
  return simulated_p(Statistic::upper_tail, values.size(), upper_tail_statistic(values),
                     NoiseShape::normal);
}

std::optional<double> two_modes_p(std::span<const double> values) {
  if (values.size() < 6 || are_equal(values)) return std::nullopt;
  if (values.size() > longest_simulated) return two_modes_p(one_of_parts(values));
  return simulated_p(Statistic::modes, values.size(), modes_statistic(values));
}

double combined_p(std::span<const double> p_values) {
  if (p_values.empty()) return 1;
  const boost::math::normal normal;
  double sum = 0;
  for (const double p : p_values)
    sum += boost::math::quantile(boost::math::complement(normal, std::clamp(p, 1e-6, 1 - 1e-6)));
  return boost::math::cdf(
      boost::math::complement(normal, sum / std::sqrt(static_cast<double>(p_values.size()))));
}

double fisher_exact_p(std::size_t a, std::size_t of_a, std::size_t b, std::size_t of_b) {
  const auto log_choose = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  const std::size_t both = a + b;
  const auto log_chance = [&](std::size_t x) {
    return log_choose(static_cast<double>(of_a), static_cast<double>(x)) +
           log_choose(static_cast<double>(of_b), static_cast<double>(both - x)) -
           log_choose(static_cast<double>(of_a + of_b), static_cast<double>(both));
  };
  const double found = log_chance(a);
  double p = 0;
  for (std::size_t x = both > of_b ? both - of_b : 0; x <= std::min(both, of_a); ++x)
    if (log_chance(x) <= found + 1e-7) p += std::exp(log_chance(x));
  return std::min(1.0, p);
}

double first_ranks_p(std::span<const double> ranks, std::span<const std::size_t> sizes) {
  double sum = 0;
  double variance = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto n = static_cast<double>(sizes[i]);
    sum += ranks[i] - (n + 1) / 2;
    variance += (n * n - 1) / 12;
  }
  return variance > 0 ? two_sided(sum / std::sqrt(variance)) : 1;
}

namespace {

/// Over all orders within the groups the sum has mean 0 and this variance; it is normal in the
/// limit (Hoeffding 1951).
double normal_association_p(std::span<const double> values, std::span<const double> before,
                            const std::map<std::size_t, std::vector<std::size_t>>& members) {
  double sum = 0, variance = 0;
  for (const auto& [name, places] : members) {
    double of_values = 0, of_before = 0;
    for (const std::size_t i : places) {
      sum += values[i] * before[i];
      of_values += values[i] * values[i];
      of_before += before[i] * before[i];
    }
    if (places.size() > 1)
      variance += of_values * of_before / static_cast<double>(places.size() - 1);
  }
  return variance > 0 ? two_sided(sum / std::sqrt(variance)) : 1;
}

}  // namespace

double association_p(std::span<const double> values, std::span<const double> before,
                     std::span<const std::size_t> group, unsigned shuffles) {
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < group.size(); ++i) members[group[i]].push_back(i);
  const auto together = [&](std::span<const double> order) {
    double sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) sum += order[i] * before[i];
    return std::abs(sum);
  };
  if (values.size() > most_shuffled) return normal_association_p(values, before, members);
  const double found = together(values) * (1 - 1e-12);
  std::vector<double> order(values.begin(), values.end());
  std::mt19937_64 random(seed);
  unsigned as_large = 1;
  for (unsigned shuffle = 0; shuffle < shuffles; ++shuffle) {
    for (const auto& [name, places] : members)
      for (std::size_t i = places.size(); i > 1; --i)
        std::swap(order[places[i - 1]], order[places[random() % i]]);
    if (together(order) >= found) ++as_large;
  }
  return as_large / (shuffles + 1.0);
}

}  // namespace prengdl
