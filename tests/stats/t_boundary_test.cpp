// SPDX-License-Identifier: Apache-2.0
#include "stats/t_boundary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "bench/simulated_studies.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

TEST(TBoundary, OfASingleLookIsStudentsQuantile) {
  for (const std::size_t n : {2, 5, 10, 30, 300})
    for (const double alpha : {0.3, 0.05, 0.001, 1e-7}) {
      const auto& boundary = t_boundary({n, n}, alpha);
      const double expected = student_quantile(1 - alpha / 2, static_cast<double>(n - 1));
      EXPECT_NEAR(boundary.t.at(0), expected, 1e-6 * expected) << n << " values, alpha " << alpha;
      EXPECT_NEAR(crossing_probability({n, n}, boundary.constant), alpha, 1e-6 * alpha);
    }
}

TEST(TBoundary, IsCrossedWithProbabilityAlpha) {
  for (const LookPlan plan : {LookPlan{10, 11}, LookPlan{10, 30}, LookPlan{3, 8},
                              LookPlan{10, 30, 0.0}, LookPlan{10, 30, 0.5}, LookPlan{20, 100}})
    for (const double alpha : {0.2, 0.05, 0.05 / 66, 1e-8}) {
      const auto& boundary = t_boundary(plan, alpha);
      EXPECT_NEAR(crossing_probability(plan, boundary.constant), alpha, 1e-4 * alpha)
          << plan.first << " to " << plan.last << ", shape " << plan.shape;
    }
}

/// The same probability by drawing t statistics, which knows nothing of the Markov chain.
double drawn_crossings(const TBoundary& boundary, std::size_t draws, std::uint64_t seed) {
  bench::Random random(seed);
  std::size_t crossed = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    double sum = 0;
    double squares = 0;
    bool is_crossed = false;
    for (std::size_t i = 1; i <= boundary.plan.last && !is_crossed; ++i) {
      const double x = random.normal();
      sum += x;
      squares += x * x;
      if (i < boundary.plan.first) continue;
      const auto n = static_cast<double>(i);
      const double variance = (squares - sum * sum / n) / (n - 1);
      is_crossed = std::abs(sum) / std::sqrt(n * variance) > boundary.t[i - boundary.plan.first];
    }
    crossed += is_crossed;
  }
  return static_cast<double>(crossed) / static_cast<double>(draws);
}

TEST(TBoundary, AgreesWithDraws) {
  constexpr std::size_t draws = 20'000;
  for (const LookPlan plan : {LookPlan{10, 30}, LookPlan{3, 8, 0.5}, LookPlan{2, 12, 0.0}})
    for (const double alpha : {0.05, 0.3}) {
      const double error = std::sqrt(alpha * (1 - alpha) / draws);
      EXPECT_NEAR(drawn_crossings(t_boundary(plan, alpha), draws, 5), alpha, 4 * error)
          << plan.first << " to " << plan.last << ", alpha " << alpha;
    }
}

TEST(TBoundary, GetsLooserFromLookToLook) {
  const auto& boundary = t_boundary({10, 40}, 0.05);
  ASSERT_EQ(boundary.t.size(), 31u);
  for (std::size_t i = 1; i < boundary.t.size(); ++i) {
    EXPECT_LT(boundary.t[i], boundary.t[i - 1]);
    EXPECT_GT(boundary.nominal[i], boundary.nominal[i - 1]);
  }
  EXPECT_LT(boundary.nominal.back(), 0.05) << "looks have a price";
  const auto& pocock = t_boundary({10, 40, 0.5}, 0.05);
  EXPECT_NEAR(pocock.nominal.front(), pocock.nominal.back(), 1e-12);
}

TEST(TBoundary, RefusesWhatIsNoPlan) {
  EXPECT_THROW(t_boundary({1, 10}, 0.05), Error);
  EXPECT_THROW(t_boundary({10, 9}, 0.05), Error);
  EXPECT_THROW(t_boundary({10, 20, 0.7}, 0.05), Error);
  EXPECT_THROW(t_boundary({10, 20}, 0), Error);
  EXPECT_THROW(t_boundary({10, 20}, std::nan("")), Error);
  EXPECT_THROW(constant_reached({10, 20}, 9, 1), Error);
}

}  // namespace
}  // namespace prengdl
