// SPDX-License-Identifier: Apache-2.0
#include "tables/latex_float.h"

#include <gtest/gtest.h>

#include "tables/cells.h"

namespace prengdl {
namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

bool has(const std::string& text, const std::string& what) { return occurrences(text, what) > 0; }

Table small() {
  Table table;
  table.title = "Costs & time";
  table.columns = {text_column("case", "case"), number_column("energy", "package energy", "J")};
  table.columns.back().unit = "kJ";
  table.add({text_cell("ncf"), {"1.5", 1500, true}});
  table.add({text_cell("ncf"), {"2.5", 2500}});
  table.add({text_cell("a_b"), {"9.0", 9000}});
  return table;
}

TEST(TableFloat, TakesOneColumnIfThatIsEnough) {
  const std::string text = table_float(small(), "tab:x");
  EXPECT_TRUE(has(text, "\\begin{table}[tp]"));
  EXPECT_TRUE(has(text, "\\caption{Costs \\& time}\\label{tab:x}"));
  EXPECT_TRUE(has(text, "\\textbf{1.5}"));
  EXPECT_TRUE(has(text, "a\\_b & 9.0"));
}

TEST(TableFloat, TakesBothColumnsIfItsTextsNeedThem) {
  Table table = small();
  for (const char* key : {"p", "q", "r", "s", "t"}) {
    table.columns.push_back(number_column(key, key));
    for (auto& row : table.rows) row.push_back({std::string(12, '7'), 7});
  }
  EXPECT_TRUE(has(table_float(table, "tab:x"), "\\begin{table*}"));
}

TEST(TableFloat, NeverExceedsItsLine) {
  const std::string text = table_float(small(), "tab:x");
  EXPECT_TRUE(has(text, "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}"));
  Table table = small();
  table.columns.push_back(text_column("why", "why"));
  for (auto& row : table.rows) row.push_back(text_cell(std::string(90, 'x') + " and more words"));
  const std::string broken = table_float(table, "tab:x");
  EXPECT_TRUE(has(broken, "\\linewidth}@{}}")) << "a share of the line, not a length";
  EXPECT_TRUE(has(broken, "xxx\\hspace{0pt}xxx")) << "a word that is too long may be broken";
}

TEST(TableFloat, NamesAGroupOfRowsOnce) {
  const std::string text = table_float(small(), "tab:x");
  EXPECT_EQ(occurrences(text, "ncf"), 1u);
  EXPECT_EQ(occurrences(text, "\\addlinespace"), 1u);
}

TEST(TableFloat, BreaksAHeadingThatIsWiderThanItsColumn) {
  const std::string text = table_float(small(), "tab:x");
  EXPECT_TRUE(has(text, " & package \\\\\ncase & energy {[}kJ{]} \\\\\n")) << text;
}

TEST(TableFloat, GoesOnInAnotherFloatUnderTheSameNumber) {
  Table table = small();
  for (int i = 0; i < 100; ++i) table.add({text_cell("case " + std::to_string(i)), {"1", 1}});
  table.note = "A note.";
  const std::string text = table_float(table, "tab:x");
  EXPECT_EQ(occurrences(text, "\\begin{table}"), 3u);
  EXPECT_EQ(occurrences(text, "\\label{tab:x}"), 1u);
  EXPECT_EQ(occurrences(text, "\\addtocounter{table}{-1}"), 2u);
  EXPECT_EQ(occurrences(text, "A note."), 1u);
}

}  // namespace
}  // namespace prengdl
