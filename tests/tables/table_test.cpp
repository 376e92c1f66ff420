// SPDX-License-Identifier: Apache-2.0
#include "tables/table.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const auto line : split(text, '\n')) most = std::max(most, shown_width(line));
  return most;
}

Table findings() {
  Table table;
  table.columns = {text_column("model", "model"), number_column("ratio", "ratio"),
                   interval_column(), number_column("rank_p", "rank p"),
                   text_column("verdict", "verdict")};
  table.columns[2].spare = 1;
  table.columns[3].spare = 2;
  table.add({text_cell("resnet50 trained on ImageNet"), ratio_cell(1.168),
             interval_cell(std::array{1.12, 1.22}), p_cell(0.013),
             text_cell("tensorflow costs less, below the margin")});
  return table;
}

TEST(Table, IsAsWideAsItsTextsWithoutALimit) {
  EXPECT_EQ(table_text(findings()),
            "  model                         ratio  95 % interval  rank p  verdict\n"
            "  resnet50 trained on ImageNet  1.168  1.120 … 1.220   0.013  tensorflow costs less, "
            "below the margin\n");
}

TEST(Table, TextsGoOnInASecondLineBeforeAnythingIsLeftOut) {
  const auto text = table_text(findings(), Style(false, 80));
  EXPECT_LE(widest(text), 80u);
  EXPECT_NE(text.find("0.013"), std::string::npos) << text;
  EXPECT_NE(text.find("margin"), std::string::npos) << text;
  EXPECT_EQ(text.find("no room"), std::string::npos) << text;
}

TEST(Table, LeavesOutSpareColumnsAndSaysSo) {
  const auto text = table_text(findings(), Style(false, 50));
  EXPECT_LE(widest(text), 50u);
  EXPECT_EQ(text.find("0.013"), std::string::npos) << text;
  EXPECT_NE(text.find("not shown at this width: rank p"), std::string::npos) << text;
  EXPECT_NE(text.find("1.168"), std::string::npos) << text;
}

TEST(Table, ThatFitsNowhereShowsEachRowInAFewLines) {
  Table table;
  table.columns = {text_column("model", "model"), number_column("first", "first"),
                   number_column("second", "second")};
  table.add({text_cell("a model"), text_cell("12345678901234567890 J"),
             text_cell("12345678901234567890 J")});
  const auto text = table_text(table, Style(false, 40));
  EXPECT_LE(widest(text), 40u);
  EXPECT_NE(text.find("first 12345678901234567890 J"), std::string::npos) << text;
}

TEST(Table, MarksACellWithAStarAndMakesTextsPrintable) {
  Table table;
  table.columns = {text_column("name", "name"), number_column("cost", "cost", "J")};
  table.add({text_cell("a\x1b[31mb"), {"12", 12.0, true}});
  EXPECT_EQ(table_text(table), "  name        cost [J]\n  a\\x1b[31mb      * 12\n");
}

TEST(Table, AListHasNoHeadingsAndIsNoWiderForThem) {
  Table table;
  table.columns = {text_column("severity", "severity"), text_column("finding", "finding")};
  table.has_headings = false;
  table.add({text_cell("ok"), text_cell("little swap is in use")});
  table.add({TableCell{}, text_cell("-> go on")});
  EXPECT_EQ(table_text(table, {}, ""), "ok  little swap is in use\n    -> go on\n");
}

TEST(Table, ColoursEachLineOfATonedCellAndNotTheSpaceAroundIt) {
  Table table;
  table.columns = {text_column("what", "what"), text_column("quality", "quality")};
  table.has_headings = false;
  table.add({text_cell("energy"), toned_cell("modelled, not measured", CellTone::caution)});
  EXPECT_EQ(table_text(table, Style(true, 22), ""),
            "energy  \x1b[33mmodelled, not\x1b[0m\n        \x1b[33mmeasured\x1b[0m\n");
  EXPECT_EQ(table_text(table, Style(false), ""), "energy  modelled, not measured\n");
}

TEST(Table, IsTheSameInMarkdownAndCsv) {
  EXPECT_EQ(table_markdown(findings()),
            "| model | ratio | 95 % interval | rank p | verdict |\n|---|---:|---:|---:|---|\n"
            "| resnet50 trained on ImageNet | 1.168 | 1.120 … 1.220 | 0.013 | tensorflow costs "
            "less, below the margin |\n");
  EXPECT_EQ(table_csv(findings()),
            "model,ratio,interval,rank_p,verdict\nresnet50 trained on ImageNet,1.168,"
            "1.120 … 1.220,0.013,\"tensorflow costs less, below the margin\"\n");
}

TEST(PercentText, NearlyAllOfItIsNotShownAsAllOfIt) {
  EXPECT_EQ(percent_text(0.9981), "99.8 %");
  EXPECT_EQ(percent_text(0.99999), "99.9 %");
  EXPECT_EQ(percent_text(0.45), "45 %");
  EXPECT_EQ(percent_text(0.045), "4.5 %");
  EXPECT_EQ(percent_text(1), "100 %");
}

TEST(Part, ShowsItsTitleItsBlocksAndTheirTones) {
  Part part{"costs", "costs", {}, "primary"};
  part.say("A sentence.");
  part.caution("Take care.");
  part.add(findings());
  const auto text = part_text(part, Style(false, 120));
  EXPECT_TRUE(text.starts_with("costs   primary\n  A sentence.\n  Take care.\n  model ")) << text;
  EXPECT_TRUE(text.ends_with("margin\n\n")) << text;
  EXPECT_NE(part_markdown(part).find("> Take care."), std::string::npos);
}

TEST(Table, NoWidthBreaksAnything) {
  for (std::size_t width = 4; width < 140; ++width)
    EXPECT_LE(widest(table_text(findings(), Style(true, width))), std::max<std::size_t>(width, 8))
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
