// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "print/words.h"
#include "report/formats.h"
#include "report/latex_plot.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

TEST(Cells, HaveFourDigitsAndNoExponentWhereThatIsShort) {
  EXPECT_EQ(significant(418413.2), "418413");
  EXPECT_EQ(significant(0.012345), "0.01235");
  EXPECT_EQ(significant(2.5), "2.500");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(1.5e-9), "1.500e-09");
}

Table energies() {
  Table table;
  table.id = "energies";
  table.title = "energies";
  table.columns = {text_column("unit", "unit"), number_column("energy", "energy", "J")};
  for (const double joules : {418400.0, 1203000.0, 274100.0})
    table.rows.push_back({text_cell("x"), scaled_cell(joules)});
  table.rows.push_back({text_cell("none"), scaled_cell(std::nullopt)});
  return table;
}

TEST(Cells, ShareOnePrefixInAColumn) {
  Table table = energies();
  scale_columns(table);
  EXPECT_EQ(table.columns[1].unit, "kJ");
  EXPECT_EQ(table.rows[0][1].text, "418.4");
  EXPECT_EQ(table.rows[1][1].text, "1203");
  EXPECT_EQ(table.rows[1][1].number, 1203000.0) << "numbers stay in SI cases";
  EXPECT_EQ(table.rows[3][1].text, "") << "missing is missing";
}

TEST(Cells, DoNotMeasureTimeInKiloseconds) {
  Table table = energies();
  table.columns[1].unit = "s";
  scale_columns(table);
  EXPECT_EQ(table.columns[1].unit, "s");
}

TEST(Cells, AColumnWhoseNumbersWaitForTheirPrefixIsNotEmpty) {
  Table table = energies();
  const std::string key = table.columns[1].key;
  for (auto& row : table.rows) row[1].text.clear();
  EXPECT_FALSE(drop_if_empty(table, key));
  for (auto& row : table.rows) row[1].number.reset();
  EXPECT_TRUE(drop_if_empty(table, key));
  EXPECT_THROW((void)table.column(key), Error);
}

TEST(ReportModel, LeavesOutTablesWithoutRows) {
  Part part;
  part.add(Table{});
  EXPECT_TRUE(part.blocks.empty());
}

TEST(ReportModel, APValueNeverLooksAsIfItWereAlpha) {
  EXPECT_EQ(p_text(0.0312), "0.031");
  EXPECT_EQ(p_text(0.0498), "0.0498");
  EXPECT_EQ(p_text(0.04999), "0.04999");
  EXPECT_EQ(p_text(0.0502), "0.0502");
  EXPECT_EQ(p_text(0.05), "0.05");
  EXPECT_EQ(p_text(0.00001), "< 0.0001");
}

TEST(ReportModel, RefusesAColumnThatIsNotThere) {
  EXPECT_THROW((void)energies().column("watts"), Error);
}

TEST(ReportModel, ShowsTheSameNumberInEveryFormat) {
  Report report;
  Part part{"costs", "costs", {}};
  part.add(energies());
  report.parts.push_back(part);
  EXPECT_NE(report_html(report).find("data-v=\"1203000\">1203<"), std::string::npos);
  EXPECT_NE(report_latex(report).find("& 1203 \\\\"), std::string::npos);
  EXPECT_NE(report_markdown(report).find("| 1203 |"), std::string::npos);
  EXPECT_NE(report_csv(report).find("costs,energies,2,energy,1203,kJ,1203000,"), std::string::npos);
  EXPECT_NE(report_json(report).find("{\"text\":\"1203\",\"value\":1203000.0}"), std::string::npos);
}

Chart order_of_runs() {
  Chart chart;
  chart.kind = ChartKind::order;
  chart.roles = {{"colour", "level"}};
  Table table;
  table.columns = {text_column("level", "level")};
  for (const char* level : {"/home/alice/b.py", "/home/alice/a.py", "/home/alice/b.py"})
    table.rows.push_back({text_cell(level)});
  chart.tables.push_back(std::move(table));
  return chart;
}

TEST(ReportModel, ALevelHasItsColourWhateverComesFirst) {
  Chart chart = order_of_runs();
  EXPECT_EQ(pgf::Rows(chart).distinct("colour").front(), "/home/alice/b.py");
  chart.coloured = {"/home/alice/a.py", "/home/alice/b.py", "/home/alice/c.py"};
  EXPECT_EQ(pgf::Rows(chart).distinct("colour"),
            (std::vector<std::string>{"/home/alice/a.py", "/home/alice/b.py"}));
}

TEST(ReportAnonymous, CleansWhatColoursStandFor) {
  Chart chart = order_of_runs();
  chart.coloured = {"/home/alice/a.py"};
  Part part{"part", "part", {}};
  part.add(chart);
  Report report;
  report.parts.push_back(part);
  make_anonymous(report, {"alice"});
  EXPECT_EQ(std::get<Chart>(report.parts[0].blocks[0]).coloured.front(), "a.py");
}

Report with_text(const std::string& text) {
  Report report;
  Part part{"part", "part", {}};
  part.say(text);
  report.parts.push_back(part);
  return report;
}

std::string anonymous(const std::string& text) {
  Report report = with_text(text);
  make_anonymous(report, {"node17", "alice"});
  return std::get<Paragraph>(report.parts[0].blocks[0]).text;
}

TEST(ReportAnonymous, KeepsOnlyTheLastPartOfAPath) {
  EXPECT_EQ(anonymous("python3 /home/alice/code/train.py --lr 1"), "python3 train.py --lr 1");
  EXPECT_EQ(anonymous("see ~/secret/x."), "see x.");
  EXPECT_EQ(anonymous("pytorch / tensorflow and 3 J/sample"),
            "pytorch / tensorflow and 3 J/sample");
}

TEST(ReportAnonymous, TellsDifferentPathsApart) {
  EXPECT_EQ(anonymous("/a/b/x.py against /a/c/x.py and /a/b/x.py"),
            "x.py against x.py (2) and x.py");
}

TEST(ReportAnonymous, LeavesOutNamesAndIdentifiers) {
  EXPECT_EQ(anonymous("on node17 by alice, not node175"),
            "on (left out) by (left out), not node175");
  EXPECT_EQ(anonymous("GPU-8f2e3a4b-1111-2222-3333-444455556666"), "GPU-(left out)");
}

}  // namespace
}  // namespace prengdl
