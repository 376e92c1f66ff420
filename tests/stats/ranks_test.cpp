// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "stats/correction.h"
#include "stats/correlation.h"
#include "stats/hodges_lehmann.h"
#include "stats/rank_distribution.h"
#include "stats/rank_reference.h"
#include "stats/rank_sum.h"
#include "stats/rank_tests.h"

namespace prengdl {
namespace {

using Expected = RankReference::Expected;

const Values& first(const Expected& one) { return rank_sample(one.samples.at(0)); }
const Values& second(const Expected& one) { return rank_sample(one.samples.at(1)); }

TEST(RankSum, AgreesWithRAndWithCounting) {
  expect_reference("rank_sum", 180, [](const Expected& one) {
    auto figures = all_p([&](Alternative alternative) {
      return rank_sum(first(one), second(one), alternative).value();
    });
    const auto test = rank_sum(first(one), second(one)).value();
    figures["statistic"] = test.statistic;
    figures["is_exact"] = test.test == "rank-sum, exact" ? 1 : 0;
    return figures;
  });
}

TEST(RankSum, HasAllDigitsInItsSmallestTails) {
  // One choice of C(400, 200), one of C(100, 50).
  Values low(200);
  Values high(200);
  for (std::size_t i = 0; i < 200; ++i) {
    low[i] = static_cast<double>(i);
    high[i] = static_cast<double>(i) + 1000;
  }
  double choices = 1;
  for (int i = 1; i <= 200; ++i) choices *= (200.0 + i) / i;
  EXPECT_NEAR(rank_sum(low, high, Alternative::less)->p * choices, 1, 1e-12);
  EXPECT_NEAR(rank_sum(high, low, Alternative::greater)->p * choices, 1, 1e-12);
  EXPECT_NEAR(rank_sum(high, low)->p * choices, 2, 1e-12);
  EXPECT_EQ(rank_sum(low, high, Alternative::greater)->p, 1);
}

TEST(RankSum, TurnsAroundWithItsSamples) {
  for (const auto& [a, b] : {std::pair{"few", "many"}, {"v50", "w13"}, {"x10", "y6"}}) {
    const auto& x = rank_sample(a);
    const auto& y = rank_sample(b);
    EXPECT_NEAR(rank_sum(x, y)->p, rank_sum(y, x)->p, 1e-12);
    EXPECT_NEAR(rank_sum(x, y, Alternative::less)->p, rank_sum(y, x, Alternative::greater)->p,
                1e-12);
    EXPECT_EQ(rank_sum(x, y)->statistic + rank_sum(y, x)->statistic,
              static_cast<double>(x.size() * y.size()));
  }
}

TEST(RankSum, IsTheSameByBothExactWays) {
  // Ranks without ties, once as Mann and Whitney's U and once as a sum of chosen scores.
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 5}, {7, 4}, {20, 30}}) {
    std::vector<std::size_t> ranks(m + n);
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = i + 1;
    for (std::size_t u = 0; u <= m * n; ++u) {
      const auto direct = rank_sum_tails(m, n, u);
      const auto chosen = chosen_sum_tails(ranks, m, u + m * (m + 1) / 2);
      ASSERT_NEAR(direct.at_most, chosen.at_most, 1e-12 * chosen.at_most) << m << " " << n;
      ASSERT_NEAR(direct.at_least, chosen.at_least, 1e-12 * chosen.at_least) << m << " " << n;
    }
  }
}

TEST(RankSum, SaysWhereItIsNoLongerExact) {
  Values a(200);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i);
  Values b(200);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i) + 0.5;
  EXPECT_EQ(rank_sum(a, b)->test, "rank-sum, exact");
  b.push_back(-1);
  EXPECT_EQ(rank_sum(a, b)->test, "rank-sum, normal");
  EXPECT_EQ(rank_sum(Values(100, 1), Values(100, 2))->test, "rank-sum, exact");
  EXPECT_EQ(rank_sum(Values(100, 1), Values(101, 2))->test, "rank-sum, normal");
  const auto asked = [](std::size_t n) {
    return rank_sum(Values(n, 1), Values(n, 2), Alternative::two_sided, 50)->test;
  };
  EXPECT_EQ(asked(50), "rank-sum, exact");
  EXPECT_EQ(asked(51), "rank-sum, normal");
}

TEST(RankSum, WithTiesIsNearToTheExactOneWhereItIsNormal) {
  // In steps of 0.1: about forty values of each are tied.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const double shift : {0.0, 0.2, 0.5}) {
    Values a(60), b(60);
    for (auto& value : a) value = std::round(10 * normal(random)) / 10;
    for (auto& value : b) value = std::round(10 * (normal(random) + shift)) / 10;
    EXPECT_NEAR(rank_sum(a, b, Alternative::two_sided, 50)->p, rank_sum(a, b)->p, 0.001);
  }
}

TEST(RankedA12, OfManyValuesIsTheShareOfWonPairs) {
  std::mt19937_64 random(6);
  std::uniform_int_distribution<int> whole(0, 40);
  Values a(300), b(200);
  for (auto& value : a) value = whole(random);
  for (auto& value : b) value = whole(random) + 3;
  double wins = 0;
  for (const double x : a)
    for (const double y : b) wins += x > y ? 1.0 : x == y ? 0.5 : 0.0;
  EXPECT_EQ(a12(a, b), wins / static_cast<double>(a.size() * b.size()));
}

TEST(RankedA12, CountsManyPairsQuickly) {
  // Pair by pair this would be ten thousand million steps.
  Values a(100'000), b(100'000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(i);
    b[i] = static_cast<double>(i) + 0.5;
  }
  EXPECT_NEAR(a12(a, b), 0.5, 1e-4);
}

TEST(RankSum, OfEqualValuesIsOne) {
  for (const std::size_t n : {1, 3, 60, 300}) {
    EXPECT_EQ(rank_sum(Values(n, 7), Values(n, 7))->p, 1) << n;
    EXPECT_EQ(rank_sum(Values(n, 7), Values(n, 7), Alternative::less)->p, 1) << n;
  }
}

TEST(RankSum, RefusesWhatHasNoRanks) {
  EXPECT_FALSE(rank_sum(Values{}, Values{1}));
  EXPECT_FALSE(rank_sum(Values{1}, Values{}));
  EXPECT_FALSE(rank_sum(Values{1, std::nan("")}, Values{1}));
  EXPECT_FALSE(rank_sum(Values{1}, Values{HUGE_VAL}));
}

TEST(SignedRankTails, AgreeWithRAndWithCounting) {
  expect_reference("signed_rank", 80, [](const Expected& one) {
    auto figures = all_p([&](Alternative alternative) {
      return signed_rank(first(one), second(one), alternative).value();
    });
    const auto test = signed_rank(first(one), second(one)).value();
    figures["statistic"] = test.statistic;
    figures["is_exact"] = test.test == "signed-rank, exact" ? 1 : 0;
    return figures;
  });
}

TEST(SignedRankTails, RefuseWhatIsNoNumber) {
  EXPECT_FALSE(signed_rank(Values{1, std::nan("")}, Values{1, 2}));
}

RankFigures figures_of(const Shift& shift) {
  RankFigures figures{{"estimate", shift.estimate}, {"is_exact", shift.method == "exact" ? 1 : 0}};
  if (shift.interval) {
    figures["low"] = (*shift.interval)[0];
    figures["high"] = (*shift.interval)[1];
    figures["confidence"] = shift.confidence.value();
  }
  return figures;
}

TEST(HodgesLehmann, OfPairsAgreesWithR) {
  expect_reference("paired_shift", 60, [](const Expected& one) {
    return figures_of(
        paired_shift(first(one), second(one), parse_number(one.argument).value()).value());
  });
}

TEST(HodgesLehmann, OfIndependentSamplesAgreesWithR) {
  expect_reference("unpaired_shift", 60, [](const Expected& one) {
    return figures_of(
        unpaired_shift(first(one), second(one), parse_number(one.argument).value()).value());
  });
}

TEST(HodgesLehmann, HasNoIntervalWhereNoneCanReachTheConfidence) {
  const Values five{1, 2, 4, 8, 16};
  EXPECT_FALSE(paired_shift(five, Values(5, 0))->interval);
  EXPECT_EQ(paired_shift(five, Values(5, 0))->estimate, 5);
  EXPECT_TRUE(paired_shift(five, Values(5, 0), 0.9)->interval);
  EXPECT_FALSE(unpaired_shift(Values{1, 2, 3}, Values{4, 5, 6})->interval);
  EXPECT_TRUE(unpaired_shift(Values{1, 2, 3, 4}, Values{4, 5, 6, 7})->interval);
  EXPECT_EQ(unpaired_shift(Values{3}, Values{1})->estimate, 2);
}

/// Whole numbers from -3 to 3, some moved up or down: ties of every kind.
Values tied_values(std::size_t n, std::mt19937_64& random) {
  const auto whole = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const int moved = whole(-2, 2);
  Values values(n);
  for (double& value : values) value = whole(-3, 3) + moved;
  return values;
}

TEST(HodgesLehmann, NeverContradictsASignificantTestOfPairs) {
  std::mt19937_64 random(5);
  int significant = 0;
  for (int i = 0; i < 20000; ++i) {
    const Values differences =
        tied_values(std::uniform_int_distribution<std::size_t>(6, 20)(random), random);
    const Values zeros(differences.size(), 0);
    const auto test = signed_rank(differences, zeros).value();
    if (!(test.p < 0.05)) continue;
    ++significant;
    const auto n = static_cast<double>(differences.size() - std::ranges::count(differences, 0.0));
    const double direction = test.statistic - n * (n + 1) / 4;
    const double estimate = paired_shift(differences, zeros)->estimate;
    // Zero differences count in the estimate and not in the test: they may leave no direction.
    EXPECT_GE(direction * estimate, 0);
    const bool has_zero = n < static_cast<double>(differences.size());
    EXPECT_TRUE(has_zero || direction * estimate > 0);
  }
  EXPECT_GT(significant, 5000);
}

TEST(HodgesLehmann, NeverContradictsASignificantTestOfIndependentSamples) {
  std::mt19937_64 random(6);
  int significant = 0;
  for (int i = 0; i < 5000; ++i) {
    const Values a = tied_values(8, random);
    const Values b = tied_values(11, random);
    const auto test = rank_sum(a, b).value();
    if (!(test.p < 0.05)) continue;
    ++significant;
    EXPECT_GE((test.statistic - 44) * unpaired_shift(a, b)->estimate, 0);
  }
  EXPECT_GT(significant, 500);
}

TEST(HodgesLehmann, MovesWithItsSamples) {
  const auto& x = rank_sample("v50");
  auto moved = x;
  for (double& value : moved) value += 4;
  const auto shift = unpaired_shift(moved, x).value();
  EXPECT_NEAR(shift.estimate, 4, 1e-12);
  EXPECT_NEAR((*shift.interval)[0] + (*shift.interval)[1], 8, 1e-12);
}

TEST(HodgesLehmann, RefusesWhatHasNoShift) {
  EXPECT_FALSE(paired_shift(Values{}, Values{}));
  EXPECT_FALSE(paired_shift(Values{1}, Values{1, 2}));
  EXPECT_FALSE(unpaired_shift(Values{1}, Values{std::nan("")}));
  EXPECT_FALSE(unpaired_shift(Values{1}, Values{2}, 1));
}

TEST(RankedA12, AgreesWithScipy) {
  expect_reference("a12", 20, [](const Expected& one) {
    return RankFigures{{"a12", a12(first(one), second(one))}};
  });
}

RankFigures figures_of(const Correlation& correlation) {
  const std::string method(correlation.test.substr(correlation.test.find(", ") + 2));
  return {{"estimate", correlation.value}, {method, 1}};
}

/// The figures of a correlation test, and that it was made the way that the reference says.
RankFigures checked(const Expected& one, const std::function<Correlation(Alternative)>& test) {
  auto figures = all_p(test);
  const auto said = figures_of(test(Alternative::two_sided));
  EXPECT_TRUE(said.contains(one.argument)) << one.samples[0] << " was not " << one.argument;
  figures.insert(said.begin(), said.end());
  return figures;
}

TEST(Spearman, AgreesWithRAndWithCounting) {
  expect_reference("spearman", 90, [](const Expected& one) {
    return checked(one, [&](Alternative alternative) {
      return spearman(first(one), second(one), alternative).value();
    });
  });
}

TEST(Spearman, IsNeverBelowItsSmallestP) {
  Values up(13);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<double>(i - i % 2);  // in pairs
  EXPECT_EQ(spearman(up, up)->value, 1);
  EXPECT_NEAR(spearman(up, up)->p, 2 / std::tgamma(14.0), 1e-18);
  EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 3, 4}, Values{4, 3, 2, 1})->p, 2.0 / 24);
  EXPECT_DOUBLE_EQ(spearman(Values{1, 2, 3, 4}, Values{4, 3, 2, 1})->value, -1);
}

TEST(Kendall, AgreesWithRAndWithCounting) {
  expect_reference("kendall", 110, [](const Expected& one) {
    return checked(one, [&](Alternative alternative) {
      return kendall(first(one), second(one), alternative).value();
    });
  });
}

TEST(Kendall, CountsManyPairsQuickly) {
  // 100,000 values have 5e9 pairs: a loop over them would take seconds.
  Values up(100'000);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<double>((i * 7919) % up.size());
  EXPECT_EQ(kendall(up, up)->value, 1);
}

TEST(RankCorrelation, RefusesWhatHasNone) {
  for (const auto& correlation : {spearman, kendall}) {
    const auto of = [&](const Values& x, const Values& y) {
      return correlation(x, y, Alternative::two_sided).has_value();
    };
    EXPECT_FALSE(of({}, {}));
    EXPECT_FALSE(of({1}, {1}));
    EXPECT_FALSE(of({1, 2}, {1, 2, 3}));
    EXPECT_FALSE(of({1, 1, 1}, {1, 2, 3}));
    EXPECT_FALSE(of({1, 2, 3}, {1, 2, std::nan("")}));
    EXPECT_TRUE(of({1, 2}, {1, 2}));
  }
}

TEST(MannKendall, AgreesWithRAndWithCounting) {
  expect_reference("mann_kendall", 40, [](const Expected& one) {
    return checked(one, [&](Alternative alternative) {
      return mann_kendall(first(one), alternative).value();
    });
  });
  EXPECT_FALSE(mann_kendall(Values{1}));
}

TEST(Corrections, AgreeWithR) {
  const auto correction_of = [](const std::string& name) {
    return name == "holm" ? holm : benjamini_hochberg;
  };
  expect_reference("correction", 32, [&](const Expected& one) {
    RankFigures figures;
    const auto corrected = correction_of(one.argument)(first(one));
    for (std::size_t i = 0; i < corrected.size(); ++i) figures[std::to_string(i)] = corrected[i];
    return figures;
  });
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace
}  // namespace prengdl
