// SPDX-License-Identifier: Apache-2.0
#include "stats/group_effect.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>

#include "stats/group_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

double half_width(const LogRatio& ratio) {
  return student_factor(0.95, ratio.freedom) * ratio.standard_error;
}

/// The sums of squares of a table of groups and levels, each with its degrees of freedom.
struct SumOfSquares {
  double sum = 0;
  double freedom = 0;
};

struct GroupSquares {
  SumOfSquares groups;       // of group means
  SumOfSquares interaction;  // of cell means
  SumOfSquares blocks;       // of block means within groups
  SumOfSquares runs;         // of runs within blocks; without blocks this is all within cells
  bool in_blocks = false;
  double levels = 0;
  double replicates = 0;  // of a cell: harmonic mean
};

using Table = std::vector<std::vector<double>>;  // of cell means: group, level

Table means_of(std::span<const GroupLogs> groups) {
  Table table;
  for (const auto& group : groups) {
    auto& row = table.emplace_back();
    for (const auto& logs : group.levels) row.push_back(mean(logs));
  }
  return table;
}

void add_means(const Table& table, GroupSquares& squares) {
  const std::size_t levels = table.front().size();
  std::vector<double> by_group, by_level(levels);
  for (const auto& row : table) {
    by_group.push_back(mean(row));
    for (std::size_t i = 0; i < levels; ++i)
      by_level[i] += row[i] / static_cast<double>(table.size());
  }
  const double centre = mean(by_group);
  for (std::size_t g = 0; g < table.size(); ++g) {
    squares.groups.sum += squares.levels * std::pow(by_group[g] - centre, 2);
    for (std::size_t i = 0; i < levels; ++i)
      squares.interaction.sum += std::pow(table[g][i] - by_group[g] - by_level[i] + centre, 2);
  }
  squares.groups.freedom = static_cast<double>(table.size() - 1);
  squares.interaction.freedom = squares.groups.freedom * (squares.levels - 1);
}

/// Blocks within a group, and runs about their block and level.
void add_blocks(const GroupLogs& group, const std::vector<double>& means, GroupSquares& squares) {
  const std::size_t blocks = group.levels.front().size();
  const double centre = mean(means);
  for (std::size_t b = 0; b < blocks; ++b) {
    double of_block = 0;
    for (const auto& logs : group.levels) of_block += logs[b] / squares.levels;
    squares.blocks.sum += squares.levels * std::pow(of_block - centre, 2);
    for (std::size_t i = 0; i < means.size(); ++i)
      squares.runs.sum += std::pow(group.levels[i][b] - of_block - means[i] + centre, 2);
  }
  squares.blocks.freedom += static_cast<double>(blocks - 1);
  squares.runs.freedom += static_cast<double>(blocks - 1) * (squares.levels - 1);
}

GroupSquares squares_of(std::span<const GroupLogs> groups, bool in_blocks) {
  GroupSquares squares;
  squares.in_blocks = in_blocks;
  squares.levels = static_cast<double>(groups.front().levels.size());
  const Table means = means_of(groups);
  add_means(means, squares);
  double inverse = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (in_blocks) add_blocks(groups[g], means[g], squares);
    for (std::size_t i = 0; i < means[g].size(); ++i) {
      const auto& logs = groups[g].levels[i];
      inverse += 1 / static_cast<double>(logs.size());
      if (in_blocks) continue;
      for (const double log : logs) squares.runs.sum += std::pow(log - means[g][i], 2);
      squares.runs.freedom += static_cast<double>(logs.size() - 1);
    }
  }
  squares.replicates = static_cast<double>(groups.size()) * squares.levels / inverse;
  return squares;
}

/// Draws that are the same with every standard library.
class ChiSquared {
 public:
  double draw(double freedom) {
    if (freedom == 1) return std::pow(normal(), 2);
    // Marsaglia and Tsang (2000), ACM Transactions on Mathematical Software 26.
    const double d = freedom / 2 - 1.0 / 3;
    for (;;) {
      const double x = normal();
      const double v = std::pow(1 + x / std::sqrt(9 * d), 3);
      if (v > 0 && std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return 2 * d * v;
    }
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double normal() {  // Box and Muller: two at a time
    if (spare_) return *std::exchange(spare_, std::nullopt);
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }
  std::mt19937_64 engine_{20221113};
  std::optional<double> spare_;
};

struct Shares {
  double groups = 0;
  double interaction = 0;
};

/// From mean squares, whose expectations are sums of components.
Shares shares_of(const GroupSquares& squares, double groups, double interaction, double blocks,
                 double runs) {
  const double levels = squares.levels;
  const double between = std::max(0.0, groups - blocks / squares.replicates) / levels;
  const double crossed =
      std::max(0.0, interaction - runs / squares.replicates) * (levels - 1) / levels;
  const double within = (blocks + (levels - 1) * runs) / levels;
  const double all = between + crossed + within;
  return all > 0 ? Shares{between / all, crossed / all} : Shares{};
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Result<GroupedRatio> ratio_over_groups(std::span<const LogRatio> groups) {
  if (groups.size() < 2) return failure("groups can differ only from each other");
  std::vector<double> logs;
  double within = 0;
  bool has_errors = true;
  for (const auto& group : groups) {
    if (!(group.ratio > 0)) return failure("a ratio needs values above zero");
    logs.push_back(std::log(group.ratio));
    within += group.standard_error * group.standard_error;
    has_errors = has_errors && group.standard_error > 0;
  }
  const auto count = static_cast<double>(groups.size());
  const double spread = standard_deviation(logs);
  if (!(spread > 0) && !has_errors) return failure("the groups do not differ and have no error");
  GroupedRatio result;
  result.ratio = log_ratio_of(mean(logs), spread / std::sqrt(count), count - 1);
  if (!has_errors) return result;
  const auto pooled = ratio_of_these_cases(groups);
  if (!pooled) return tl::unexpected(pooled.error());
  const boost::math::fisher_f distribution(count - 1, pooled->freedom);
  result.p_differ =
      boost::math::cdf(boost::math::complement(distribution, spread * spread / (within / count)));
  const double p = std::max(result.ratio.p, pooled->p);
  if (half_width(*pooled) > half_width(result.ratio)) result.ratio = *pooled;
  result.ratio.p = p;
  return result;
}

Result<GroupVariation> variation_between_groups(std::span<const GroupLogs> groups, bool in_blocks) {
  if (groups.size() < 2) return failure("groups can differ only from each other");
  const std::size_t levels = groups.front().levels.size();
  for (const auto& group : groups) {
    if (levels < 2 || group.levels.size() != levels) return failure("groups need the same levels");
    for (const auto& logs : group.levels)
      if (logs.empty() || (in_blocks && logs.size() != group.levels.front().size()))
        return failure("a group has no complete block");
  }
  const GroupSquares squares = squares_of(groups, in_blocks);
  if (squares.runs.freedom < 1) return failure("no group has two values of a level");
  if (!(squares.runs.sum + squares.blocks.sum > 0)) return failure("the values have no spread");
  constexpr std::size_t draws = 10'000;
  ChiSquared chi_squared;
  std::vector<double> between, interaction;
  for (std::size_t i = 0; i < draws; ++i) {
    const auto drawn = [&](const SumOfSquares& one) {
      return one.sum / chi_squared.draw(one.freedom);
    };
    const double of_groups = drawn(squares.groups);
    const double crossed = drawn(squares.interaction);
    const double runs = drawn(squares.runs);
    const double blocks = in_blocks ? drawn(squares.blocks) : runs;
    const Shares shares = shares_of(squares, of_groups, crossed, blocks, runs);
    between.push_back(shares.groups);
    interaction.push_back(shares.interaction);
  }
  std::sort(between.begin(), between.end());
  std::sort(interaction.begin(), interaction.end());
  return GroupVariation{groups.size(),
                        quantile(between, 0.5),
                        {quantile(between, 0.025), quantile(between, 0.975)},
                        quantile(interaction, 0.5),
                        {quantile(interaction, 0.025), quantile(interaction, 0.975)}};
}

}  // namespace prengdl
