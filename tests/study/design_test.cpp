// SPDX-License-Identifier: Apache-2.0
#include "study/design.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace prengdl {
namespace {

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

/// Factors of the given sizes; the one at `compared` is compared.
Study study_of(const std::vector<std::size_t>& sizes, std::size_t compared, std::size_t runs,
               std::uint64_t seed = 1) {
  Study study;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    study.factors.push_back({"f" + std::to_string(i), numbered(sizes[i])});
  if (compared < sizes.size()) study.analysis.compare = study.factors[compared].name;
  study.runs = runs;
  study.seed = seed;
  return study;
}

Study random_study() {
  const auto sizes = *rc::gen::container<std::vector<std::size_t>>(
      *rc::gen::inRange(1, 4), rc::gen::inRange<std::size_t>(1, 6));
  auto study = study_of(sizes, *rc::gen::inRange<std::size_t>(0, sizes.size()),
                        *rc::gen::inRange<std::size_t>(1, 8), *rc::gen::arbitrary<std::uint64_t>());
  study.protocol.order =
      *rc::gen::elementOf(std::vector{Order::adjacent, Order::shuffled, Order::as_written});
  const auto exclusions = *rc::gen::inRange(0, 3);
  for (int i = 0; i < exclusions; ++i) {
    CellPattern pattern;
    for (const auto& factor : study.factors)
      if (*rc::gen::arbitrary<bool>()) pattern[factor.name] = *rc::gen::elementOf(factor.levels);
    if (!pattern.empty()) study.exclusions.push_back(pattern);
  }
  return study;
}

TEST(Design, EveryCellRunsOncePerBlockAndExcludedOnesNever) {
  EXPECT_TRUE(rc::check([] {
    const Study study = random_study();
    const Design design(study);
    const auto runs = design.all_runs();
    RC_ASSERT(runs.size() == design.cells().size() * study.runs);
    RC_ASSERT(runs.size() == design.size());
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      RC_ASSERT(runs[i].place == i);
      RC_ASSERT(runs[i].block == i / design.cells().size());
      RC_ASSERT(seen.emplace(runs[i].block, runs[i].cell).second);
      for (const auto& pattern : study.exclusions)
        RC_ASSERT(!fits(study, pattern, design.cells().at(runs[i].cell)));
    }
  }));
}

TEST(Design, UnitsDifferOnlyInTheComparedFactor) {
  EXPECT_TRUE(rc::check([] {
    const Study study = random_study();
    const Design design(study);
    const auto compared = *factor_index(study, study.analysis.compare);
    std::size_t cells = 0;
    for (const auto& unit : design.cases()) {
      cells += unit.size();
      for (const auto a : unit)
        for (const auto b : unit)
          for (std::size_t i = 0; i < study.factors.size(); ++i)
            RC_ASSERT((design.cells()[a][i] == design.cells()[b][i]) == (i != compared || a == b));
    }
    RC_ASSERT(cells == design.cells().size());
  }));
}

TEST(Design, TheCellsOfAUnitRunNextToEachOther) {
  EXPECT_TRUE(rc::check([] {
    Study study = random_study();
    study.protocol.order = Order::adjacent;
    const Design design(study);
    std::map<std::size_t, std::size_t> unit_of;
    for (std::size_t unit = 0; unit < design.cases().size(); ++unit)
      for (const auto cell : design.cases()[unit]) unit_of[cell] = unit;
    for (std::size_t block = 0; block < study.runs; ++block) {
      std::set<std::size_t> done;
      std::optional<std::size_t> current;
      for (const auto cell : design.order_of(block)) {
        if (current != unit_of[cell]) RC_ASSERT(done.insert(unit_of[cell]).second);
        current = unit_of[cell];
      }
    }
  }));
}

TEST(Design, WilliamsRowsHoldEachLevelInEachPositionAndEachPairEquallyOften) {
  for (std::size_t levels = 2; levels <= 13; ++levels) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> follows;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> stands;
    const auto rows = williams_rows(levels);
    EXPECT_EQ(rows, levels % 2 == 0 ? levels : 2 * levels);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto order = williams_row(levels, row);
      EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), levels);
      for (std::size_t i = 0; i < levels; ++i) {
        ++stands[{i, order[i]}];
        if (i > 0) ++follows[{order[i - 1], order[i]}];
      }
    }
    EXPECT_EQ(follows.size(), levels * (levels - 1));
    EXPECT_EQ(stands.size(), levels * levels);
    for (const auto& [pair, count] : follows) EXPECT_EQ(count, rows / levels) << levels;
    for (const auto& [pair, count] : stands) EXPECT_EQ(count, rows / levels) << levels;
  }
  EXPECT_EQ(williams_rows(1), 1u);
  EXPECT_EQ(williams_row(1, 0), std::vector<std::size_t>{0});
}

TEST(Design, CarryOverIsBalancedWithinEachUnitOverFullSetsOfRows) {
  EXPECT_TRUE(rc::check([] {
    const auto levels = *rc::gen::inRange<std::size_t>(2, 8);
    const auto sets = *rc::gen::inRange<std::size_t>(1, 4);
    const auto blocks = sets * williams_rows(levels);
    const Design design(study_of({3, levels}, 1, blocks, *rc::gen::arbitrary<std::uint64_t>()));
    for (const auto& unit : design.cases()) {
      std::map<std::pair<std::size_t, std::size_t>, std::size_t> follows;
      std::map<std::pair<std::size_t, std::size_t>, std::size_t> stands;
      for (std::size_t block = 0; block < blocks; ++block) {
        auto order = design.order_of(block);
        std::erase_if(order, [&](std::size_t cell) {
          return std::find(unit.begin(), unit.end(), cell) == unit.end();
        });
        for (std::size_t i = 0; i < levels; ++i) {
          ++stands[{i, order[i]}];
          if (i > 0) ++follows[{order[i - 1], order[i]}];
        }
      }
      RC_ASSERT(follows.size() == levels * (levels - 1));
      for (const auto& [pair, count] : follows) RC_ASSERT(count == blocks / levels);
      for (const auto& [pair, count] : stands) RC_ASSERT(count == blocks / levels);
    }
  }));
}

TEST(Design, TheSameSeedGivesTheSameOrderOnEveryMachine) {
  const Design design(study_of({2, 3}, 1, 4, 42));
  std::vector<std::vector<std::size_t>> orders;
  std::vector<std::uint64_t> seeds;
  for (std::size_t block = 0; block < 4; ++block) {
    orders.push_back(design.order_of(block));
    seeds.push_back(design.seed_of(block));
  }
  // Written down once; results that are stored rely on it.
  EXPECT_EQ(orders,
            (std::vector<std::vector<std::size_t>>{
                {2, 0, 1, 3, 5, 4}, {0, 1, 2, 4, 5, 3}, {2, 1, 0, 5, 4, 3}, {5, 3, 4, 1, 2, 0}}));
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{1498801643, 1465628557, 2003749487, 618478037}));

  auto shuffled = study_of({2, 3}, 1, 2, 42);
  shuffled.protocol.order = Order::shuffled;
  EXPECT_EQ(Design(shuffled).order_of(0), (std::vector<std::size_t>{1, 5, 3, 0, 2, 4}));
  EXPECT_EQ(Design(shuffled).order_of(1), (std::vector<std::size_t>{3, 1, 4, 0, 5, 2}));
}

TEST(Design, AsWrittenIsAsWritten) {
  auto study = study_of({2, 2}, 0, 3);
  study.protocol.order = Order::as_written;
  for (std::size_t block = 0; block < 3; ++block)
    EXPECT_EQ(Design(study).order_of(block), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Design, MoreRunsAddBlocksAndChangeNone) {
  EXPECT_TRUE(rc::check([] {
    Study study = random_study();
    const auto before = Design(study).all_runs();
    study.runs += 3;
    const auto after = Design(study).all_runs();
    for (std::size_t i = 0; i < before.size(); ++i)
      RC_ASSERT(before[i].cell == after[i].cell && before[i].seed == after[i].seed);
  }));
}

TEST(Design, SeedsAreOneForABlockAndDifferBetweenBlocks) {
  const Design design(study_of({4}, 0, 100'000, 7));
  std::set<std::uint64_t> seeds;
  for (std::size_t block = 0; block < 100'000; ++block) {
    const auto seed = design.seed_of(block);
    EXPECT_LT(seed, 1u << 31);
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 100'000u);
  for (const auto& run : design.runs_of(17)) EXPECT_EQ(run.seed, design.seed_of(17));
  EXPECT_NE(Design(study_of({4}, 0, 1, 8)).seed_of(0), design.seed_of(0));
}

TEST(Design, OrdersAreSpreadEvenly) {
  // Three units in six orders; each as often as chance has it (chi-squared with 5 degrees of
  // freedom, fixed seed).
  const Design design(study_of({3, 1}, 1, 6000, 3));
  std::map<std::vector<std::size_t>, int> counts;
  for (std::size_t block = 0; block < 6000; ++block) ++counts[design.order_of(block)];
  ASSERT_EQ(counts.size(), 6u);
  double chi = 0;
  for (const auto& [order, count] : counts) chi += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi, 20.5);  // p 0.001

  // Two levels: which one comes first in a pair of blocks is a coin's throw.
  const Design two(study_of({2}, 0, 4000, 3));
  int first = 0;
  for (std::size_t block = 0; block < 4000; block += 2) first += two.order_of(block)[0] == 0;
  EXPECT_NEAR(first, 1000, 75);
}

TEST(Design, WithoutAComparisonEveryCellIsAUnit) {
  const Design design(study_of({2, 2}, 9, 2));
  EXPECT_EQ(design.cases().size(), 4u);
  EXPECT_EQ(design.order_of(0).size(), 4u);
  EXPECT_EQ(Design(study_of({}, 9, 3)).all_runs().size(), 3u);
}

TEST(Design, AHundredThousandRunsArePlannedAtOnce) {
  for (const auto& [sizes, runs] : std::vector<std::pair<std::vector<std::size_t>, std::size_t>>{
           {{2}, 50'000}, {{1}, 100'000}, {{10, 10, 10}, 100}, {{2, 50'000}, 1}, {{300}, 333}}) {
    const Design design(study_of(sizes, 0, runs));
    const auto all = design.all_runs();
    EXPECT_NEAR(static_cast<double>(all.size()), 100'000, 200);
    EXPECT_EQ(all.back().place, all.size() - 1);
  }
}

}  // namespace
}  // namespace prengdl
