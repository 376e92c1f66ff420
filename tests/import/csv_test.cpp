// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake_host.h"
#include "import/csv_table.h"
#include "import/fixtures.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

CsvTable table(const std::string& text) { return {{"t.csv", text}, ','}; }

std::string refused(const std::string& text) {
  return refusal([&] { table(text); });
}

TEST(CsvTable, CellsMayBeQuoted) {
  const auto found = table("a, \"b \"\"c\"\"\" ,d\r\n1,\"x, y\nz\", 3 \r\n\r\n4,5,6");
  EXPECT_EQ(found.names(), (std::vector<std::string>{"a", "b \"c\"", "d"}));
  ASSERT_EQ(found.rows(), 2u);
  EXPECT_EQ(found.cell(0, 1), "x, y\nz");
  EXPECT_EQ(found.number(0, 2), 3);
  EXPECT_EQ(found.cell(1, 2), "6");
}

TEST(CsvTable, MissingIsMissing) {
  const auto found = table("a,b,c,d\n,N/A,nan,[Not Supported]\n");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(found.number(0, i)) << i;
}

TEST(CsvTable, ErrorsNameLineAndColumn) {
  EXPECT_EQ(refused("a,b\n1,2\n1,\"2\n3\n"), "t.csv:3:3: a quote is not closed | close it with \"");
  EXPECT_NE(refused("a,b\n1\n").find("t.csv:2:1: 1 cells, but the first line names 2"),
            std::string::npos);
  EXPECT_NE(refused("a,b\n1,2,3\n").find("t.csv:2:5: more cells"), std::string::npos);
  EXPECT_NE(refused("a,b,a\n").find("t.csv:1:5: the column 'a' appears twice"), std::string::npos);
  EXPECT_NE(refused("a\n\"1\"x\n").find("t.csv:2:4: text after a closing quote"),
            std::string::npos);
  const auto found = table("a,b\n1,\"two\nlines\"\n3,four\n");
  EXPECT_EQ(refusal([&] { (void)found.number(1, 1); }), "t.csv:4:3: 'four' is not a number");
}

TEST(CsvTable, AnEmptyTextHasNoRows) {
  EXPECT_EQ(table("").rows(), 0u);
  EXPECT_EQ(table("a,b\n").rows(), 0u);
}

struct TidyCsv : ::testing::Test {
  FakeHost host;
  ImportOptions options;

  Imported import(const std::string& text) {
    host.write("t.csv", text);
    return import_csv({host.root() / "t.csv"}, options);
  }
};

TEST_F(TidyCsv, ColumnsBecomeWhatTheMapSays) {
  options.map = {"milliseconds=Time,kilowatt_hours_package=Pkg", "watts_gpu=G,factor:framework=Fw",
                 "metric:accuracy=Acc,work:samples=N,exit_code=Code"};
  options.quality = Quality::wall;
  const auto imported =
      import("Fw;Time;Pkg;G;Acc;N;Code;Other\nA;2000;0.001;50;0.9;100;0;x\nB;1000;;50;;100;1;y\n");
  EXPECT_EQ(imported.factors, std::vector<std::string>{"framework"});
  ASSERT_EQ(imported.runs.size(), 2u);
  const auto& run = imported.runs[0].stored.run;
  EXPECT_DOUBLE_EQ(run.wall.count(), 2);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "package"), 3600);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "gpu"), 100);
  EXPECT_DOUBLE_EQ(run.energy.metered->value.value, 3700);
  EXPECT_EQ(run.energy.metered->quality, Quality::wall);
  ASSERT_EQ(run.metrics.size(), 1u);
  EXPECT_DOUBLE_EQ(run.metrics[0].value, 0.9);
  ASSERT_EQ(run.work.size(), 1u);
  EXPECT_EQ(run.exit_code, 0);
  const auto& other = imported.runs[1].stored.run;
  EXPECT_FALSE(other.energy.domains.contains("package"));
  EXPECT_FALSE(other.energy.metered) << "a sum with a hole looks like a saving";
  EXPECT_TRUE(other.metrics.empty());
  EXPECT_EQ(imported.runs[1].stored.outcome, Outcome::failed);
}

TEST_F(TidyCsv, ARowWithoutATimeIsLeftOut) {
  options.map = {"seconds=s,factor:f=f"};
  const auto imported = import("f,s\na,1\nb,\n");
  EXPECT_EQ(imported.runs.size(), 1u);
  ASSERT_EQ(imported.left_out.size(), 1u);
  EXPECT_EQ(imported.left_out[0].file, "t.csv row 2");
}

TEST_F(TidyCsv, WrongMapsAreExplained) {
  const auto refused = [&](const std::string& map) {
    options.map = {map};
    return refusal([&] { import("f,s,j\na,1,2\n"); });
  };
  EXPECT_NE(refused("factor:f=f").find("which column is the time"), std::string::npos);
  EXPECT_NE(refused("seconds=s").find("names no factor"), std::string::npos);
  EXPECT_NE(refused("seconds=s,factor:f=F").find("has no column 'F' | did you mean 'f'?"),
            std::string::npos);
  EXPECT_NE(refused("second=s").find("nothing is called second"), std::string::npos);
  EXPECT_NE(refused("seconds").find("not KEY=COLUMN"), std::string::npos);
  EXPECT_NE(refused("seconds=s,factor:block=f").find("cannot be called 'block'"),
            std::string::npos);
  EXPECT_NE(refused("seconds=s,milliseconds=j,factor:f=f").find("mapped twice"), std::string::npos);
  EXPECT_NE(refused("seconds=s,joules_gpu=j,factor:f=f").find("--quality"), std::string::npos);
}

TEST_F(TidyCsv, WrongCellsAreNamed) {
  options.map = {"seconds=s,factor:f=f"};
  EXPECT_NE(refusal([&] { import("f,s\na,-1\n"); }).find("t.csv:2:3: a run cannot take this time"),
            std::string::npos);
  EXPECT_NE(refusal([&] { import("f,s\na,soon\n"); }).find("t.csv:2:3: 'soon' is not a number"),
            std::string::npos);
  EXPECT_NE(refusal([&] { import("f,s\n,1\n"); }).find("t.csv:2:1: a level must not be empty"),
            std::string::npos);
}

}  // namespace
}  // namespace prengdl
