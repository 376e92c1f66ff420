// SPDX-License-Identifier: Apache-2.0
#include "report/ratio_scale.h"

#include <gtest/gtest.h>

#include "report/report_model.h"

namespace prengdl {
namespace {

RatioScale scale_of(const std::vector<double>& ratios, const std::array<double, 2>& interval) {
  RatioScale scale;
  for (const double ratio : ratios) scale.take(ratio);
  scale.take_interval(interval);
  return scale;
}

TEST(RatioScale, HasOneOnItAndEqualFactorsAtEqualDistances) {
  const RatioScale scale = scale_of({0.5, 2}, {0.5, 2});
  EXPECT_NEAR(scale.at(1), 50, 1e-9);
  EXPECT_NEAR(scale.at(2) - scale.at(1), scale.at(1) - scale.at(0.5), 1e-9);
  EXPECT_LT(scale_of({0.5}, {0.4, 0.6}).at(1), 100);
}

TEST(RatioScale, CutsOffAnIntervalThatIsFarWiderThanTheRatios) {
  const RatioScale scale = scale_of({0.9, 1.1}, {0.001, 1000});
  EXPECT_TRUE(scale.is_beyond(0.001));
  EXPECT_TRUE(scale.is_beyond(1000));
  EXPECT_FALSE(scale.is_beyond(1.1));
  EXPECT_EQ(scale.at(1000), 100);
}

TEST(RatioScale, HasRoundTicksThatDoNotTouch) {
  for (const double far : {1.05, 1.4, 3.0, 6.0, 20.0, 5000.0}) {
    const RatioScale scale = scale_of({1 / far, far}, {1 / far, far});
    const auto ticks = scale.ticks(9);
    EXPECT_GE(ticks.size(), 3u) << far;
    for (std::size_t i = 0; i < ticks.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GE(std::fabs(scale.at(ticks[i]) - scale.at(ticks[j])), 9) << far;
  }
}

TEST(ReportSummary, CountsItsCautions) {
  EXPECT_EQ(count_of({}), "No cautions");
  EXPECT_EQ(count_of({{false, "a"}}), "1 caution, none severe");
  EXPECT_EQ(count_of({{true, "a"}, {false, "b"}}), "2 cautions, 1 severe");
}

}  // namespace
}  // namespace prengdl
