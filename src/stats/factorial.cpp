// SPDX-License-Identifier: Apache-2.0
#include "stats/factorial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/strings.h"

namespace prengdl {
namespace {

constexpr std::size_t most_factors = 12;
constexpr std::size_t most_cells = 1'000'000'000;

Result<std::size_t> cells_of(const std::vector<VariedFactor>& factors) {
  if (factors.empty()) return failure("an analysis of variance needs a factor");
  if (factors.size() > most_factors)
    return failure(
        fmt::format("{} factors are too many: {} are the most", factors.size(), most_factors));
  std::size_t cells = 1;
  for (const auto& factor : factors) {
    if (factor.levels.size() < 2)
      return failure(fmt::format("factor {} has one level: nothing to compare", factor.name),
                     "leave it out");
    cells *= factor.levels.size();
    if (cells > most_cells) return failure("the factors have too many combinations");
  }
  return cells;
}

/// Nothing if each cell was run equally often, else which was not.
std::optional<Error> imbalance(const std::vector<VariedFactor>& factors, std::size_t cells,
                               std::span<const std::size_t> cell_of_run) {
  std::unordered_map<std::size_t, std::size_t> counts;
  for (const std::size_t cell : cell_of_run) ++counts[cell];
  std::size_t most = 0;
  for (const auto& [cell, count] : counts) most = std::max(most, count);
  std::size_t short_cells = 0;
  std::optional<std::size_t> first;
  // There may be far more cells than runs; a thousand that are short are enough to tell.
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const auto found = counts.find(cell);
    if (found != counts.end() && found->second == most) continue;
    if (!first) first = cell;
    if (++short_cells > 1000) break;
  }
  if (!first) return std::nullopt;
  const auto found = counts.find(*first);
  const auto others = short_cells == 1      ? std::string("it alone")
                      : short_cells <= 1000 ? fmt::format("so are {} more", short_cells - 1)
                                            : std::string("so are more than 1000 others");
  return Error(fmt::format("unbalanced: cell {} has {} of {} runs ({})", cell_name(factors, *first),
                           found == counts.end() ? 0 : found->second, most, others),
               "run the missing cells, or leave out the level or the block that lacks them");
}

}  // namespace

std::string cell_name(const std::vector<VariedFactor>& factors, std::size_t cell) {
  std::string name;
  for (std::size_t f = factors.size(); f-- > 0;) {
    const auto& factor = factors[f];
    name = fmt::format("{}={}{}{}", factor.name, factor.levels[cell % factor.levels.size()],
                       name.empty() ? "" : ", ", name);
    cell /= factor.levels.size();
  }
  return name;
}

std::string term_name(const std::vector<VariedFactor>& factors, const TermFactors& term) {
  return joined(term, ":", [&](std::size_t f) { return factors[f].name; });
}

Result<BalancedLayout> BalancedLayout::of(const FactorialData& data) {
  const auto cells = cells_of(data.factors);
  if (!cells) return tl::unexpected(cells.error());
  if (data.runs.empty()) return failure("an analysis of variance needs runs");
  BalancedLayout layout;
  layout.cells_ = *cells;
  for (const auto& factor : data.factors) layout.levels_.push_back(factor.levels.size());
  layout.level_.resize(data.factors.size());
  layout.group_.resize(data.groupings.size());
  layout.group_size_.resize(data.groupings.size());
  std::vector<std::map<std::pair<std::size_t, std::size_t>, std::size_t>> known(
      data.groupings.size());
  for (std::size_t run = 0; run < data.runs.size(); ++run) {
    const auto& one = data.runs[run];
    if (one.levels.size() != data.factors.size() || one.groups.size() != data.groupings.size())
      return failure(fmt::format("run {} lacks a level or a group", run + 1));
    if (!std::isfinite(one.value)) return failure(fmt::format("run {} has no value", run + 1));
    std::size_t cell = 0;
    for (std::size_t f = 0; f < data.factors.size(); ++f) {
      if (one.levels[f] >= layout.levels_[f])
        return failure(
            fmt::format("run {} has an unknown level of {}", run + 1, data.factors[f].name));
      cell = cell * layout.levels_[f] + one.levels[f];
      layout.level_[f].push_back(one.levels[f]);
    }
    layout.cell_.push_back(cell);
    std::size_t parent = 0;
    for (std::size_t k = 0; k < data.groupings.size(); ++k) {
      const auto [place, is_new] =
          known[k].try_emplace({parent, one.groups[k]}, layout.group_size_[k].size());
      if (is_new) layout.group_size_[k].push_back(0);
      parent = place->second;
      ++layout.group_size_[k][parent];
      layout.group_[k].push_back(parent);
    }
  }
  if (auto error = imbalance(data.factors, *cells, layout.cell_))
    return tl::unexpected(std::move(*error));
  return layout;
}

std::vector<TermFactors> BalancedLayout::terms_up_to(std::size_t order) const {
  std::vector<TermFactors> result;
  for (std::size_t f = 0; f < levels_.size(); ++f) result.push_back({f});
  // Each term of one factor more is an earlier one and a factor after its last.
  for (std::size_t from = 0, size = 2; size <= std::min(order, levels_.size()); ++size) {
    const std::size_t until = result.size();
    for (; from < until; ++from)
      for (std::size_t f = result[from].back() + 1; f < levels_.size(); ++f) {
        auto more = result[from];
        more.push_back(f);
        result.push_back(std::move(more));
      }
  }
  return result;
}

double BalancedLayout::freedom(const TermFactors& term) const {
  double result = 1;
  for (const std::size_t f : term) result *= static_cast<double>(levels_[f] - 1);
  return result;
}

std::size_t BalancedLayout::combinations(const TermFactors& term) const {
  std::size_t result = 1;
  for (const std::size_t f : term) result *= levels_[f];
  return result;
}

std::size_t BalancedLayout::combination(std::size_t run, const TermFactors& term) const {
  std::size_t result = 0;
  for (const std::size_t f : term) result = result * levels_[f] + level_[f][run];
  return result;
}

std::vector<double> BalancedLayout::means(std::span<const double> y,
                                          const TermFactors& term) const {
  std::vector<double> table(combinations(term), 0.0);
  for (std::size_t run = 0; run < y.size(); ++run) table[combination(run, term)] += y[run];
  const double each = static_cast<double>(runs()) / static_cast<double>(table.size());
  for (double& value : table) value /= each;
  return table;
}

/// Takes the mean along each factor away, one factor after the other.
void BalancedLayout::centre(std::vector<double>& table, const TermFactors& term) const {
  std::size_t stride = table.size();
  for (const std::size_t f : term) {
    stride /= levels_[f];
    for (std::size_t start = 0; start < table.size(); ++start) {
      if (start / stride % levels_[f] != 0) continue;
      double sum = 0;
      for (std::size_t i = 0; i < levels_[f]; ++i) sum += table[start + i * stride];
      for (std::size_t i = 0; i < levels_[f]; ++i)
        table[start + i * stride] -= sum / static_cast<double>(levels_[f]);
    }
  }
}

std::vector<double> BalancedLayout::effects(std::span<const double> y,
                                            const TermFactors& term) const {
  auto table = means(y, term);
  centre(table, term);
  return table;
}

bool BalancedLayout::groups_are_equal(std::size_t grouping) const {
  const auto& sizes = group_size_[grouping];
  return std::all_of(sizes.begin(), sizes.end(), [&](auto size) { return size == sizes.front(); });
}

std::vector<double> BalancedLayout::group_means(std::span<const double> y,
                                                std::size_t grouping) const {
  std::vector<double> result(groups(grouping), 0.0);
  for (std::size_t run = 0; run < y.size(); ++run) result[group_[grouping][run]] += y[run];
  for (std::size_t g = 0; g < result.size(); ++g)
    result[g] /= static_cast<double>(group_size_[grouping][g]);
  return result;
}

double BalancedLayout::between_groups(const TermFactors& term, std::size_t grouping) const {
  // The trace of the product of both projections, over the term's degrees of freedom: each group's
  // counts of combinations, freed from what smaller terms see of them.
  std::vector<std::vector<std::size_t>> members(groups(grouping));
  for (std::size_t run = 0; run < runs(); ++run) members[group_[grouping][run]].push_back(run);
  const std::size_t size = combinations(term);
  const double each = static_cast<double>(runs()) / static_cast<double>(size);
  double trace = 0;
  for (const auto& group : members) {
    std::vector<double> counts(size, 0.0);
    for (const std::size_t run : group) counts[combination(run, term)] += 1;
    centre(counts, term);
    double squares = 0;
    for (const double count : counts) squares += count * count;
    trace += squares / static_cast<double>(group.size()) / each;
  }
  return trace / freedom(term);
}

}  // namespace prengdl
