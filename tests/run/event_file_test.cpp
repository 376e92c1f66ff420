// SPDX-License-Identifier: Apache-2.0
#include "run/event_file.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "fake_host.h"

namespace prengdl {
namespace {

EventFile read(const std::string& text) {
  FakeHost host;
  host.write("events", text);
  return read_events(host.root() / "events");
}

TEST(EventFile, GivesEveryKindOfEvent) {
  const auto file = read(
      R"({"t":100,"ev":"begin","span":"epoch","name":"1"}
{"t":200,"ev":"metric","name":"accuracy","value":0.91,"step":1}
{"t":300,"ev":"work","name":"samples","value":50000}
{"t":300,"ev":"fact","name":"torch","value":"2.15.0"}
{"t":400,"ev":"end","span":"epoch","name":"1"})");
  EXPECT_TRUE(file.warnings.empty());
  ASSERT_EQ(file.events.size(), 5u);
  EXPECT_EQ(file.events[0].type, Event::Type::begin);
  EXPECT_EQ(file.events[0].at_ns, 100);
  EXPECT_EQ(file.events[0].span, "epoch");
  EXPECT_EQ(file.events[0].name, "1");
  EXPECT_EQ(file.events[0].pid, std::nullopt);
  EXPECT_EQ(file.events[1].type, Event::Type::metric);
  EXPECT_EQ(file.events[1].value, 0.91);
  EXPECT_EQ(file.events[1].step, 1);
  EXPECT_EQ(file.events[2].type, Event::Type::work);
  EXPECT_EQ(file.events[2].value, 50000);
  EXPECT_EQ(file.events[3].type, Event::Type::fact);
  EXPECT_EQ(file.events[3].text, "2.15.0");
  EXPECT_EQ(file.events[4].type, Event::Type::end);
}

TEST(EventFile, ReadsTheLinesOfThePythonPackage) {
  const auto file = read(
      R"({"t":1,"ev":"begin","span":"epoch","name":"1","pid":4711}
{"t":2,"ev":"begin","span":"load","name":"","pid":4711,"tid":4712}
{"t":3,"ev":"begin","span":"request","name":"caf\u00e9","id":5,"pid":4711,"tid":4712}
{"t":4,"ev":"metric","name":"loss","value":2.5e-05,"step":3,"pid":4711}
{"t":5,"ev":"work","name":"samples","value":128,"pid":4711})");
  EXPECT_TRUE(file.warnings.empty());
  ASSERT_EQ(file.events.size(), 5u);
  for (const auto& event : file.events) EXPECT_EQ(event.pid, 4711);
  EXPECT_EQ(file.events[0].tid, std::nullopt) << "the main thread is not named";
  EXPECT_EQ(file.events[1].tid, 4712);
  EXPECT_EQ(file.events[1].name, "");
  EXPECT_EQ(file.events[2].id, 5);
  EXPECT_EQ(file.events[2].name, "caf\xc3\xa9");
  EXPECT_EQ(file.events[3].step, 3);
  EXPECT_DOUBLE_EQ(file.events[3].value, 2.5e-5);
}

TEST(EventFile, AnEmptyFileIsNoFault) {
  FakeHost host;
  std::ofstream(host.root() / "events").close();
  const auto file = read_events(host.root() / "events");
  EXPECT_TRUE(file.events.empty());
  EXPECT_TRUE(file.warnings.empty());
  EXPECT_TRUE(read("\n \n\r\n").warnings.empty()) << "nor are empty lines";
}

TEST(EventFile, WarnsWhenTheFileIsGone) {
  FakeHost host;
  const auto file = read_events(host.root() / "events");
  EXPECT_TRUE(file.events.empty());
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find("gone"), std::string::npos);
}

TEST(EventFile, ABrokenLineCostsThatLine) {
  const auto file = read(
      R"({"t":1,"ev":"begin","span":"a"}
{"t":2,"ev":"beg
{"t":3,"ev":"end","span":"a"}
hello)");
  EXPECT_EQ(file.events.size(), 2u);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_EQ(file.warnings[0], R"(broken event lines: 2, first line 2: not JSON: {"t":2,"ev":"beg)");
}

TEST(EventFile, SaysWhatIsWrongWithALine) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1,2]", "not a JSON object"},
      {"7", "not a JSON object"},
      {R"({"ev":"begin","span":"a"})", "t is missing"},
      {R"({"t":1.5,"ev":"begin","span":"a"})", "not a whole number of nanoseconds"},
      {R"({"t":"1","ev":"begin","span":"a"})", "not a whole number of nanoseconds"},
      {R"({"t":18446744073709551615,"ev":"begin","span":"a"})",
       "not a whole number of nanoseconds"},
      {R"({"t":1})", "ev is not begin, end, metric, work or fact"},
      {R"({"t":1,"ev":"pause"})", "ev is not begin, end, metric, work or fact"},
      {R"({"t":1,"ev":"begin"})", "span is missing"},
      {R"({"t":1,"ev":"end","span":null})", "span is missing"},
      {R"({"t":1,"ev":"metric","value":1})", "name is missing"},
      {R"({"t":1,"ev":"metric","name":"x"})", "value is missing"},
      {R"({"t":1,"ev":"work","name":"x","value":"1"})", "value is missing or is not a number"},
      {R"({"t":1,"ev":"work","name":"x","value":NaN})", "not JSON"},
      {R"({"t":1,"ev":"work","name":"x","value":1e999})", "not JSON"}};
  for (const auto& [line, trouble] : cases) {
    const auto file = read(line);
    EXPECT_TRUE(file.events.empty()) << line;
    ASSERT_EQ(file.warnings.size(), 1u) << line;
    EXPECT_NE(file.warnings[0].find(trouble), std::string::npos) << file.warnings[0];
  }
}

TEST(EventFile, NamesMayBeToldAsNumbers) {
  const auto file = read(
      R"({"t":1,"ev":"begin","span":"epoch","name":1}
{"t":2,"ev":"begin","span":3,"name":2.5}
{"t":3,"ev":"begin","span":"a","name":true}
{"t":4,"ev":"begin","span":"a"})");
  ASSERT_EQ(file.events.size(), 4u);
  EXPECT_EQ(file.events[0].name, "1");
  EXPECT_EQ(file.events[1].span, "3");
  EXPECT_EQ(file.events[1].name, "2.5");
  EXPECT_EQ(file.events[2].name, "true");
  EXPECT_EQ(file.events[3].name, "");
}

TEST(EventFile, IgnoresWhatItDoesNotKnow) {
  const auto file = read(R"({"t":1,"ev":"begin","span":"a","pid":"x","colour":{"deep":[1]}})");
  ASSERT_EQ(file.events.size(), 1u);
  EXPECT_EQ(file.events[0].pid, std::nullopt);
  EXPECT_TRUE(file.warnings.empty());
}

TEST(EventFile, ABrokenLineCannotHarmATerminal) {
  const auto file = read("\x1b[2J" + std::string(1000, 'x'));
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find("\\x1b[2J"), std::string::npos);
  EXPECT_EQ(file.warnings[0].find('\x1b'), std::string::npos);
  EXPECT_LT(file.warnings[0].size(), 200u) << "nor fill it";
}

TEST(EventFile, ReadsTheLastLineWithoutANewline) {
  FakeHost host;
  std::ofstream(host.root() / "events") << R"({"t":1,"ev":"begin","span":"a"})";
  EXPECT_EQ(read_events(host.root() / "events").events.size(), 1u);
}

TEST(EventFile, SurvivesDeepNesting) {
  const auto file = read(std::string(100'000, '['));
  EXPECT_TRUE(file.events.empty());
  EXPECT_EQ(file.warnings.size(), 1u);
}

std::string metric_line(int value) {
  return R"({"t":1,"ev":"metric","name":"m","value":)" + std::to_string(value) + "}\n";
}

EventFile read_within(const std::string& text, const EventLimits& limits) {
  FakeHost host;
  host.write("events", text);
  const auto file = open_for_reading(host.root() / "events");
  return read_events(file->get(), limits);
}

TEST(EventFile, TakesNoMoreEventsThanItsLimitAndCountsTheRest) {
  EventLimits limits;
  limits.events = 2;
  const auto file =
      read_within(metric_line(1) + metric_line(2) + metric_line(3) + metric_line(4), limits);
  ASSERT_EQ(file.events.size(), 2u);
  EXPECT_EQ(file.events[1].value, 2);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_EQ(file.warnings[0], "2 events were dropped: the limit is 2 per run");
}

TEST(EventFile, ReadsNoMoreBytesThanItsLimit) {
  EventLimits limits;
  limits.bytes = std::uint64_t{1} << 20;
  const auto file =
      read_within(metric_line(1) + std::string(2 << 20, '\n') + metric_line(2), limits);
  EXPECT_EQ(file.events.size(), 1u);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find("only the first 1 MiB were read"), std::string::npos)
      << file.warnings[0];
}

TEST(EventFile, ALineWithoutEndCostsThatLine) {
  const auto file =
      read_within(metric_line(1) + std::string(300'000, '\0') + "\n" + metric_line(2), {});
  EXPECT_EQ(file.events.size(), 2u);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find("broken event lines: 1, first line 2: longer than 64 KiB"),
            std::string::npos)
      << file.warnings[0];
}

}  // namespace
}  // namespace prengdl
