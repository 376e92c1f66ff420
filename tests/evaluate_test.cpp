// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <gtest/gtest.h>

#include "scripted_meter.h"

namespace prengdl {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// Of a counter at 60 W whose steps were seen each millisecond.
Energy package_energy(std::int64_t gate_ns, std::int64_t begin_ns, std::int64_t end_ns) {
  const SteppingCounter counter(Watts{60});
  const std::vector<const MeterInfo*> meters{&counter.info()};
  std::vector<Sample> steps;
  for (std::int64_t i = 0; i <= 100; ++i)
    steps.push_back({{.at_ns = i * ms,
                      .raw = static_cast<std::uint64_t>(i) * 60'000,
                      .mark = Mark::edge,
                      .slack_ns = 0},
                     0});
  SampleLog samples;
  samples.append(steps);
  const std::optional<Baseline> no_baseline;
  Run run;
  evaluate({meters, samples, gate_ns, begin_ns, end_ns, Seconds{0.01}, no_baseline}, {}, run);
  EXPECT_TRUE(run.energy.metered) << "there is a figure";
  return run.energy.metered.value_or(Energy{});
}

TEST(Evaluate, AnExecThatWasSeenLateMakesTheFigureUnsureNotLarger) {
  const Energy at_once = package_energy(10 * ms, 10 * ms, 90 * ms);
  const Energy late = package_energy(8 * ms, 10 * ms, 90 * ms);
  EXPECT_NEAR(at_once.value.value, 60 * 0.080, 1e-6);
  EXPECT_EQ(late.value, at_once.value);
  EXPECT_NEAR((late.uncertainty - at_once.uncertainty).value, 60 * 0.002, 1e-6)
      << "two milliseconds of 60 W may have been its own";
}

TEST(Evaluate, AGateBeforeTheFirstReadingCostsNoFigure) {
  const Energy known = package_energy(10 * ms, 10 * ms, 90 * ms);
  const Energy unknown = package_energy(-50 * ms, 10 * ms, 90 * ms);
  EXPECT_EQ(unknown.value, known.value);
  EXPECT_EQ(unknown.uncertainty, known.uncertainty);
}

}  // namespace
}  // namespace prengdl
