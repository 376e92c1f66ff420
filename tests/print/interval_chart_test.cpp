// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tables/part.h"

namespace prengdl {
namespace {

TEST(IntervalChart, DrawsRatiosOnALogScaleAroundOne) {
  const auto text = interval_chart({{"less", 0.5, std::array{0.4, 0.625}},
                                    {"same", 1, std::array{0.98, 1.02}},
                                    {"more", 2, std::array{1.6, 2.5}}},
                                   0.05, {});
  EXPECT_EQ(text,
            "        0.333                   1                       3\n"
            "  less      ├────●────┤        ░│░\n"
            "  same                         ░●░\n"
            "  more                         ░│░        ├────●────┤\n")
      << text;
}

TEST(IntervalChart, SaysWhereAnIntervalGoesBeyondTheScale) {
  const auto text = interval_chart({{"wide", 1.5, std::array{0.001, 5000.0}}}, 0, {});
  EXPECT_NE(text.find("<"), std::string::npos);
  EXPECT_NE(text.find(">"), std::string::npos);
  EXPECT_NE(text.find("100"), std::string::npos);
}

TEST(IntervalChart, IsNothingWithoutRows) { EXPECT_EQ(interval_chart({}, 0.05, {}), ""); }

}  // namespace
}  // namespace prengdl
