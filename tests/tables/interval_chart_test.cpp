// SPDX-License-Identifier: Apache-2.0
#include "tables/interval_chart.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"

namespace prengdl {
namespace {

IntervalChart three_rows() {
  return {{{"less", 0.5, std::array{0.4, 0.625}},
           {"same", 1, std::array{0.98, 1.02}},
           {"more", 2, std::array{1.6, 2.5}}},
          0.05};
}

TEST(IntervalChart, DrawsRatiosOnALogScaleAroundOne) {
  const auto text = interval_chart(three_rows(), {});
  EXPECT_EQ(text,
            "        0.333                   1                       3\n"
            "  less      ├────●────┤        ░│░                         0.5000\n"
            "  same                         ░●░                          1.000\n"
            "  more                         ░│░        ├────●────┤       2.000\n")
      << text;
}

TEST(IntervalChart, NamesWhatEitherSideOfOneMeans) {
  auto chart = three_rows();
  chart.sides = {"pytorch used less", "tensorflow used less"};
  const auto text = interval_chart(chart, {});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "            ← pytorch used less   tensorflow used less →");
}

TEST(IntervalChart, FitsATerminalAndUsesTheRoomThereIs) {
  auto chart = three_rows();
  chart.sides = {std::string(60, 'a'), std::string(60, 'b')};
  chart.rows.push_back({std::string(100, 'x'), 1.5, std::array{1.2, 1.8}});
  std::size_t last = 0;
  for (const std::size_t width : {45, 60, 80, 100, 160}) {
    const auto text = interval_chart(chart, Style(false, width));
    std::size_t widest = 0;
    for (const auto line : split(text, '\n')) widest = std::max(widest, shown_width(line));
    EXPECT_LE(widest, width) << text;
    EXPECT_GT(widest, last) << text;
    last = widest;
  }
}

TEST(IntervalChart, ColoursOnlyDifferencesThatAreShown) {
  auto chart = three_rows();
  chart.rows[0].is_shown = chart.rows[2].is_shown = true;
  const auto text = interval_chart(chart, Style(true));
  const Style style(true);
  EXPECT_NE(text.find(style.first_side("").substr(0, 5)), std::string::npos);
  EXPECT_NE(text.find(style.second_side("").substr(0, 5)), std::string::npos);
  const auto same = text.substr(text.find("same"), text.find("more") - text.find("same"));
  EXPECT_EQ(same.find('\x1b'), std::string::npos) << same;
}

TEST(IntervalChart, MarksGroupsAndRatiosWithoutAnInterval) {
  const auto text = interval_chart({{{"one run", 0.9, {}}, {"all", 0.9, {}, false, true}}, 0}, {});
  EXPECT_NE(text.find("○"), std::string::npos) << text;
  EXPECT_NE(text.find("◆"), std::string::npos) << text;
}

TEST(IntervalChart, ShowsThatAnIntervalGoesBeyondTheScale) {
  const auto text = interval_chart({{{"wide", 1.5, std::array{0.001, 5000.0}}}, 0}, {});
  EXPECT_NE(text.find("<"), std::string::npos);
  EXPECT_NE(text.find(">"), std::string::npos);
  EXPECT_NE(text.find("100"), std::string::npos);
}

TEST(IntervalChart, IsNothingWithoutRowsOrRoom) {
  EXPECT_EQ(interval_chart({}, {}), "");
  EXPECT_EQ(interval_chart(three_rows(), Style(false, 30)), "");
}

}  // namespace
}  // namespace prengdl
