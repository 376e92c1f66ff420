// SPDX-License-Identifier: Apache-2.0
#include "study/design.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/strings.h"

namespace prengdl {
namespace {

/// What random words are drawn for: each purpose has its own, so that one does not shift another.
enum class Purpose : std::uint64_t { cases = 1, rows = 2, cells = 3, workload = 4 };

/// The finisher of SplitMix64 (Steele, Lea and Flood 2014): near numbers become unlike ones.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Seeded by one number: std::seed_seq takes ten times as long, and a study may have 100,000
/// blocks.
std::mt19937_64 generator(std::uint64_t seed, Purpose purpose, std::uint64_t number,
                          std::uint64_t size = 0) {
  const auto of_purpose = mixed(mixed(seed) ^ static_cast<std::uint64_t>(purpose));
  return std::mt19937_64(mixed(mixed(of_purpose ^ number) ^ size));
}

/// Fisher and Yates by hand: std::shuffle and std::uniform_int_distribution may differ between
/// libraries, and the order must be the same wherever the seed is used again.
std::vector<std::size_t> permutation(std::size_t size, std::mt19937_64& words) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[words() % i]);
  return order;
}

/// What two cells of one case have in common: all levels but the compared one.
std::string case_key(const Cell& cell, std::optional<std::size_t> compared) {
  std::string key;
  for (std::size_t i = 0; i < cell.size(); ++i)
    if (i != compared) ((key += std::to_string(cell[i].size())) += ':') += cell[i];
  return key;
}

}  // namespace

std::size_t williams_rows(std::size_t levels) {
  return levels < 2 ? 1 : levels % 2 == 0 ? levels : 2 * levels;
}

std::vector<std::size_t> williams_row(std::size_t levels, std::size_t row) {
  // 0, 1, n-1, 2, n-2, ..: neighbours differ by every amount once, so the rows that add 0, 1, ..
  // to it hold every ordered pair once if n is even; if it is odd the mirror images complete it.
  std::vector<std::size_t> result(levels);
  for (std::size_t i = 0; i < levels; ++i) {
    const auto zigzag = i % 2 == 1 ? (i + 1) / 2 : (levels - i / 2) % levels;
    result[i] = (zigzag + row) % levels;
  }
  if (row >= levels) std::reverse(result.begin(), result.end());
  return result;
}

Design::Design(const Study& study)
    : seed_(study.seed),
      blocks_(study.runs),
      order_(study.protocol.order),
      cells_(cells_of(study)) {
  const auto compared = factor_index(study, study.analysis.compare);
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    // Without a comparison there is nothing that belongs together.
    const auto key = compared ? case_key(cells_[cell], compared) : std::to_string(cell);
    const auto [one_case, is_new] = known.emplace(key, cases_.size());
    if (is_new) cases_.emplace_back();
    cases_[one_case->second].push_back(cell);
  }
  std::set<std::size_t> sizes;
  for (const auto& one_case : cases_) sizes.insert(one_case.size());
  sizes_.assign(sizes.begin(), sizes.end());
}

std::uint64_t Design::seed_of(std::size_t block) const {
  // Steps that each can be undone keep different blocks different within 31 bits; picking random
  // words would give some of 100,000 blocks the same.
  constexpr std::uint64_t mask = 0x7FFFFFFF;
  std::uint64_t x = (mixed(mixed(seed_) ^ static_cast<std::uint64_t>(Purpose::workload)) + block);
  x &= mask;
  x ^= x >> 16;
  x = x * 0x2C1B3C6D & mask;
  x ^= x >> 12;
  x = x * 0x297A2D39 & mask;
  return x ^ (x >> 15);
}

void Design::add_adjacent(std::size_t block, std::vector<std::size_t>& order) const {
  auto rows = cases_;
  for (const auto size : sizes_) {
    if (size == 1) continue;
    const auto count = williams_rows(size);
    auto words = generator(seed_, Purpose::rows, block / count, size);
    for (std::size_t one_case = 0; one_case < cases_.size(); ++one_case) {
      if (cases_[one_case].size() != size) continue;
      const auto level = permutation(size, words);
      const auto row = permutation(count, words)[block % count];
      const auto order_of_levels = williams_row(size, row);
      for (std::size_t i = 0; i < size; ++i)
        rows[one_case][i] = cases_[one_case][level[order_of_levels[i]]];
    }
  }
  auto words = generator(seed_, Purpose::cases, block);
  for (const auto one_case : permutation(cases_.size(), words))
    order.insert(order.end(), rows[one_case].begin(), rows[one_case].end());
}

std::vector<std::size_t> Design::order_of(std::size_t block) const {
  std::vector<std::size_t> order;
  if (order_ == Order::as_written) {
    order.resize(cells_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
  } else if (order_ == Order::shuffled) {
    auto words = generator(seed_, Purpose::cells, block);
    order = permutation(cells_.size(), words);
  } else {
    order.reserve(cells_.size());
    add_adjacent(block, order);
  }
  return order;
}

std::vector<PlannedRun> Design::runs_of(std::size_t block) const {
  std::vector<PlannedRun> runs;
  runs.reserve(cells_.size());
  std::size_t place = block * cells_.size();
  for (const auto cell : order_of(block)) runs.push_back({place++, block, cell, seed_of(block)});
  return runs;
}

std::vector<PlannedRun> Design::all_runs() const {
  std::vector<PlannedRun> runs;
  runs.reserve(size());
  for (std::size_t block = 0; block < blocks_; ++block) {
    const auto some = runs_of(block);
    runs.insert(runs.end(), some.begin(), some.end());
  }
  return runs;
}

}  // namespace prengdl
