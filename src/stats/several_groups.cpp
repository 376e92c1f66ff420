// SPDX-License-Identifier: Apache-2.0
#include "stats/several_groups.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <functional>
#include <optional>

#include "stats/correction.h"
#include "stats/rank_sum.h"
#include "stats/ranks.h"

namespace prengdl {
namespace {

using Groups = std::span<const std::vector<double>>;

GroupsTest conclude(std::string_view test, double statistic, std::size_t groups) {
  const double freedom = static_cast<double>(groups - 1);
  const boost::math::chi_squared distribution(freedom);
  return {test, statistic, freedom,
          boost::math::cdf(boost::math::complement(distribution, std::max(0.0, statistic)))};
}

std::optional<Error> refused(Groups groups) {
  if (groups.size() < 2) return Error("a test of groups needs at least two of them");
  for (const auto& group : groups) {
    if (group.empty()) return Error("each group needs at least one value");
    if (!all_finite(group)) return Error("a rank test needs finite values");
  }
  return std::nullopt;
}

Result<std::vector<PairTest>> all_pairs(
    Groups groups,
    const std::function<Result<RankTest>(std::span<const double>, std::span<const double>)>& test) {
  if (auto error = refused(groups)) return tl::unexpected(std::move(*error));
  std::vector<PairTest> pairs;
  std::vector<double> p;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      auto rank = test(groups[i], groups[j]);
      if (!rank) return tl::unexpected(std::move(rank.error()));
      p.push_back(rank->p);
      pairs.push_back({i, j, *rank, 1});
    }
  const auto corrected = holm(p);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].p_corrected = corrected[i];
  return pairs;
}

}  // namespace

Result<GroupsTest> kruskal_wallis(Groups groups) {
  if (auto error = refused(groups)) return tl::unexpected(std::move(*error));
  std::vector<double> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  const auto ranks = ranks_of(all);
  const auto n = static_cast<double>(all.size());
  const double untied = 1 - ranks.tie_cubes() / (n * n * n - n);
  constexpr auto name = "Kruskal-Wallis, chi-squared";
  if (!(untied > 0)) return conclude(name, 0, groups.size());  // all values are equal

  // From the distances to the mean rank, (n + 1) / 2, which lose no digits.
  double squares = 0;
  auto rank = ranks.doubled.begin();
  for (const auto& group : groups) {
    double distance = 0;
    for (std::size_t i = 0; i < group.size(); ++i, ++rank)
      distance += (static_cast<double>(*rank) - (n + 1)) / 2;
    squares += distance * distance / static_cast<double>(group.size());
  }
  return conclude(name, 12 / (n * (n + 1)) * squares / untied, groups.size());
}

Result<GroupsTest> friedman(Groups groups) {
  if (auto error = refused(groups)) return tl::unexpected(std::move(*error));
  const std::size_t blocks = groups[0].size();
  for (const auto& group : groups)
    if (group.size() != blocks) return failure("blocks need groups of equal size");
  const auto k = static_cast<double>(groups.size());
  std::vector<double> distance(groups.size(), 0.0);  // of the rank sums to their mean
  double cubes = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    std::vector<double> block;
    for (const auto& group : groups) block.push_back(group[i]);
    const auto ranks = ranks_of(block);
    cubes += ranks.tie_cubes();
    for (std::size_t j = 0; j < groups.size(); ++j)
      distance[j] += (static_cast<double>(ranks.doubled[j]) - (k + 1)) / 2;
  }
  double squares = 0;
  for (const double one : distance) squares += one * one;
  const double spread = static_cast<double>(blocks) * k * (k + 1) - cubes / (k - 1);
  constexpr auto name = "Friedman, chi-squared";
  return conclude(name, spread > 0 ? 12 * squares / spread : 0, groups.size());
}

Result<std::vector<PairTest>> rank_sum_pairs(Groups groups) {
  return all_pairs(
      groups, [](std::span<const double> a, std::span<const double> b) { return rank_sum(a, b); });
}

Result<std::vector<PairTest>> signed_rank_pairs(Groups groups) {
  return all_pairs(groups, [](std::span<const double> a, std::span<const double> b) {
    return signed_rank(a, b);
  });
}

}  // namespace prengdl
