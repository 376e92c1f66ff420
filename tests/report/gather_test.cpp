// SPDX-License-Identifier: Apache-2.0
//
// What is read of a result besides the runs, and what is joined with them.
#include "report/gather.h"

#include <gtest/gtest.h>

#include "analysis/costs_study.h"
#include "fake_host.h"
#include "report/formats.h"

namespace prengdl {
namespace {

std::string why_refused(FakeHost& host, const std::string& text) {
  host.write("published.csv", text);
  try {
    read_published((host.root() / "published.csv").string(), costs_study());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool is_in(const std::string& part, const std::string& text) {
  return text.find(part) != std::string::npos;
}

TEST(Published, ValuesNameTheirCellMeasureAndLine) {
  FakeHost host;
  host.write("published.csv",
             "framework,measure,value\n\"pytorch\",metered,12.5\n\npytorch,seconds,3\n");
  const auto values = read_published((host.root() / "published.csv").string(), costs_study());
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].cell, (CellPattern{{"framework", "pytorch"}}));
  EXPECT_EQ(values[0].measure, "metered");
  EXPECT_EQ(values[0].value, 12.5);
  EXPECT_EQ(values[1].line, 4u);
}

TEST(Published, ErrorsNameTheLine) {
  FakeHost host;
  EXPECT_TRUE(is_in(":1 has no column 'value'", why_refused(host, "framework,measure\n")));
  EXPECT_TRUE(
      is_in(":2: 'much' is not a number", why_refused(host, "measure,value\nmetered,much\n")));
  EXPECT_TRUE(is_in("'colour' is neither a factor",
                    why_refused(host, "colour,measure,value\nred,metered,1\n")));
  EXPECT_TRUE(
      is_in(":2: a quote is not closed", why_refused(host, "measure,value\n\"metered,1\n")));
}

TEST(MeasuredJoules, AreTheMeanOfCountedRunsThatWereAllMeasured) {
  ResultStudy result;
  result.study = costs_study();
  const Cell cell{"train", "ncf", "pytorch"};
  add_runs(result.runs, cell, {10, 20});
  StoredRun repeat = costs_run(cell, 1, 40);
  repeat.id = "repeat";
  repeat.attempt = 1;
  result.runs.push_back(repeat);
  EXPECT_EQ(measured_joules(result, cell)->value, 25) << "the repeat stands for its place";
  result.runs[0].run.energy.metered->quality = Quality::model;
  EXPECT_FALSE(measured_joules(result, cell));
  EXPECT_FALSE(measured_joules(result, {"infer", "ncf", "pytorch"}));
}

TEST(ShortenNames, ChangesTextsAndAddsATableOfFullNames) {
  const std::string full(200, 'x');
  Report report;
  report.parts.push_back({"method", "Method", {}});
  report.parts[0].say("The level " + full + " costs less.");
  Report for_people = report;
  shorten_names(for_people, ShownNames::of_long({full}));
  EXPECT_FALSE(is_in(full, std::get<Paragraph>(for_people.parts[0].blocks[0]).text));
  EXPECT_EQ(std::get<Table>(for_people.parts[0].blocks[1]).id, "long-names");
  EXPECT_TRUE(is_in(full, report_json(report)));
  EXPECT_TRUE(is_in(full, report_markdown(for_people))) << "once, in the table";
}

}  // namespace
}  // namespace prengdl
