// SPDX-License-Identifier: Apache-2.0
//
// A small version of bench/audit_power: fixed seeds, and bounds far from what is found.
#include <gtest/gtest.h>

#include "bench/audit_studies.h"

namespace prengdl {
namespace {

TEST(AuditPower, LargeThreatsAreFoundNearlyAlways) {
  constexpr std::size_t studies = 10;
  std::map<std::string, bench::Planted> largest;  // of each kind the last one in the list
  for (const auto& planted : bench::planted_threats())
    largest.insert_or_assign(std::to_string(static_cast<int>(planted.threat)), planted);
  for (const auto& [kind, planted] : largest) {
    const auto found = bench::alarms(planted.shape(), studies, 5);
    const auto count = found.find(planted.check);
    ASSERT_NE(count, found.end()) << planted.check << " " << kind;
    EXPECT_GE(count->second, 6u) << planted.check << " " << planted.shown;
  }
}

TEST(AuditPower, CleanStudiesAreRarelyAccused) {
  constexpr std::size_t studies = 40;
  auto found = bench::alarms({}, studies, 6);
  EXPECT_LE(found["any"], 8u);  // of 40; 10 % are promised
  found.erase("any");
  EXPECT_GT(found.size(), 25u);
  for (const auto& [check, count] : found)
    EXPECT_LE(count, 7u) << check;  // of 40; 5 % are promised
}

TEST(AuditPower, TheGeneratorRepeatsItself) {
  bench::Shape shape;
  shape.threat = bench::Threat::drift;
  shape.size = 0.1;
  const auto a = bench::StudyMaker(shape, 1).make();
  const auto b = bench::StudyMaker(shape, 1).make();
  const auto c = bench::StudyMaker(shape, 2).make();
  ASSERT_EQ(a.input.runs.size(), 120u);
  EXPECT_EQ(a.input.runs.back().run.wall, b.input.runs.back().run.wall);
  EXPECT_NE(a.input.runs.back().run.wall, c.input.runs.back().run.wall);
}

}  // namespace
}  // namespace prengdl
