// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake_host.h"
#include "import/fixtures.h"
#include "import/foreign.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

struct CsvDesign : ::testing::Test {
  FakeHost host;
  ImportOptions options;

  Imported import(const std::string& map, const std::string& text) {
    options.map = {"seconds=s,factor:f=f," + map};
    host.write("t.csv", text);
    return import_csv({host.root() / "t.csv"}, options);
  }
  std::string refused(const std::string& map, const std::string& text) {
    return refusal([&] { import(map, text); });
  }
};

std::vector<std::size_t> blocks_of(const Imported& imported) {
  std::vector<std::size_t> blocks;
  for (const auto& run : imported.runs) blocks.push_back(run.stored.block);
  return blocks;
}

std::vector<std::string> levels_of(const Imported& imported) {
  std::vector<std::string> levels;
  for (const auto& run : imported.runs) levels.push_back(run.levels.at("f"));
  return levels;
}

TEST_F(CsvDesign, BlocksKeepTheirNumbers) {
  const auto imported = import("block=b", "f,s,b\na,1,7\nb,2,7\na,1,3\nb,2,3\n");
  EXPECT_EQ(blocks_of(imported), (std::vector<std::size_t>{7, 7, 3, 3}));
  EXPECT_EQ(imported.blocks, 2u);
}

TEST_F(CsvDesign, NamedBlocksAreNumberedAsTheyAppear) {
  const auto imported = import("block=b", "f,s,b\na,1,tue\nb,2,2\na,1,2\nb,2,tue\n");
  EXPECT_EQ(blocks_of(imported), (std::vector<std::size_t>{0, 1, 1, 0}));
  EXPECT_EQ(imported.blocks, 2u);
}

TEST_F(CsvDesign, AnEmptyColumnGivesNoBlocks) {
  auto imported = import("block=b", "f,s,b\na,1,\nb,2,\n");
  EXPECT_EQ(imported.blocks, 0u);
  EXPECT_EQ(study_of(imported, "csv", options).blocks, 0u);
}

TEST_F(CsvDesign, TheResultHasTheBlocks) {
  auto imported = import("block=b", "f,s,b\na,1,1\nb,2,1\na,1,2\nb,2,2\n");
  EXPECT_EQ(study_of(imported, "csv", options).blocks, 2u);
}

TEST_F(CsvDesign, ARowWithoutItsBlockIsRefused) {
  EXPECT_NE(
      refused("block=b", "f,s,b\na,1,1\nb,2,\n").find("t.csv:3:5: this row has no block, but"),
      std::string::npos);
}

TEST_F(CsvDesign, ABlockHoldsACellOncePerMachine) {
  const std::string text = "f,s,b,m\na,1,1,x\nb,2,1,x\na,3,1,y\nb,4,1,y\n";
  const auto imported = import("block=b,machine=m", text);
  EXPECT_EQ(imported.runs[2].stored.machine, "y");
  ASSERT_EQ(imported.machines.size(), 2u);
  EXPECT_EQ(imported.machines[0].fingerprint, "x");
  EXPECT_EQ(imported.machines[0].facts.system.hostname, "x");
  const auto error = refused("block=b", text);
  EXPECT_NE(error.find("t.csv:4:5: block '1' holds f=a twice: here and in "), std::string::npos)
      << error;
  EXPECT_NE(error.find("t.csv:2 |"), std::string::npos) << error;
}

TEST_F(CsvDesign, AFailedAttemptMayBeRepeated) {
  const auto imported = import("block=b,exit_code=e", "f,s,b,e\na,1,1,1\na,3,1,0\nb,2,1,0\n");
  EXPECT_EQ(imported.runs[0].stored.attempt, 0u);
  EXPECT_EQ(imported.runs[1].stored.attempt, 1u);
  EXPECT_EQ(imported.runs[2].stored.attempt, 0u);
}

TEST_F(CsvDesign, RunsStandInTheOrderOfTime) {
  const auto imported = import("started_at=t",
                               "f,s,t\n"
                               "a,1,2026-01-01T12:00:00+02:00\n"
                               "b,1,2026-01-01 09:00:00.5Z\n"
                               "c,1,1767261600.25\n");
  EXPECT_EQ(levels_of(imported), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_TRUE(imported.is_in_order_of_time);
  EXPECT_EQ(imported.runs[0].stored.run.started_at, "2026-01-01T09:00:00.500Z");
  EXPECT_EQ(imported.runs[1].stored.run.started_at, "2026-01-01T10:00:00.000Z");
  EXPECT_EQ(imported.runs[2].stored.run.started_at, "2026-01-01T10:00:00.250Z");
  EXPECT_EQ(imported.runs[2].stored.run.begin_ns, 1767261600'250'000'000);
}

TEST_F(CsvDesign, WholeSecondsDoNotSayWhenAWindowBegan) {
  const auto imported =
      import("started_at=t", "f,s,t\nb,1,2026-01-01 09:00:01\na,1,2026-01-01 09:00\n");
  EXPECT_EQ(levels_of(imported), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(imported.runs[0].stored.run.started_at, "2026-01-01T09:00:00");
  EXPECT_EQ(imported.runs[0].stored.run.begin_ns, 0);
}

TEST_F(CsvDesign, WithAStartMissingTheRowsGiveTheOrder) {
  const auto imported = import("started_at=t", "f,s,t\na,1,20\nb,1,\nc,1,10\n");
  EXPECT_EQ(levels_of(imported), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(imported.is_in_order_of_time);
  EXPECT_EQ(imported.runs[1].stored.run.started_at, "");
}

TEST_F(CsvDesign, StartTimesMustBeUnderstood) {
  EXPECT_NE(refused("started_at=t", "f,s,t\na,1,yesterday\n")
                .find("t.csv:2:5: 'yesterday' is not a start time"),
            std::string::npos);
  EXPECT_NE(refused("started_at=t", "f,s,t\na,1,2026-01-01 09:00:01\nb,1,2026-01-01T09:00:01Z\n")
                .find("t.csv:3:5: the start time has a time zone, unlike that in line 2"),
            std::string::npos);
}

TEST_F(CsvDesign, FlagsAreWords) {
  const auto imported = import("flags=g",
                               "f;s;g\na;1;disturbed short\nb;1;\"throttled;disturbed\"\n"
                               "c;1;\nd;1;short, profiled\ne;1;timeout\n");
  EXPECT_EQ(imported.runs[0].stored.run.flags, (Flags{Flag::disturbed, Flag::short_run}));
  EXPECT_EQ(imported.runs[1].stored.run.flags, (Flags{Flag::disturbed, Flag::throttled}));
  EXPECT_TRUE(imported.runs[2].stored.run.flags.empty());
  EXPECT_TRUE(imported.runs[3].stored.is_warmup) << "a profiled run does not count";
  EXPECT_EQ(imported.runs[4].stored.outcome, Outcome::timeout);
  const auto error = refused("flags=g", "f,s,g\na,1,short\nb,1,shrt\n");
  EXPECT_NE(error.find("t.csv:3:5: row 2: there is no flag 'shrt' | known: short, "),
            std::string::npos)
      << error;
}

TEST(Moments, AreReadInManyForms) {
  constexpr std::int64_t expected = 1767261600'000'000'000;
  for (const char* text :
       {"2026-01-01T10:00:00Z", "2026-01-01 10:00:00+00:00", "2026-01-01T12:00:00+0200",
        "2026-01-01T11:00:00 +01", "2026-01-01T04:30-05:30", "1767261600", "1767261600.0"}) {
    const auto moment = parse_moment(text);
    ASSERT_TRUE(moment) << text;
    EXPECT_EQ(moment->at_ns, expected) << text;
    EXPECT_TRUE(moment->has_zone) << text;
  }
  const auto local = parse_moment("2026-01-01T10:00:00.000000001");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->at_ns, expected + 1);
  EXPECT_FALSE(local->has_zone);
}

TEST(Moments, NonsenseIsNoMoment) {
  for (const char* text :
       {"", "soon", "2026-01-01", "2026-13-01T10:00:00Z", "2026-01-01T25:00:00Z", "-1", "inf",
        "1767261600000", "2026-01-01T10:00:00Zulu", "2026-01-01T10:00:00+25:00",
        "2026-01-01T10:00:00+1", "2026-01-01T10:00:00+01:0", "2026-01-01T10:00:00+01:00x"})
    EXPECT_FALSE(parse_moment(text)) << text;
}

}  // namespace
}  // namespace prengdl
