// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/window.h"

namespace prengdl {
namespace {

TEST(Measures, CpuTimesAreKnownMeasuresInSeconds) {
  for (const std::string name : {"cpu_seconds", "user_seconds", "system_seconds"}) {
    EXPECT_TRUE(is_known_measure(name)) << name;
    EXPECT_EQ(kind_of(name), MeasureKind::cpu_time) << name;
    EXPECT_EQ(unit_of(name), "s") << name;
  }
  EXPECT_EQ(title_of("cpu_seconds"), "CPU time");
}

TEST(Measures, DomainsOfNamedMetersRailsAndLatenciesAreKnown) {
  EXPECT_TRUE(is_known_measure("gpu"));
  EXPECT_TRUE(is_known_measure("rail:VDD_IN"));
  EXPECT_TRUE(is_known_measure("latency_p99"));
  EXPECT_FALSE(is_known_measure("rack"));
  EXPECT_TRUE(is_known_measure("rack", {"rack"}));
}

TEST(Measures, ATypoIsNotKnownAndTheAdviceNamesWhatWasMeant) {
  EXPECT_FALSE(is_known_measure("joules"));
  EXPECT_FALSE(is_known_measure("user_second"));
  EXPECT_TRUE(measure_advice("user_second").starts_with("Did you mean 'user_seconds'?"));
  EXPECT_NE(measure_advice("qqqqqqqq", {"rack"}).find("rack"), std::string::npos);
  EXPECT_TRUE(measure_advice("qqqqqqqq").starts_with("The measures are metered, seconds"));
}

TEST(Measures, CpuTimeIsOfAWholeRun) {
  prengdl::Run run;
  run.user = Seconds{1.5};
  run.system = Seconds{0.25};
  run.spans.push_back({{"train", "", 0, 1'000'000'000}, {}, {}});
  const Window whole;
  const Window train = *parse_window("train");
  EXPECT_EQ(value_in(run, whole, "user_seconds"), 1.5);
  EXPECT_EQ(value_in(run, whole, "system_seconds"), 0.25);
  EXPECT_EQ(value_in(run, whole, "cpu_seconds"), 1.75);
  EXPECT_EQ(value_in(run, train, "seconds"), 1.0);
  EXPECT_EQ(value_in(run, train, "cpu_seconds"), std::nullopt);
}

TEST(Measures, ARunWhoseCpuTimeNobodyCountedHasNone) {
  EXPECT_EQ(value_in(prengdl::Run{}, Window{}, "cpu_seconds"), std::nullopt);
  EXPECT_EQ(value_in(prengdl::Run{}, Window{}, "user_seconds"), std::nullopt);
}

}  // namespace
}  // namespace prengdl
