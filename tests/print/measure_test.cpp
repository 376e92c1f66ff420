// SPDX-License-Identifier: Apache-2.0
#include "print/measure.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace prengdl {
namespace {

Run run_of(double seconds, double joules, Quality quality) {
  Run run;
  run.wall = run.window = Seconds{seconds};
  run.exit_code = 0;
  run.energy.metered = {Joules{joules}, Joules{0.5}, quality};
  run.energy.domains["package"] = *run.energy.metered;
  return run;
}

std::string figures(const std::vector<Run>& runs, const Style& style = {},
                    const std::string& window = "run") {
  Part part{"command", "job"};
  add_figures(runs, measures_of({runs}), window, part);
  return part_text(part, style);
}

std::string line_with(const std::string& text, const std::string& what) {
  for (const auto line : split(text, '\n'))
    if (line.find(what) != std::string_view::npos) return std::string(line);
  return "";
}

TEST(MeasureFigures, OfOneRunSayHowWellItsEnergyWasRead) {
  const auto text = figures({run_of(2, 100, Quality::chip)});
  EXPECT_NE(line_with(text, "read to").find("value"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "energy").find("±500.0 mJ"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "energy").find("50.00 W"), std::string::npos) << text;
  EXPECT_EQ(text.find("median"), std::string::npos) << text;
}

TEST(MeasureFigures, OfSeveralRunsHaveTheirSpread) {
  const auto text = figures({run_of(2, 100, Quality::chip), run_of(3, 120, Quality::chip)});
  EXPECT_NE(line_with(text, "median").find("mean"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "energy").find("110.0 J  13 %  110.0 J  100.0 J  120.0 J"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("read to"), std::string::npos) << text;
}

TEST(MeasureFigures, SayOfEveryModelledJouleThatItIs) {
  auto run = run_of(2, 100, Quality::model);
  run.net.emplace();
  run.net->metered = {Joules{20}, Joules{1}, Quality::model};
  SpanEnergy span;
  span.span.span = "epoch";
  span.span.end_ns = 1'000'000'000;
  span.energy.metered = run.energy.metered;
  run.spans.push_back(span);
  for (const std::size_t width : {std::size_t{80}, std::size_t{160}}) {
    const auto text = figures({run, run}, Style(false, width));
    std::size_t joules = 0;
    for (const auto line : split(text, '\n')) {
      EXPECT_LE(shown_width(line), width) << text;
      if (line.find(" J ") == std::string_view::npos) continue;
      ++joules;
      EXPECT_NE(line.find("modelled"), std::string_view::npos) << text;
    }
    EXPECT_EQ(joules, 3u) << text;
  }
}

Run run_with_epochs(double seconds_each, double accuracy) {
  auto run = run_of(10, 500, Quality::chip);
  for (int i = 0; i < 2; ++i) {
    SpanEnergy span;
    span.span.span = "epoch";
    span.span.name = std::to_string(i + 1);
    span.span.begin_ns = i * 3'000'000'000;
    span.span.end_ns = span.span.begin_ns + static_cast<std::int64_t>(seconds_each * 1'000'000'000);
    span.energy.metered = {Joules{40}, Joules{1}, Quality::chip};
    run.spans.push_back(span);
  }
  for (const double value : {0.1, accuracy}) {
    Metric metric;
    metric.name = "accuracy";
    metric.value = value;
    run.metrics.push_back(metric);
  }
  return run;
}

TEST(MeasureFigures, OfAWindowComeBeforeThoseOfTheWholeRun) {
  const auto text = figures({run_with_epochs(2, 0.9)}, {}, "epoch");
  EXPECT_NE(line_with(text, "epoch time").find("4.000 s"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "epoch energy").find("80.00 J"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "epoch energy").find("20.00 W"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "whole run").find("10.00 s"), std::string::npos) << text;
  EXPECT_LT(text.find("epoch time"), text.find("whole run"));
}

TEST(MeasureFigures, OfAWindowThatNoRunHasAreLeftOut) {
  const auto text = figures({run_with_epochs(2, 0.9)}, {}, "train");
  EXPECT_EQ(text.find("train"), std::string::npos) << text;
  EXPECT_EQ(text.find("whole run"), std::string::npos) << text;
}

TEST(MeasureFigures, HaveTheLastValueOfEachMetricWithItsSpread) {
  const auto text = figures({run_with_epochs(2, 0.9), run_with_epochs(2, 0.92)});
  const auto line = line_with(text, "accuracy");
  for (const char* number : {"0.91", "0.014", "0.9000", "0.9200"})
    EXPECT_NE(line.find(number), std::string::npos) << number << "\n" << text;
}

TEST(MeasureFigures, ASpanThatIsTooShortHasNoJoules) {
  auto run = run_of(2, 100, Quality::chip);
  SpanEnergy span;
  span.span.span = "blink";
  span.span.end_ns = 1'000;
  run.spans.push_back(span);
  EXPECT_NE(line_with(figures({run}), "blink").find("too short for the meters"), std::string::npos);
}

}  // namespace
}  // namespace prengdl
