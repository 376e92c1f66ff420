// SPDX-License-Identifier: Apache-2.0
#include "audit/measured.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "audit/power_ranges.h"
#include "base/files.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

TEST(CommonStep, IsTheLargestOfWhichAllValuesAreMultiples) {
  EXPECT_NEAR(*common_step(Values{250, 1250, 1750, 500, 250}), 250, 1e-9);
  EXPECT_NEAR(*common_step(Values{0.9, 0.3, 2.1, 1.5}), 0.3, 1e-9);
}

TEST(CommonStep, IsAbsentInValuesOfManyDigits) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(100, 2);
  Values values(10);
  for (auto& value : values) value = normal(random);
  EXPECT_FALSE(common_step(values));
  EXPECT_FALSE(common_step(Values{100, 100, 200, 300})) << "three different values";
}

TEST(LastDigit, HasThePlaceOfTheLastDigitThatIsNotZero) {
  EXPECT_NEAR(last_digit(12.25), 0.01, 1e-12);
  EXPECT_NEAR(last_digit(3400), 100, 1e-9);
  EXPECT_NEAR(last_digit(7), 1, 1e-12);
  EXPECT_NEAR(last_digit(0.3), 0.1, 1e-12);
}

TEST(PowerRanges, AreThoseOfTheDocs) {
  const std::string page = read_text(PRENGDL_SOURCE_DIR "/docs/reference/audit.md").value();
  for (const auto& range : power_ranges()) {
    const std::string row = fmt::format("| {} | {} | {} | {} |\n", range.domain, range.low.value,
                                        range.high.value, range.parts);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace prengdl
