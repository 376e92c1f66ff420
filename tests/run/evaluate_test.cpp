// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scripted_meter.h"

namespace prengdl {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// Of a counter at 60 W whose steps were seen each millisecond, except for a while around an unsure
/// end.
Energy package_energy(std::int64_t gate_ns, std::int64_t begin_ns, std::int64_t end_ns,
                      const std::optional<Evaluation::UnsureEnd>& unsure_end = {}) {
  const SteppingCounter counter(Watts{60});
  const std::vector<const MeterInfo*> meters{&counter.info()};
  std::vector<Sample> steps;
  for (std::int64_t i = 0; i <= 100; ++i) {
    if (unsure_end && i * ms > unsure_end->alive_ns && i * ms < unsure_end->read_ns) continue;
    steps.push_back({{.at_ns = i * ms,
                      .raw = static_cast<std::uint64_t>(i) * 60'000,
                      .mark = Mark::edge,
                      .slack_ns = 0},
                     0});
  }
  SampleLog samples;
  samples.append(steps);
  const std::optional<Baseline> no_baseline;
  Run run;
  evaluate({meters, samples, gate_ns, begin_ns, end_ns, Seconds{0.01}, no_baseline, unsure_end}, {},
           run);
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

TEST(Evaluate, AnExitThatWasSeenLateMakesTheFigureUnsure) {
  const Energy at_once = package_energy(10 * ms, 10 * ms, 50 * ms);
  const Energy late =
      package_energy(10 * ms, 10 * ms, 50 * ms, Evaluation::UnsureEnd{40 * ms, 90 * ms});
  EXPECT_NEAR(late.value.value, at_once.value.value, 1e-6) << "at even power";
  EXPECT_GE(late.uncertainty.value, 60 * 0.040) << "all of it may have been drawn after the exit";
}

/// A run of four seconds, read every 10 ms, under a counter that shows `joules_at(seconds)`.
Run run_under(MeterInfo info, double (*joules_at)(double)) {
  const std::vector<const MeterInfo*> meters{&info};
  std::vector<Sample> readings;
  for (std::int64_t i = 0; i <= 410; ++i) {
    const std::int64_t at = i * 10 * ms + (i % 7) * 100'000;
    readings.push_back(
        {{.at_ns = at,
          .raw = static_cast<std::uint64_t>(1e6 * joules_at(static_cast<double>(at / ms) * 1e-3))},
         0});
  }
  SampleLog samples;
  samples.append(readings);
  const std::optional<Baseline> no_baseline;
  Emitted told;
  Span early;
  early.span = "early";
  early.begin_ns = 100 * ms;
  early.end_ns = 500 * ms;
  Span late = early;
  late.span = "late";
  late.end_ns = 3000 * ms;
  told.spans = {early, late};
  Run run;
  evaluate({meters, samples, 50 * ms, 50 * ms, 4050 * ms, Seconds{0.01}, no_baseline}, told, run);
  return run;
}

TEST(Evaluate, ACounterThatFreezesHasNoFigureAndIsFlagged) {
  const auto frozen = [](double at) { return 60 * (at < 0.7 ? at : 0.7); };
  MeterInfo info = SteppingCounter(Watts{60}).info();
  const auto run = run_under(info, frozen);
  EXPECT_FALSE(run.energy.metered);
  EXPECT_FALSE(run.energy.domains.contains("package"));
  EXPECT_EQ(run.flags, Flags{Flag::stuck_meter});
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_NE(run.warnings[0].find("did not change for 3.4 s"), std::string::npos) << run.warnings[0];
  ASSERT_EQ(run.spans.size(), 2u);
  EXPECT_TRUE(run.spans[0].energy.metered) << "it was over before";
  EXPECT_FALSE(run.spans[1].energy.metered);
}

TEST(Evaluate, CoresMayStandStillAndACounterThatGoesOnIsNotFlagged) {
  MeterInfo info = SteppingCounter(Watts{60}).info();
  EXPECT_TRUE(run_under(info, [](double at) { return 60 * at; }).flags.empty());
  info.counted = Counted::inside;
  const auto run = run_under(info, [](double at) { return 60 * (at < 0.7 ? at : 0.7); });
  EXPECT_TRUE(run.flags.empty());
  EXPECT_TRUE(run.energy.domains.contains("package"));
}

TEST(Evaluate, ACounterThatSaysThatItIsStuckHasNoFigureAndIsFlagged) {
  const SteppingCounter counter(Watts{60});
  const std::vector<const MeterInfo*> meters{&counter.info()};
  std::vector<Sample> readings;
  for (std::int64_t i = 0; i <= 100; ++i)
    readings.push_back({{.at_ns = i * ms,
                         .raw = static_cast<std::uint64_t>(std::min<std::int64_t>(i, 40)) * 60'000,
                         .status = i > 60 ? ReadStatus::stuck : ReadStatus::ok},
                        0});
  SampleLog samples;
  samples.append(readings);
  const std::optional<Baseline> no_baseline;
  prengdl::Run run;
  evaluate({meters, samples, 10 * ms, 10 * ms, 90 * ms, Seconds{0.01}, no_baseline}, {}, run);
  EXPECT_FALSE(run.energy.metered);
  EXPECT_TRUE(run.flags.contains(Flag::stuck_meter));
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_NE(run.warnings[0].find("it is not updated any more"), std::string::npos);
}

}  // namespace
}  // namespace prengdl
