// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

std::vector<std::vector<std::string>> texts(std::string_view text, const CsvForm& form = {}) {
  std::vector<std::vector<std::string>> rows;
  const auto read = csv_rows(text, "t.csv", form);
  EXPECT_TRUE(read) << read.error().what();
  for (const auto& row : read.value()) {
    rows.emplace_back();
    for (const auto& cell : row) rows.back().push_back(cell.text);
  }
  return rows;
}

std::string refused(std::string_view text, const CsvForm& form = {}) {
  const auto rows = csv_rows(text, "t.csv", form);
  return rows ? "" : rows.error().what();
}

using Rows = std::vector<std::vector<std::string>>;

TEST(Csv, QuotedCellsHoldSeparatorsLinesAndQuotes) {
  EXPECT_EQ(texts("a, \"b \"\"c\"\"\" ,d\r\n1,\"x, y\nz\", 3 \r\n"),
            (Rows{{"a", "b \"c\"", "d"}, {"1", "x, y\nz", "3"}}));
}

TEST(Csv, EmptyCellsAreCells) {
  EXPECT_EQ(texts(",a,\n,,\n"), (Rows{{"", "a", ""}, {"", "", ""}}));
  EXPECT_EQ(texts("\"\"\n"), Rows{{""}});
  EXPECT_EQ(texts("\t\n", {.separator = '\t'}), (Rows{{"", ""}}));
}

TEST(Csv, BlankLinesAreNoRows) {
  EXPECT_TRUE(texts("").empty());
  EXPECT_TRUE(texts(" \n\r\n\t\n  ").empty());
  EXPECT_EQ(texts("\na\n \nb"), (Rows{{"a"}, {"b"}}));
}

TEST(Csv, CommentsAreLeftOutWhereThereMayBeSome) {
  const std::string text = "# a, \"note\n  # more\r\na,#b\n";
  EXPECT_EQ(texts(text, {.has_comments = true}), (Rows{{"a", "#b"}}));
  EXPECT_EQ(texts("#a\n"), Rows{{"#a"}});
  EXPECT_TRUE(texts("# without an end", {.has_comments = true}).empty());
}

TEST(Csv, CellsKnowWhereTheyBegin) {
  const auto rows = csv_rows("#\na,\"b\nc\",d\ne\n", "t.csv", {.has_comments = true}).value();
  EXPECT_EQ((std::pair{rows[0][1].line, rows[0][1].column}), (std::pair{2u, 3u}));
  EXPECT_EQ((std::pair{rows[0][2].line, rows[0][2].column}), (std::pair{3u, 4u}));
  EXPECT_EQ((std::pair{rows[1][0].line, rows[1][0].column}), (std::pair{4u, 1u}));
}

TEST(Csv, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(refused("a\n1,\"2\n3\n"), "t.csv:2:3: a quote is not closed");
  EXPECT_EQ(refused("a\n\"1\"x\n"), "t.csv:2:4: text after a closing quote");
  EXPECT_EQ(refused(std::string_view("a\0b", 3)), "t.csv:1:4: a NUL byte: this is no text");
}

TEST(Csv, AHostileTableCostsLittle) {
  EXPECT_EQ(refused("a,b,c\n", {.most_columns = 2}), "t.csv:1:5: there are too many columns");
  EXPECT_EQ(refused("abc\n", {.longest_cell = 2}), "t.csv:1:4: the cell is too long");
  EXPECT_EQ(refused("\"abc\"\n", {.longest_cell = 2}), "t.csv:1:1: a quote is not closed");
}

}  // namespace
}  // namespace prengdl
