// SPDX-License-Identifier: Apache-2.0
#include "analysis/energy_bounds.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "stats/mean_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Vertex = std::array<double, 3>;

/// A level with nothing unknown in it: what was not recorded is at one of its limits.
using Terms = std::array<std::vector<double>, 3>;

enum class Unrecorded { least, most };

std::vector<double> scaled(const std::vector<double>& values, double factor) {
  std::vector<double> result = values;
  for (double& value : result) value *= factor;
  return result;
}

Terms terms_of(const Usage& usage, const AssumedModels& models, Unrecorded assumed) {
  const double cpus = assumed == Unrecorded::most ? models.cpus : 0;
  const double gigabytes = assumed == Unrecorded::most ? models.memory_gigabytes : 0;
  return {
      usage.seconds, usage.cpu_seconds.empty() ? scaled(usage.seconds, cpus) : usage.cpu_seconds,
      usage.gigabyte_seconds.empty() ? scaled(usage.seconds, gigabytes) : usage.gigabyte_seconds};
}

/// The means of the three terms.
Vertex means_of(const Terms& terms) { return {mean(terms[0]), mean(terms[1]), mean(terms[2])}; }

double energy(const Vertex& coefficients, const Vertex& means) {
  return coefficients[0] * means[0] + coefficients[1] * means[1] + coefficients[2] * means[2];
}

std::vector<double> energies(const Vertex& coefficients, const Terms& terms) {
  std::vector<double> result(terms[0].size(), 0);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += coefficients[k] * terms[k][i];
  return result;
}

std::array<Coefficient, 3> coefficients_of(const AssumedModels& models) {
  return {models.standing, models.per_busy_cpu, models.per_gigabyte};
}

/// The coefficients of the first and of the second.
using Corner = std::array<Vertex, 2>;
using Corners = std::array<Corner, 8>;

/// A quotient of two linear functions has its extremes at corners of the ranges. It falls
/// with b of the second and rises with b of the first, so that its smallest value (end 0) is where
/// these two are as far apart as the mix allows, at one end of their range or the other.
Corners corners_of(const AssumedModels& models, double mix, std::size_t end) {
  const auto& [value, low, high] = models.per_busy_cpu;
  const std::array<std::array<double, 2>, 2> apart{std::array{low, std::min(mix * low, high)},
                                                   std::array{std::max(low, high / mix), high}};
  Corners corners{};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const double a = i & 1U ? models.standing.high : models.standing.low;
    const double c = i & 2U ? models.per_gigabyte.high : models.per_gigabyte.low;
    const auto& b = apart[i >> 2U];
    corners[i] = {Vertex{a, b[end == 0 ? 0 : 1], c}, Vertex{a, b[end == 0 ? 1 : 0], c}};
  }
  return corners;
}

/// Both levels with what was not recorded at its limits: for the smallest ratio the first used as
/// little as it can have and the second as much, for the largest the other way round.
using Cases = std::array<std::array<Terms, 2>, 2>;

struct Extremes {
  std::array<double, 2> ratio{};
  std::array<Corner, 2> at{};
};

Extremes extremes_of(const AssumedModels& models, double mix, const Cases& cases) {
  Extremes extremes;
  for (std::size_t end = 0; end < 2; ++end) {
    const Vertex first = means_of(cases[end][0]);
    const Vertex second = means_of(cases[end][1]);
    bool is_first = true;
    for (const auto& corner : corners_of(models, mix, end)) {
      const double ratio = energy(corner[0], first) / energy(corner[1], second);
      const bool is_beyond = end == 0 ? ratio < extremes.ratio[0] : ratio > extremes.ratio[1];
      if (!is_first && !is_beyond) continue;
      extremes.ratio[end] = ratio;
      extremes.at[end] = corner;
      is_first = false;
    }
  }
  return extremes;
}

bool straddles_one(const Extremes& extremes) {
  return extremes.ratio[0] < 1 && extremes.ratio[1] > 1;
}

/// At each corner Fieller's interval of the ratio; from the lowest end to the highest. The true
/// extremes are those of two corners, whose own one-sided bounds fail in 2.5 % of the cases each,
/// so no correction for the number of corners is due (Berger 1982).
std::optional<std::array<double, 2>> with_scatter(const AssumedModels& models, const Cases& cases,
                                                  bool paired) {
  std::array<double, 2> interval{};
  for (std::size_t end = 0; end < 2; ++end) {
    std::optional<double> bound;
    for (const auto& corner : corners_of(models, models.mix, end)) {
      const auto first = energies(corner[0], cases[end][0]);
      const auto second = energies(corner[1], cases[end][1]);
      const auto ratio =
          paired ? paired_mean_ratio(first, second) : unpaired_mean_ratio(first, second);
      if (!ratio) return std::nullopt;
      const double here = ratio->interval[end];
      bound = !bound ? here : end == 0 ? std::min(*bound, here) : std::max(*bound, here);
    }
    interval[end] = *bound;
  }
  return interval;
}

struct Decision {
  Decider decider;
  std::optional<double> break_even;
};

/// The coefficient that turns the sign of the difference by itself while the others are as the
/// table has them; of several, or if none does, the one that moves the difference most.
Decision decision_of(const AssumedModels& models, const Vertex& first, const Vertex& second) {
  const auto ranges = coefficients_of(models);
  Vertex difference{};
  double total = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    difference[k] = first[k] - second[k];
    total += ranges[k].value * difference[k];
  }
  Decision best{Decider::standing, std::nullopt};
  double largest = -1;
  for (std::size_t k = 0; k < 3; ++k) {
    const double swing = std::abs(difference[k]) * (ranges[k].high - ranges[k].low);
    std::optional<double> zero;
    if (difference[k] != 0) zero = ranges[k].value - total / difference[k];
    if (zero && (*zero < ranges[k].low || *zero > ranges[k].high)) zero.reset();
    const bool is_better =
        best.break_even.has_value() == zero.has_value() ? swing > largest : zero.has_value();
    if (!is_better) continue;
    largest = swing;
    best = {static_cast<Decider>(k), zero};
  }
  return best;
}

Vertex middle_of(const Terms& least, const Terms& most) {
  const Vertex low = means_of(least);
  const Vertex high = means_of(most);
  return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
}

std::optional<double> ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const double below = mean(b);
  if (!(below > 0)) return std::nullopt;
  return mean(a) / below;
}

}  // namespace

std::string_view name_of(Decider decider) {
  switch (decider) {
    case Decider::standing:
      return "standing power";
    case Decider::per_busy_cpu:
      return "power per busy CPU";
    case Decider::per_gigabyte:
      return "power per GB of memory";
    case Decider::mix:
      return "whether a second of CPU time takes the same energy in both";
    case Decider::unrecorded_cpu_time:
      return "CPU time, which was not recorded";
  }
  return "";
}

std::string_view name_of(BoundsVerdict verdict) {
  switch (verdict) {
    case BoundsVerdict::less:
      return "less under the assumed models";
    case BoundsVerdict::needs_runs:
      return "needs more runs";
    case BoundsVerdict::needs_meter:
      return "needs a meter";
  }
  return "";
}

AssumedModels assumed_models(const PowerModel& model) {
  const double cpus = model.cpus;
  const auto& idle = model.idle_per_cpu;
  const auto& full = model.full_per_cpu;
  const auto& memory = model.memory_per_gigabyte;
  AssumedModels models;
  // The servers behind the table have memory inside, so the least is none on top.
  models.standing = {standing_power(model).value, cpus * idle.low,
                     cpus * idle.high + model.memory_gigabytes * memory.high};
  // A busy CPU never draws less than an idle one, however far the two figures are off.
  models.per_busy_cpu = {power_per_busy_cpu(model).value, std::max(0.0, full.low - idle.high),
                         full.high - idle.low};
  // Memory draws its power whether it is held or not; at most, all of it follows what is held.
  models.per_gigabyte = {0, 0, memory.high};
  models.cpus = model.cpus;
  models.memory_gigabytes = model.memory_gigabytes;
  models.row = model.row;
  models.source = model.source;
  return models;
}

EnergyBounds energy_bounds(const Usage& first, const Usage& second, const AssumedModels& models,
                           bool paired) {
  if (first.seconds.empty() || second.seconds.empty())
    throw Error("bounds of an energy ratio need runs of both");
  const Cases cases{std::array{terms_of(first, models, Unrecorded::least),
                               terms_of(second, models, Unrecorded::most)},
                    std::array{terms_of(first, models, Unrecorded::most),
                               terms_of(second, models, Unrecorded::least)}};
  EnergyBounds bounds;
  bounds.time_ratio = *ratio_of(first.seconds, second.seconds);
  bounds.cpu_ratio = ratio_of(first.cpu_seconds, second.cpu_seconds);
  bounds.memory_ratio = ratio_of(first.gigabyte_seconds, second.gigabyte_seconds);
  const Extremes extremes = extremes_of(models, models.mix, cases);
  bounds.ratio = extremes.ratio;
  for (std::size_t end = 0; end < 2; ++end) {
    const auto& [one, other] = extremes.at[end];
    bounds.extremes[end] = {one[0], one[1], other[1], one[2]};
  }
  bounds.ci95 = with_scatter(models, cases, paired);

  // What is not known is in the middle of what it can be.
  const Vertex a = middle_of(cases[0][0], cases[1][0]);
  const Vertex b = middle_of(cases[0][1], cases[1][1]);
  const Vertex middle{models.standing.value, models.per_busy_cpu.value, models.per_gigabyte.value};
  bounds.middle = energy(middle, a) / energy(middle, b);

  if (straddles_one(extremes)) {
    bounds.verdict = BoundsVerdict::needs_meter;
    const bool knows_cpu = !first.cpu_seconds.empty() && !second.cpu_seconds.empty();
    if (!knows_cpu) {
      bounds.decider = Decider::unrecorded_cpu_time;
    } else if (!straddles_one(extremes_of(models, 1, cases))) {
      bounds.decider = Decider::mix;
    } else {
      const Decision decision = decision_of(models, a, b);
      bounds.decider = decision.decider;
      bounds.break_even = decision.break_even;
    }
    return bounds;
  }
  const bool is_shown = bounds.ci95 && ((*bounds.ci95)[1] < 1 || (*bounds.ci95)[0] > 1);
  bounds.verdict = is_shown ? BoundsVerdict::less : BoundsVerdict::needs_runs;
  if (is_shown) bounds.less = bounds.ratio[1] < 1 ? 0 : 1;
  return bounds;
}

}  // namespace prengdl
