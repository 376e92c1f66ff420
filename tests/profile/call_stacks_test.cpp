// SPDX-License-Identifier: Apache-2.0
#include "profile/call_stacks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "profile/marshal_bytes.h"

namespace prengdl {
namespace {

using namespace marshal_bytes;

std::map<std::string, double> stacks_of(const CallProfile& profile,
                                        const StackLimits& limits = {}) {
  std::map<std::string, double> stacks;
  for_each_stack(
      profile,
      [&](std::span<const std::uint32_t> stack, Seconds own) {
        std::string line;
        for (const auto place : stack)
          line += (line.empty() ? "" : ";") + std::string(profile.functions[place].name);
        stacks[line] += own.count();
      },
      limits);
  return stacks;
}

CallProfile profile_of(const std::vector<std::pair<std::string, std::string>>& functions) {
  auto profile = parse_profile(dictionary(functions));
  EXPECT_TRUE(profile) << profile.error().what();
  return *profile;
}

double total_of(const std::map<std::string, double>& stacks) {
  double sum = 0;
  for (const auto& [stack, seconds] : stacks) sum += seconds;
  return sum;
}

const std::string a = function("f", 1, "a");
const std::string b = function("f", 2, "b");
const std::string c = function("f", 3, "c");
const std::string d = function("f", 4, "d");

TEST(CallStacks, FollowCallersToTheirCallees) {
  const auto stacks = stacks_of(profile_of({
      {a, counted(1, 1, 1, 6)},
      {b, counted(1, 1, 2, 5, {{a, called(1, 1, 2, 5)}})},
      {c, counted(4, 4, 3, 3, {{b, called(4, 4, 3, 3)}})},
  }));
  EXPECT_EQ(stacks.size(), 3u);
  EXPECT_DOUBLE_EQ(stacks.at("a"), 1);
  EXPECT_DOUBLE_EQ(stacks.at("a;b"), 2);
  EXPECT_DOUBLE_EQ(stacks.at("a;b;c"), 3);
}

TEST(CallStacks, DivideSharedCalleesByTheTimeOfTheirCallers) {
  // c is called by a and by b; d by c only, 8 s in all. c took 3 s of 12 for a and 9 s for b.
  const auto stacks = stacks_of(profile_of({
      {a, counted(1, 1, 1, 4)},
      {b, counted(1, 1, 1, 10)},
      {c, counted(2, 2, 4, 12, {{a, called(1, 1, 1, 3)}, {b, called(1, 1, 3, 9)}})},
      {d, counted(2, 2, 8, 8, {{c, called(2, 2, 8, 8)}})},
  }));
  EXPECT_DOUBLE_EQ(stacks.at("a;c"), 1) << "own time by caller was counted, not divided";
  EXPECT_DOUBLE_EQ(stacks.at("b;c"), 3);
  EXPECT_DOUBLE_EQ(stacks.at("a;c;d"), 2);
  EXPECT_DOUBLE_EQ(stacks.at("b;c;d"), 6);
  EXPECT_DOUBLE_EQ(total_of(stacks), 14);
}

TEST(CallStacks, RecursionIsCountedForTheFunctionOnTheStack) {
  const auto stacks = stacks_of(profile_of({
      {a, counted(1, 1, 1, 8)},
      {b, counted(1, 3, 4, 7,
                  {{a, called(1, 1, 1, 7)}, {b, called(1, 1, 1, 3)}, {c, called(1, 1, 2, 4)}})},
      {c, counted(1, 1, 3, 5, {{b, called(1, 1, 3, 5)}})},
  }));
  EXPECT_DOUBLE_EQ(stacks.at("a;b"), 4);
  EXPECT_DOUBLE_EQ(stacks.at("a;b;c"), 3);
  EXPECT_DOUBLE_EQ(total_of(stacks), 8);
}

TEST(CallStacks, ACircleThatNobodyCalledIsEnteredSomewhere) {
  const auto stacks = stacks_of(profile_of({
      {a, counted(1, 1, 1, 3, {{b, called(1, 1, 1, 3)}})},
      {b, counted(1, 1, 2, 3, {{a, called(1, 1, 2, 3)}})},
  }));
  EXPECT_DOUBLE_EQ(total_of(stacks), 3);
}

TEST(CallStacks, CallsWithoutACallerComeFromOutside) {
  // b was called three times, once by a.
  const auto stacks = stacks_of(profile_of({
      {a, counted(1, 1, 1, 2)},
      {b, counted(3, 3, 4, 4, {{a, called(1, 1, 1, 1)}})},
  }));
  EXPECT_DOUBLE_EQ(stacks.at("a;b"), 1);
  EXPECT_DOUBLE_EQ(stacks.at("b"), 3);
}

TEST(CallStacks, WithoutTimesCallsAreWhatIsDividedBy) {
  const auto stacks = stacks_of(profile_of({
      {a, counted(1, 1, 0, 4)},
      {b, counted(1, 1, 0, 4)},
      {c, counted(4, 4, 4, 4, {{a, integer(1)}, {b, integer(3)}})},
  }));
  EXPECT_DOUBLE_EQ(stacks.at("a;c"), 1);
  EXPECT_DOUBLE_EQ(stacks.at("b;c"), 3);
}

TEST(CallStacks, LimitsLoseNoTime) {
  std::vector<std::pair<std::string, std::string>> functions;
  // Twenty levels of two functions, each called by both above: a million stacks.
  for (int level = 0; level < 20; ++level)
    for (int side = 0; side < 2; ++side) {
      std::vector<std::pair<std::string, std::string>> callers;
      for (int above = 0; level > 0 && above < 2; ++above)
        callers.emplace_back(function("f", level - 1, above ? "y" : "x"),
                             called(1, 1, 0.5, 20 - level));
      functions.emplace_back(function("f", level, side ? "y" : "x"),
                             counted(2, 2, 1, 2 * (20 - level), callers));
    }
  const auto profile = profile_of(functions);
  for (const StackLimits limits : {StackLimits{}, StackLimits{1e-9, 5, 200000},
                                   StackLimits{1e-9, 256, 100}, StackLimits{0.2, 256, 200000}}) {
    std::size_t lines = 0;
    double total = 0;
    for_each_stack(
        profile,
        [&](std::span<const std::uint32_t> stack, Seconds own) {
          ++lines;
          total += own.count();
          EXPECT_LE(stack.size(), limits.depth);
        },
        limits);
    EXPECT_NEAR(total, 40, 1e-9);
    EXPECT_LE(lines, limits.lines + 2) << "and the functions that nobody called";
  }
}

TEST(CallStacks, OwnTimeIsKeptForAnyGraph) {
  EXPECT_TRUE(rc::check("the stacks' own times add up to the functions'", [] {
    const auto count = *rc::gen::inRange(1, 7);
    std::vector<std::pair<std::string, std::string>> functions;
    double total = 0;
    for (int i = 0; i < count; ++i) {
      std::vector<std::pair<std::string, std::string>> callers;
      for (int j = 0; j < count; ++j)
        if (*rc::gen::inRange(0, 3) == 0)
          callers.emplace_back(
              function("f", j, "f"),
              called(*rc::gen::inRange(0, 3), 0, *rc::gen::inRange(0, 4), *rc::gen::inRange(0, 9)));
      const double own = *rc::gen::inRange(0, 10);
      total += own;
      functions.emplace_back(function("f", i, "f"),
                             counted(1, *rc::gen::inRange(0, 9), own, own + 1, callers));
    }
    StackLimits limits;
    limits.least_share = 0;
    const auto sum = total_of(stacks_of(profile_of(functions), limits));
    RC_ASSERT(std::abs(sum - total) < 1e-9);
  }));
}

}  // namespace
}  // namespace prengdl
