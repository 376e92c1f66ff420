// SPDX-License-Identifier: Apache-2.0
#include "model/window.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

SpanEnergy span_of(const std::string& name, std::int64_t begin_s, std::int64_t end_s,
                   std::optional<double> joules) {
  SpanEnergy span;
  span.span = {"epoch", name, begin_s * 1'000'000'000, end_s * 1'000'000'000};
  if (joules) {
    span.energy.metered = Energy{Joules{*joules}, Joules{0.1}, Quality::chip};
    span.energy.domains["package"] = *span.energy.metered;
  }
  return span;
}

Run three_epochs() {
  Run run;
  run.wall = Seconds{12};
  run.energy.metered = Energy{Joules{100}, Joules{0.1}, Quality::chip};
  run.spans = {span_of("1", 0, 4, 50.0), span_of("2", 4, 7, 20.0), span_of("3", 7, 10, 22.0)};
  return run;
}

double value(const Run& run, const std::string& window, const std::string& measure) {
  return value_in(run, parse_window(window).value(), measure).value_or(-1);
}

TEST(Window, OfTheRunIsTheWhole) {
  EXPECT_EQ(value(three_epochs(), "run", "metered"), 100);
  EXPECT_EQ(value(three_epochs(), "run", "seconds"), 12);
}

TEST(Window, OfSpansIsTheirSum) {
  const auto run = three_epochs();
  EXPECT_EQ(value(run, "epoch", "metered"), 92);
  EXPECT_EQ(value(run, "epoch>1", "metered"), 42);
  EXPECT_EQ(value(run, "epoch >= 2", "seconds"), 6);
  EXPECT_EQ(value(run, "epoch=1", "package"), 50);
  EXPECT_EQ(value(run, "epoch<3", "metered"), 70);
  EXPECT_EQ(value(run, "epoch<=1", "seconds"), 4);
  EXPECT_EQ(value(run, "infer|epoch", "metered"), 92) << "of whichever kind the run has";
}

TEST(Window, LatenciesAreOfTheRunWhateverTheWindow) {
  auto run = three_epochs();
  run.metrics = {{"latency_p50", 0.5, 1, {}}, {"latency_p50", 0.25, 2, {}}};
  EXPECT_EQ(value(run, "epoch>1", "latency_p50"), 0.25);
  EXPECT_EQ(value(run, "run", "latency_p99"), -1);
}

TEST(Window, WithoutAFigureForAPartHasNone) {
  auto run = three_epochs();
  run.spans.push_back(span_of("4", 10, 11, std::nullopt));
  const auto window = parse_window("epoch>1").value();
  EXPECT_FALSE(value_in(run, window, "metered"));
  EXPECT_EQ(value_in(run, window, "seconds"), 7);
  EXPECT_FALSE(value_in(run, parse_window("train").value(), "metered")) << "no such span";
}

TEST(Window, WhoseSpansOverlapHasNoSum) {
  auto run = three_epochs();
  run.spans.push_back(span_of("9", 6, 8, 5.0));
  EXPECT_FALSE(value_in(run, parse_window("epoch>1").value(), "metered"));
}

TEST(Window, ThatMakesNoSenseIsRefused) {
  EXPECT_FALSE(parse_window(""));
  EXPECT_FALSE(parse_window(">3"));
  EXPECT_FALSE(parse_window("epoch>many"));
  EXPECT_FALSE(parse_window("epoch=="));
  EXPECT_FALSE(parse_window("train|"));
}

}  // namespace
}  // namespace prengdl
