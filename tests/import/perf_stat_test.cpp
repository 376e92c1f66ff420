// SPDX-License-Identifier: Apache-2.0
#include "import/perf_stat.h"

#include <gtest/gtest.h>

#include "fake_host.h"
#include "import/fixtures.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

std::vector<PerfStat> parsed(const std::string& text) {
  return parse_perf_stat({"perf.txt", text});
}

std::string refused(const std::string& text) {
  return refusal([&] { parsed(text); });
}

const std::string plain = R"(# started on Mon Mar  1 12:00:00 2021


 Performance counter stats for 'system wide':

      1,234,567.89 Joules power/energy-pkg/
         25,541.41 Joules power/energy-ram/
                 0      context-switches          #    0.000 /sec

    2575.763113276 seconds time elapsed

      12.500000000 seconds user
       0.250000000 seconds sys

)";

TEST(PerfStat, ReadsJoulesWithThousandsSeparators) {
  const auto stats = parsed(plain);
  ASSERT_EQ(stats.size(), 1u);
  ASSERT_EQ(stats[0].energies.size(), 2u);
  EXPECT_EQ(stats[0].energies[0].domain, "package");
  EXPECT_DOUBLE_EQ(*stats[0].energies[0].joules, 1234567.89);
  EXPECT_EQ(stats[0].energies[1].domain, "dram");
  EXPECT_DOUBLE_EQ(*stats[0].energies[1].joules, 25541.41);
  EXPECT_DOUBLE_EQ(*stats[0].seconds, 2575.763113276);
  EXPECT_DOUBLE_EQ(*stats[0].user_seconds, 12.5);
  EXPECT_DOUBLE_EQ(*stats[0].system_seconds, 0.25);
  EXPECT_EQ(stats[0].command, "system wide");
  EXPECT_FALSE(stats[0].is_mean);
}

TEST(PerfStat, WhatWasNotCountedIsMissingAndNotZero) {
  for (const auto* word : {"<not counted>", "<not supported>"}) {
    const auto stats = parsed(std::string(" Performance counter stats for 'x':\n\n     ") + word +
                              " Joules power/energy-ram/\n  1.5 seconds time elapsed\n");
    ASSERT_EQ(stats[0].energies.size(), 1u);
    EXPECT_FALSE(stats[0].energies[0].joules);
  }
}

TEST(PerfStat, TheDecimalSignMayBeAComma) {
  const auto stats = parsed(
      " Performance counter stats for 'x':\n 1.234.567,89 Joules power/energy-pkg/\n"
      " 12,50 Joules power/energy-ram/\n 5632,912895624 seconds time elapsed\n");
  EXPECT_DOUBLE_EQ(*stats[0].energies[0].joules, 1234567.89);
  EXPECT_DOUBLE_EQ(*stats[0].energies[1].joules, 12.5);
  EXPECT_DOUBLE_EQ(*stats[0].seconds, 5632.912895624);
}

TEST(PerfStat, RepeatsAreOneMeanAndSaySo) {
  const auto stats = parsed(
      " Performance counter stats for './a.out' (5 runs):\n\n"
      "   12.34 Joules power/energy-pkg/      ( +-  0.12% )\n\n"
      "   1.0014693 +- 0.0000648 seconds time elapsed  ( +-  4.41% )\n");
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_TRUE(stats[0].is_mean);
  EXPECT_EQ(stats[0].repeats, 5);
  EXPECT_DOUBLE_EQ(*stats[0].energies[0].joules, 12.34);
  EXPECT_DOUBLE_EQ(*stats[0].seconds, 1.0014693);
  ImportedRun run;
  add_perf_stat(run, stats[0], "perf.txt");
  EXPECT_EQ(run.stored.run.flags, Flags{Flag::mean_of_runs});
}

TEST(PerfStat, SocketsAreAddedUp) {
  FakeHost host;
  host.write("a_1.txt",
             " Performance counter stats for 'system wide':\n\n"
             "S0        1              10.00 Joules power/energy-pkg/\n"
             "S1        1              20.50 Joules power/energy-pkg/\n\n"
             "  2.0 seconds time elapsed\n");
  const auto imported = import_perf_stat({host.root()}, {});
  ASSERT_EQ(imported.runs.size(), 1u);
  EXPECT_DOUBLE_EQ(joules_in(imported.runs[0].stored.run.energy, "package"), 30.5);
  EXPECT_DOUBLE_EQ(imported.runs[0].stored.run.energy.metered->value.value, 30.5);
}

TEST(PerfStat, ReadsCsvWithTheDurationEvent) {
  const auto stats = parsed(
      "# started on Mon Mar  1 12:00:00 2021\n\n"
      "12.34,Joules,power/energy-pkg/,1001234567,100.00,,\n"
      "<not counted>,Joules,power/energy-ram/,0,100.00,,\n"
      "1500000000,ns,duration_time,1500000000,100.00,,\n"
      "250000000,ns,user_time,250000000,100.00,,\n");
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_DOUBLE_EQ(*stats[0].energies[0].joules, 12.34);
  EXPECT_FALSE(stats[0].energies[1].joules);
  EXPECT_DOUBLE_EQ(*stats[0].seconds, 1.5);
  EXPECT_DOUBLE_EQ(*stats[0].user_seconds, 0.25);
}

TEST(PerfStat, CsvOfRepeatsIsAMean) {
  EXPECT_TRUE(parsed("12.3,Joules,power/energy-pkg/,0.12%,1001,100.00,,\n")[0].is_mean);
}

TEST(PerfStat, AppendedOutputsAreRunsOfTheirOwn) {
  EXPECT_EQ(parsed(plain + plain).size(), 2u);
  const std::string csv =
      "# started on Mon\n\n1.5,Joules,power/energy-pkg/,1,100.00,,\n5,ns,duration_time,5,100,,\n";
  EXPECT_EQ(parsed(csv + csv).size(), 2u);
}

TEST(PerfStat, TheProgramsOwnWordsBeforeItDoNotMatter) {
  EXPECT_EQ(parsed("warning: something, else, here\n" + plain).size(), 1u);
}

TEST(PerfStat, ErrorsNameLineAndColumn) {
  EXPECT_EQ(refused(" Performance counter stats for 'x':\n\n   12x.4 Joules power/energy-pkg/\n"),
            "perf.txt:3:4: '12x.4' is not a number");
  EXPECT_NE(refused("hello\n").find("perf.txt:1:1: this is not output of perf stat"),
            std::string::npos);
  EXPECT_NE(refused("").find("this is not output of perf stat"), std::string::npos);
  EXPECT_NE(refused(" Performance counter stats for 'x':\n 1.0 seconds time elapsed\n 2.0 seconds "
                    "time elapsed\n")
                .find("perf.txt:3:1: this figure is there twice"),
            std::string::npos);
  EXPECT_NE(refused(" Performance counter stats for 'x':\n power/energy-pkg/\n")
                .find("perf.txt:2:2: no number of Joules"),
            std::string::npos);
  EXPECT_NE(refused(std::string("a\0b,c,d\n", 8)).find("perf.txt:1:2: a NUL byte"),
            std::string::npos);
}

TEST(PerfStat, IntervalsAreRefused) {
  EXPECT_NE(refused("#           time             counts unit events\n").find("perf stat -I"),
            std::string::npos);
  EXPECT_NE(refused("1.000123,12.3,Joules,power/energy-pkg/,1,100.00\n").find("perf stat -I"),
            std::string::npos);
}

TEST(PerfStat, WithoutATimeARunIsRefused) {
  FakeHost host;
  host.write("a.csv", "12.34,Joules,power/energy-pkg/,1001234567,100.00,,");
  const auto what = refusal([&] { import_perf_stat({host.root()}, {}); });
  EXPECT_NE(what.find("a.csv:1:1: perf stat does not state how long this took"), std::string::npos);
  EXPECT_NE(what.find("duration_time"), std::string::npos);
}

TEST(PrintedNumber, KnowsSeparatorsFromDecimals) {
  EXPECT_EQ(printed_number("1,234"), 1234);
  EXPECT_EQ(printed_number("12,34"), 12.34);
  EXPECT_EQ(printed_number("1,234.5"), 1234.5);
  EXPECT_EQ(printed_number("1.234.567"), 1234567);
  EXPECT_EQ(printed_number("1.234"), 1.234);
  EXPECT_EQ(printed_number("-0.5"), -0.5);
  EXPECT_EQ(printed_number("1,23,456.7"), std::nullopt);
  EXPECT_EQ(printed_number("1,234,5"), std::nullopt);
  EXPECT_EQ(printed_number(""), std::nullopt);
  EXPECT_EQ(printed_number(","), std::nullopt);
  EXPECT_EQ(printed_number("nan"), std::nullopt);
  EXPECT_EQ(printed_number("1e999"), std::nullopt);
}

}  // namespace
}  // namespace prengdl
