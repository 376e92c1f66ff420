// SPDX-License-Identifier: Apache-2.0
#include "model/event.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t run_begin = 1000 * ms;
constexpr std::int64_t run_end = 2000 * ms;

/// An event at so many milliseconds after the run's begin.
Event event_at(std::int64_t at_ms, Event::Type type) {
  Event event;
  event.at_ns = run_begin + at_ms * ms;
  event.type = type;
  return event;
}
Event begin(std::int64_t at_ms, const std::string& span, const std::string& name = "") {
  Event event = event_at(at_ms, Event::Type::begin);
  event.span = span;
  event.name = name;
  return event;
}
Event end(std::int64_t at_ms, const std::string& span, const std::string& name = "") {
  Event event = begin(at_ms, span, name);
  event.type = Event::Type::end;
  return event;
}
Event metric(std::int64_t at_ms, const std::string& name, double value) {
  Event event = event_at(at_ms, Event::Type::metric);
  event.name = name;
  event.value = value;
  return event;
}
Event work(std::int64_t at_ms, const std::string& name, double value) {
  Event event = metric(at_ms, name, value);
  event.type = Event::Type::work;
  return event;
}

Emitted told(const std::vector<Event>& events) { return put_together(events, run_begin, run_end); }

/// "epoch 1: 10-50": what a span is, in milliseconds of the run.
std::vector<std::string> lines(const Emitted& told) {
  std::vector<std::string> result;
  result.reserve(told.spans.size());
  for (const auto& span : told.spans)
    result.push_back(span.span + " " + span.name + ": " +
                     std::to_string((span.begin_ns - run_begin) / ms) + "-" +
                     std::to_string((span.end_ns - run_begin) / ms));
  return result;
}

using Lines = std::vector<std::string>;

bool warns(const Emitted& told, const std::string& part) {
  for (const auto& warning : told.warnings)
    if (warning.find(part) != std::string::npos) return true;
  return false;
}

TEST(Events, OfNothingAreNothing) {
  const auto nothing = told({});
  EXPECT_TRUE(nothing.spans.empty());
  EXPECT_TRUE(nothing.metrics.empty());
  EXPECT_TRUE(nothing.work.empty());
  EXPECT_TRUE(nothing.warnings.empty());
}

TEST(Events, SpansNestAndComeInTheOrderOfTheirBegins) {
  const auto result = told({begin(0, "train"), begin(10, "epoch", "1"), begin(11, "step", "1"),
                            end(20, "step", "1"), end(30, "epoch", "1"), begin(31, "epoch", "2"),
                            end(60, "epoch", "2"), end(61, "train")});
  EXPECT_EQ(lines(result),
            (Lines{"train : 0-61", "epoch 1: 10-30", "step 1: 11-20", "epoch 2: 31-60"}));
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Events, AnEndBelongsToTheLatestOpenBegin) {
  const auto result = told({begin(0, "call"), begin(10, "call"), end(20, "call"), end(50, "call")});
  EXPECT_EQ(lines(result), (Lines{"call : 0-50", "call : 10-20"}));
}

TEST(Events, SpansMayOverlapWithoutNesting) {
  const auto result =
      told({begin(0, "load"), begin(10, "train"), end(20, "load"), end(30, "train")});
  EXPECT_EQ(lines(result), (Lines{"load : 0-20", "train : 10-30"}));
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Events, ConcurrentSpansAreToldApartByIdProcessAndThread) {
  const auto with = [](Event event, std::optional<std::int64_t> pid,
                       std::optional<std::int64_t> tid, std::optional<std::int64_t> id) {
    event.pid = pid;
    event.tid = tid;
    event.id = id;
    return event;
  };
  const auto none = std::nullopt;
  // Each opens before any closes; the first that opens closes first, so a stack would mix them up.
  const std::vector<std::array<std::optional<std::int64_t>, 3>> keys{
      {7, none, none}, {8, none, none}, {7, 70, none},   {7, 71, none},
      {7, 70, 1},      {7, 70, 2},      {none, none, 1}, {none, none, none}};
  std::vector<Event> events;
  for (std::size_t i = 0; i < keys.size(); ++i)
    events.push_back(with(begin(static_cast<std::int64_t>(i), "request", "a"), keys[i][0],
                          keys[i][1], keys[i][2]));
  for (std::size_t i = 0; i < keys.size(); ++i)
    events.push_back(with(end(static_cast<std::int64_t>(100 + i), "request", "a"), keys[i][0],
                          keys[i][1], keys[i][2]));
  const auto result = told(events);
  EXPECT_TRUE(result.warnings.empty());
  ASSERT_EQ(result.spans.size(), keys.size());
  for (const auto& span : result.spans) EXPECT_EQ(span.end_ns - span.begin_ns, 100 * ms);
}

TEST(Events, AnEndFromAnotherThreadClosesNothing) {
  auto ending = end(20, "step");
  ending.tid = 5;
  const auto result = told({begin(10, "step"), ending});
  EXPECT_TRUE(result.spans.empty());
  EXPECT_TRUE(warns(result, "ends without a begin"));
  EXPECT_TRUE(warns(result, "never closed"));
}

TEST(Events, ASpanThatIsNeverClosedCostsItself) {
  const auto result =
      told({begin(0, "epoch", "1"), end(10, "epoch", "1"), begin(20, "epoch", "2")});
  EXPECT_EQ(lines(result), Lines{"epoch 1: 0-10"});
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0], "spans that were never closed: 1, first epoch 2");
}

TEST(Events, AnEndWithoutABeginCostsItself) {
  const auto result = told({end(5, "epoch", "1"), begin(10, "epoch", "1"), end(20, "epoch", "1"),
                            end(30, "epoch", "1")});
  EXPECT_EQ(lines(result), Lines{"epoch 1: 10-20"});
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0], "ends without a begin: 2, first epoch 1");
}

TEST(Events, ASpanThatEndsBeforeItBeginsCostsItself) {
  const auto result = told({begin(50, "epoch", "1"), end(40, "epoch", "1"), begin(60, "epoch", "2"),
                            end(70, "epoch", "2")});
  EXPECT_EQ(lines(result), Lines{"epoch 2: 60-70"});
  ASSERT_EQ(result.warnings.size(), 1u) << "one fault, one warning";
  EXPECT_EQ(result.warnings[0], "spans that end before they begin: 1, first epoch 1");
}

TEST(Events, ASpanMayTakeNoTimeAtAll) {
  EXPECT_EQ(lines(told({begin(5, "step"), end(5, "step")})), Lines{"step : 5-5"});
}

TEST(Events, LinesThatCameOutOfOrderAreSorted) {
  const auto result = told({begin(50, "b"), end(60, "b"), begin(10, "a"), end(20, "a")});
  EXPECT_EQ(lines(result), (Lines{"a : 10-20", "b : 50-60"}));
}

TEST(Events, OutsideTheRunCostThemselves) {
  const auto result = told({begin(-500, "epoch", "1"), end(10, "epoch", "1"),
                            metric(1500, "accuracy", 0.5), work(-100, "samples", 7)});
  EXPECT_TRUE(result.spans.empty());
  EXPECT_TRUE(result.metrics.empty());
  EXPECT_TRUE(result.work.empty());
  EXPECT_TRUE(
      warns(result, "events outside the run (is t CLOCK_MONOTONIC in ns?): 3, first epoch 1"));
}

TEST(Events, ALittleOutsideTheRunIsItsEdge) {
  auto early = begin(0, "all");
  early.at_ns = run_begin - ms / 2;
  auto late = end(1000, "all");
  late.at_ns = run_end + ms / 2;
  const auto result = told({early, late});
  EXPECT_EQ(lines(result), Lines{"all : 0-1000"});
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Events, MetricsAreKeptOneByOne) {
  auto second = metric(20, "accuracy", 0.7);
  second.step = 2;
  const auto result = told({metric(10, "accuracy", 0.5), second, metric(30, "loss", -1.5)});
  ASSERT_EQ(result.metrics.size(), 3u);
  EXPECT_EQ(result.metrics[0].name, "accuracy");
  EXPECT_EQ(result.metrics[0].value, 0.5);
  EXPECT_EQ(result.metrics[0].step, std::nullopt);
  EXPECT_EQ(result.metrics[1].step, 2);
  EXPECT_EQ(result.metrics[1].at_ns, run_begin + 20 * ms);
  EXPECT_EQ(result.metrics[2].value, -1.5);
}

TEST(Events, WorkAddsUpByName) {
  const auto result = told({work(1, "samples", 128), work(2, "tokens", 5), work(3, "samples", 128),
                            work(4, "samples", 1)});
  ASSERT_EQ(result.work.size(), 2u);
  EXPECT_EQ(result.work[0].name, "samples");
  EXPECT_EQ(result.work[0].value, 257);
  EXPECT_EQ(result.work[1].name, "tokens");
  EXPECT_EQ(result.work[1].value, 5);
}

TEST(Events, AMillionFaultsMakeOneWarning) {
  const std::vector<Event> events(100'000, end(5, "epoch", "1"));
  const auto result = told(events);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0], "ends without a begin: 100000, first epoch 1");
}

TEST(Events, AHundredThousandOfThemArePutTogether) {
  // All open at once, closed in the order in which they began: slow if looking for a begin is.
  std::vector<Event> events;
  for (int i = 0; i < 50'000; ++i) {
    auto event = begin(0, "request", "x");
    event.at_ns += i;
    event.id = i;
    events.push_back(event);
  }
  for (int i = 0; i < 50'000; ++i) {
    auto event = end(900, "request", "x");
    event.at_ns += i;
    event.id = i;
    events.push_back(event);
  }
  const auto result = told(events);
  EXPECT_TRUE(result.warnings.empty());
  ASSERT_EQ(result.spans.size(), 50'000u);
  for (const auto& span : result.spans) ASSERT_EQ(span.end_ns - span.begin_ns, 900 * ms);
}

}  // namespace
}  // namespace prengdl
