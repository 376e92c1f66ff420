// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace prengdl {
namespace {

using Align = Table::Align;

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const auto line : split(text, '\n')) most = std::max(most, shown_width(line));
  return most;
}

Table findings() {
  Table table({{"model", Align::left},
               {"ratio", Align::right},
               {"95 % interval", Align::right, 1},
               {"rank p", Align::right, 2},
               {"verdict", Align::left}});
  table.add({"resnet50 trained on ImageNet", "1.168", "1.120 … 1.220", "0.013",
             "tensorflow costs less, below the margin"});
  return table;
}

TEST(Table, IsAsWideAsItsTextsWithoutALimit) {
  EXPECT_EQ(findings().text("  "),
            "  model                         ratio  95 % interval  rank p  verdict\n"
            "  resnet50 trained on ImageNet  1.168  1.120 … 1.220   0.013  tensorflow costs less, "
            "below the margin\n");
}

TEST(Table, TextsGoOnInASecondLineBeforeAnythingIsLeftOut) {
  const auto text = findings().text("  ", Style(false, 80));
  EXPECT_LE(widest(text), 80u);
  EXPECT_NE(text.find("0.013"), std::string::npos) << text;
  EXPECT_NE(text.find("margin"), std::string::npos) << text;
  EXPECT_EQ(text.find("no room"), std::string::npos) << text;
}

TEST(Table, LeavesOutSpareColumnsAndSaysSo) {
  const auto text = findings().text("  ", Style(false, 50));
  EXPECT_LE(widest(text), 50u);
  EXPECT_EQ(text.find("0.013"), std::string::npos) << text;
  EXPECT_NE(text.find("no room for: rank p"), std::string::npos) << text;
  EXPECT_NE(text.find("1.168"), std::string::npos) << text;
}

TEST(Table, ThatFitsNowhereShowsEachRowInAFewLines) {
  Table table({{"model", Align::left}, {"first", Align::right}, {"second", Align::right}});
  table.add({"a model", "12345678901234567890 J", "12345678901234567890 J"});
  const auto text = table.text("  ", Style(false, 40));
  EXPECT_LE(widest(text), 40u);
  EXPECT_NE(text.find("first 12345678901234567890 J"), std::string::npos) << text;
}

TEST(Table, NoWidthBreaksAnything) {
  for (std::size_t width = 4; width < 140; ++width)
    EXPECT_LE(widest(findings().text("  ", Style(true, width))), std::max<std::size_t>(width, 8))
        << width;
}

TEST(ShownWidth, CountsWideCharactersAndNoColours) {
  EXPECT_EQ(shown_width("a…"), 2u);
  EXPECT_EQ(shown_width("能量"), 4u);
  EXPECT_EQ(shown_width("e\u0301"), 1u);
  EXPECT_EQ(shown_width("\x1b[1;32mok\x1b[0m"), 2u);
}

TEST(Wrapped, BreaksBetweenWordsAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("one two three four\n", 10), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("short\n\nlines\n", 10), "short\n\nlines\n");
  EXPECT_EQ(wrapped("one two three", any_width), "one two three");
}

TEST(Wrapped, GoesOnBelowTheLastColumnOfText) {
  EXPECT_EQ(wrapped("ok     governor  it is set to performance on all CPUs\n", 60),
            "ok     governor  it is set to performance on all CPUs\n");
  EXPECT_EQ(wrapped("\x1b[32mok\x1b[0m     governor  it is set to performance on all CPUs\n", 48),
            "\x1b[32mok\x1b[0m     governor  it is set to performance on all\n"
            "                 CPUs\n");
}

TEST(Wrapped, PrefersToBreakBetweenColumnsOfText) {
  EXPECT_EQ(wrapped("  time  1.000 s ± 0.1 s   user 0.9 s, system 0.1 s   median 1 s\n", 44),
            "  time  1.000 s ± 0.1 s\n"
            "        user 0.9 s, system 0.1 s\n"
            "        median 1 s\n");
  // Spaces that belong to one gap, though a colour ends between them.
  EXPECT_EQ(wrapped("warning \x1b[1mdrift   \x1b[0m  the seconds rise by 2.49 %\n", 40),
            "warning \x1b[1mdrift   \x1b[0m  the seconds rise by\n                  2.49 %\n");
}

TEST(Wrapped, BreaksAWordThatIsLongerThanTheLine) {
  EXPECT_EQ(wrapped("aaaaaaaaaaaa\n", 8), "aaaaaaaa\n  aaaa\n");
}

TEST(Wrapped, KeepsColoursOutOfTheCount) {
  EXPECT_EQ(wrapped("\x1b[1mone two\x1b[0m", 7), "\x1b[1mone two\x1b[0m");
}

}  // namespace
}  // namespace prengdl
