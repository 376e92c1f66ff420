// SPDX-License-Identifier: Apache-2.0
#include "profile/call_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "fake_host.h"
#include "profile/marshal_bytes.h"

namespace prengdl {
namespace {

using namespace marshal_bytes;

std::string error_of(const std::string& bytes) {
  const auto profile = parse_profile(bytes);
  return profile ? "" : profile.error().what();
}

TEST(CallProfile, HoldsFunctionsAndWhoCalledThem) {
  const auto main = function("train.py", 1, "<module>");
  const auto profile = parse_profile(dictionary(
      {{function("train.py", 3, "step"), counted(2, 5, 0.5, 1.5, {{main, called(5, 2, 0.5, 1.5)}})},
       {main, counted(1, 1, 0.25, 1.75)}}));
  ASSERT_TRUE(profile) << profile.error().what();
  ASSERT_EQ(profile->functions.size(), 2u);
  const auto& step = profile->functions[0];
  EXPECT_EQ(step.file, "train.py");
  EXPECT_EQ(step.line, 3);
  EXPECT_EQ(step.name, "step");
  EXPECT_EQ(step.calls, 5u);
  EXPECT_EQ(step.primitive_calls, 2u);
  EXPECT_DOUBLE_EQ(step.own.count(), 0.5);
  EXPECT_DOUBLE_EQ(step.cumulative.count(), 1.5);
  ASSERT_EQ(profile->edges.size(), 1u);
  EXPECT_EQ(profile->edges[0].caller, 1u);
  EXPECT_EQ(profile->edges[0].callee, 0u);
  EXPECT_EQ(profile->edges[0].calls, 5u);
  EXPECT_EQ(profile->edges[0].primitive_calls, 2u);
}

TEST(CallProfile, NamesOutliveTheBytesAndAreSharedByCopies) {
  CallProfile copy;
  {
    const auto profile =
        parse_profile(dictionary({{in_c("<built-in method x>"), counted(1, 1, 1, 1)}}));
    ASSERT_TRUE(profile);
    copy = *profile;
  }
  EXPECT_EQ(copy.functions[0].name, "<built-in method x>");
}

TEST(CallProfile, CallersOfTheProfileModuleHaveCallsButNoTime) {
  const auto main = function("a.py", 1, "main");
  const auto profile = parse_profile(
      dictionary({{main, counted(1, 1, 0, 1)},
                  {function("a.py", 2, "f"), counted(3, 3, 1, 1, {{main, integer(3)}})}}));
  ASSERT_TRUE(profile) << profile.error().what();
  EXPECT_EQ(profile->edges[0].calls, 3u);
  EXPECT_FALSE(profile->edges[0].own);
}

TEST(CallProfile, CallersThatAreNotListedAreKnownByName) {
  const auto profile = parse_profile(
      dictionary({{function("a.py", 2, "f"),
                   counted(1, 1, 1, 1, {{function("gone.py", 9, "g"), called(1, 1, 1, 1)}})}}));
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->functions.size(), 2u);
  EXPECT_EQ(profile->functions[1].name, "g");
  EXPECT_FALSE(profile->functions[1].is_listed);
}

TEST(CallProfile, ADumpOfPython2IsReadToo) {
  // Interned names, plain strings and an integer of 64 bits, as marshal version 2 writes them.
  const std::string name = "(" + raw(3) + "s" + raw(4) + "a.py" + integer(1) + "t" + raw(1) + "f";
  const std::string again = "(" + raw(3) + "s" + raw(4) + "a.py" + integer(7) + "R" + raw(0);
  const auto numbers = [](const std::string& callers) {
    return "(" + raw(5) + integer(1) + "I" + raw(std::int64_t{1}) + real(1) + real(1) + callers;
  };
  const auto profile = parse_profile("{" + name + numbers("{0") + again + numbers("{0") + "0");
  ASSERT_TRUE(profile) << profile.error().what();
  EXPECT_EQ(profile->functions[1].name, "f");
  EXPECT_EQ(profile->functions[1].line, 7);
}

TEST(CallProfile, WhatIsNotAProfileIsRefusedWithItsByte) {
  const auto f = function("a.py", 1, "f");
  EXPECT_EQ(error_of(""), "it is empty");
  EXPECT_EQ(error_of("N"), "byte 0: a dictionary was expected");
  EXPECT_EQ(error_of(dictionary({{integer(1), integer(2)}})), "byte 1: a tuple of 3 was expected");
  EXPECT_NE(error_of(dictionary({{f, integer(2)}})).find("a tuple of 5"), std::string::npos);
  EXPECT_NE(error_of(dictionary({{f, counted(1, -1, 0, 0)}})).find("calls"), std::string::npos);
  EXPECT_NE(error_of(dictionary({{f, counted(1, 1, INFINITY, 0)}})).find("seconds"),
            std::string::npos);
  EXPECT_NE(error_of(dictionary({{f, counted(1, 1, 0, 0)}, {f, counted(1, 1, 0, 0)}}))
                .find("'f' appears twice"),
            std::string::npos);
  EXPECT_NE(
      error_of(dictionary({{tuple({integer(1), integer(1), text("f")}), counted(1, 1, 0, 0)}}))
          .find("a name"),
      std::string::npos);
  EXPECT_NE(
      error_of(dictionary({{function("a.py", 1, std::string(5000, 'x')), counted(1, 1, 0, 0)}}))
          .find("4096"),
      std::string::npos);
  EXPECT_NE(error_of(dictionary({{f, tuple({integer(1), integer(1), real(0), real(0), "N"})}}))
                .find("callers"),
            std::string::npos);
}

TEST(CallProfile, SharedCallersCannotGrowBeyondTheFile) {
  // One dictionary of a thousand callers, referred to by a thousand functions.
  std::string callers = "{";
  for (int i = 0; i < 1000; ++i) callers += function("c", i, "c") + integer(1);
  callers += "0";
  std::string bytes = "{";
  for (int i = 0; i < 1000; ++i)
    bytes += function("f", i, "f") + ")\5" + integer(1) + integer(1) + real(0) + real(0) +
             (i == 0 ? numbered(callers) : reference(0));
  EXPECT_NE(error_of(bytes + "0").find("more callers than there is room for"), std::string::npos);
}

TEST(CallProfile, AFileIsNamedInItsErrors) {
  FakeHost host;
  const auto path = host.root() / "broken.prof";
  std::ofstream(path) << "{i\1";
  const auto broken = read_profile(path);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().what(), path.string() + ": byte 2: 4 bytes are needed, 1 are left");
  EXPECT_NE(broken.error().hint.find("cProfile"), std::string::npos);
  EXPECT_FALSE(read_profile(host.root() / "missing.prof"));
  std::ofstream(path, std::ios::binary)
      << dictionary({{in_c("<a>"), counted(1, 1, 0, 0)}, {in_c("<b>"), counted(1, 1, 0, 0)}});
  EXPECT_TRUE(read_profile(path));
}

}  // namespace
}  // namespace prengdl
