// SPDX-License-Identifier: Apache-2.0
#include "stats/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "stats/summary.h"

namespace prengdl {
namespace {

using Samples = std::vector<std::vector<double>>;
using Figure = std::function<double(const Samples&)>;

/// SplitMix64 (Steele, Lea and Flood 2014). The standard's distributions may differ between
/// libraries, so indices are made from its words by hand: bits, times n, shifted.
class Indices {
 public:
  explicit Indices(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) { return (word() >> 32) * n >> 32; }

 private:
  std::uint64_t word() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

void resample(const Samples& from, Samples& to, Indices& indices) {
  for (std::size_t k = 0; k < from.size(); ++k)
    for (double& value : to[k]) value = from[k][indices.below(from[k].size())];
}

/// The figure with each value of sample k left out in turn.
std::vector<double> jackknife(const Samples& samples, std::size_t k, const Figure& figure) {
  Samples rest = samples;
  std::vector<double> result;
  for (std::size_t i = 0; i < samples[k].size(); ++i) {
    rest[k] = samples[k];
    rest[k].erase(rest[k].begin() + static_cast<std::ptrdiff_t>(i));
    result.push_back(figure(rest));
  }
  return result;
}

double jackknife_error(const Samples& samples, const Figure& figure) {
  double variance = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto without = jackknife(samples, k, figure);
    const double centre = mean(without);
    const auto n = static_cast<double>(without.size());
    for (const double value : without) variance += (n - 1) / n * std::pow(value - centre, 2);
  }
  return std::sqrt(variance);
}

/// Efron's acceleration, a sixth of the skewness of the influence of single values. Nothing if no
/// value has any.
std::optional<double> acceleration(const Samples& samples, const Figure& figure) {
  double cubes = 0;
  double squares = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto without = jackknife(samples, k, figure);
    const double centre = mean(without);
    const auto n = static_cast<double>(without.size());
    for (const double value : without) {
      const double influence = (n - 1) * (centre - value) / n;
      squares += influence * influence;
      cubes += influence * influence * influence;
    }
  }
  if (!(squares > 0)) return std::nullopt;
  return cubes / (6 * std::pow(squares, 1.5));
}

/// The value at a place from 0 to size - 1 of sorted values, between two of them on a line.
double at_place(const std::vector<double>& sorted, double place) {
  place = std::clamp(place, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  if (part == 0 || sorted[below] == sorted[below + 1]) return sorted[below];
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

std::optional<Error> refusal(const Samples& samples, std::size_t smallest, std::string_view method,
                             const BootstrapOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1))
    return Error("a confidence lies between 0 and 1");
  const double in_a_tail =
      (1 - options.confidence) / 2 * (static_cast<double>(options.resamples) + 1);
  if (!(in_a_tail >= 5))
    return Error(fmt::format("{} resamples are too few for an interval of confidence {}",
                             options.resamples, options.confidence),
                 "take 9999");
  for (const auto& sample : samples) {
    if (sample.size() < (options.any_size ? 2 : smallest))
      return Error(fmt::format("a {} interval from {} values holds the truth less often than it "
                               "says; it is offered from {} values on",
                               method, sample.size(), smallest),
                   "take the interval of Student's t on logs, or more runs");
    if (sample.size() > 0xFFFFFFFF) return Error("too many values to resample");
    for (const double value : sample)
      if (!std::isfinite(value)) return Error("a bootstrap needs numbers");
  }
  return std::nullopt;
}

constexpr auto no_value = "the figure has no value on these samples or on a resample of them";

Result<BootstrapInterval> bca(const Samples& samples, const Figure& figure,
                              const BootstrapOptions& options) {
  if (auto error = refusal(samples, smallest_for_bca, "BCa", options))
    return tl::unexpected(std::move(*error));
  BootstrapInterval result;
  result.method = "BCa";
  result.estimate = figure(samples);
  if (!std::isfinite(result.estimate)) return failure(no_value);
  Indices indices(options.seed);
  Samples drawn = samples;
  std::vector<double> figures(options.resamples);
  double below = 0;  // figures under the estimate, equal ones counting half
  for (double& value : figures) {
    resample(samples, drawn, indices);
    value = figure(drawn);
    if (!std::isfinite(value)) return failure(no_value);
    below += value < result.estimate ? 1.0 : value == result.estimate ? 0.5 : 0.0;
  }
  std::sort(figures.begin(), figures.end());
  const double share = below / static_cast<double>(figures.size());
  const auto a = acceleration(samples, figure);
  if (!(figures.front() < figures.back()) || !a)
    return failure("the figure is the same for all resamples, so there is no spread");
  if (!(share > 0 && share < 1))
    return failure("the figure of the sample lies outside of all resampled ones",
                   "BCa does not suit this figure: its resamples are not centred on it");
  const boost::math::normal normal;
  const double bias = boost::math::quantile(normal, share);
  const double z = boost::math::quantile(normal, (1 - options.confidence) / 2);
  const auto end = [&](double deviate) {
    const double shifted = bias + deviate;
    const double chance = boost::math::cdf(normal, bias + shifted / (1 - *a * shifted));
    return at_place(figures, chance * static_cast<double>(figures.size() - 1));
  };
  result.interval = {end(z), end(-z)};
  result.standard_error = standard_deviation(figures);
  return result;
}

Result<BootstrapInterval> bootstrap_t(const Samples& samples, const Figure& figure,
                                      const Figure& error_of, const BootstrapOptions& options) {
  if (auto error = refusal(samples, smallest_for_bootstrap_t, "bootstrap-t", options))
    return tl::unexpected(std::move(*error));
  BootstrapInterval result;
  result.method = "bootstrap-t";
  result.estimate = figure(samples);
  result.standard_error = error_of(samples);
  if (!std::isfinite(result.estimate) || !std::isfinite(result.standard_error))
    return failure(no_value);
  if (!(result.standard_error > 0))
    return failure("the values do not differ, so there is no spread");
  Indices indices(options.seed);
  Samples drawn = samples;
  std::vector<double> t(options.resamples);
  for (double& value : t) {
    resample(samples, drawn, indices);
    const double distance = figure(drawn) - result.estimate;
    // A resample of equal values has no error: its t is beyond all others, unless it is 0.
    value = distance == 0 ? 0 : distance / error_of(drawn);
    if (std::isnan(value)) return failure(no_value);
  }
  std::sort(t.begin(), t.end());
  const double place =
      (1 - options.confidence) / 2 * (static_cast<double>(t.size()) + 1) - 1;  // from 0
  const double low = at_place(t, place);
  const double high = at_place(t, static_cast<double>(t.size() - 1) - place);
  if (!std::isfinite(low) || !std::isfinite(high))
    return failure("too many resamples without any spread",
                   "the values have too many ties for a bootstrap-t interval; take BCa");
  result.interval = {result.estimate - high * result.standard_error,
                     result.estimate - low * result.standard_error};
  return result;
}

Figure of_one(const Statistic& statistic) {
  return [&statistic](const Samples& samples) { return statistic(samples[0]); };
}

Figure of_two(const PairStatistic& statistic) {
  return [&statistic](const Samples& samples) { return statistic(samples[0], samples[1]); };
}

Samples copies(std::span<const double> a) { return {{a.begin(), a.end()}}; }

Samples copies(std::span<const double> a, std::span<const double> b) {
  return {{a.begin(), a.end()}, {b.begin(), b.end()}};
}

}  // namespace

Result<BootstrapInterval> bca_interval(std::span<const double> sample, const Statistic& statistic,
                                       const BootstrapOptions& options) {
  return bca(copies(sample), of_one(statistic), options);
}

Result<BootstrapInterval> bca_interval(std::span<const double> a, std::span<const double> b,
                                       const PairStatistic& statistic,
                                       const BootstrapOptions& options) {
  return bca(copies(a, b), of_two(statistic), options);
}

Result<BootstrapInterval> bootstrap_t_interval(std::span<const double> sample,
                                               const Statistic& statistic,
                                               const Statistic& standard_error,
                                               const BootstrapOptions& options) {
  const auto figure = of_one(statistic);
  const Figure error = standard_error ? of_one(standard_error) : [&figure](const Samples& samples) {
    return jackknife_error(samples, figure);
  };
  return bootstrap_t(copies(sample), figure, error, options);
}

Result<BootstrapInterval> bootstrap_t_interval(std::span<const double> a, std::span<const double> b,
                                               const PairStatistic& statistic,
                                               const PairStatistic& standard_error,
                                               const BootstrapOptions& options) {
  const auto figure = of_two(statistic);
  const Figure error = standard_error ? of_two(standard_error) : [&figure](const Samples& samples) {
    return jackknife_error(samples, figure);
  };
  return bootstrap_t(copies(a, b), figure, error, options);
}

}  // namespace prengdl
