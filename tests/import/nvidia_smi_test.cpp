// SPDX-License-Identifier: Apache-2.0
#include "import/nvidia_smi.h"

#include <gtest/gtest.h>

#include "fake_host.h"
#include "import/fixtures.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

SmiLog parsed(const std::string& text) { return parse_nvidia_smi({"smi.csv", text}); }

std::string refused(const std::string& text) {
  return refusal([&] { parsed(text); });
}

const std::string names =
    "timestamp, power.draw [W], temperature.gpu, memory.used [MiB], utilization.gpu [%], "
    "utilization.memory [%]\n";

TEST(NvidiaSmi, LinesOfWattsHaveNoTime) {
  const auto log = parsed("5.24 W\n6.10 W\n[N/A]\n");
  EXPECT_FALSE(log.has_stamps);
  ASSERT_EQ(log.columns.size(), 1u);
  ASSERT_EQ(log.columns[0].readings.size(), 3u);
  EXPECT_EQ(log.columns[0].readings[0].raw, 5240u);
  EXPECT_EQ(log.columns[0].readings[1].raw, 6100u);
  EXPECT_EQ(log.columns[0].readings[2].status, ReadStatus::not_a_number);
  EXPECT_EQ(log.columns[0].meter.domain, "gpu");
  EXPECT_EQ(log.columns[0].meter.quality, Quality::sensor);
}

TEST(NvidiaSmi, ChannelsComeInSiUnits) {
  const auto log = parsed(names +
                          "2023/05/08 01:48:12.942, 36.90 W, 33, 8 MiB, 39 %, 2 %\n"
                          "2023/05/08 01:48:13.948, 40.00 W, 32, 9 MiB, 0 %, 0 %\n");
  EXPECT_TRUE(log.has_stamps);
  ASSERT_EQ(log.columns.size(), 5u);
  const auto value = [&](std::size_t column) {
    return static_cast<double>(log.columns[column].readings[0].raw) *
           log.columns[column].meter.step;
  };
  EXPECT_DOUBLE_EQ(value(0), 36.9);
  EXPECT_EQ(log.columns[1].meter.domain, "gpu_temperature");
  EXPECT_DOUBLE_EQ(value(1), 33);
  EXPECT_EQ(log.columns[2].meter.domain, "gpu_memory_used");
  EXPECT_DOUBLE_EQ(value(2), 8 * 1048576.0);
  EXPECT_EQ(log.columns[3].meter.domain, "gpu_utilisation");
  EXPECT_DOUBLE_EQ(value(3), 0.39);
  EXPECT_EQ(log.columns[4].meter.domain, "gpu_memory_utilisation");
  EXPECT_EQ(log.columns[0].readings[1].at_ns - log.columns[0].readings[0].at_ns, 1'006'000'000);
}

TEST(NvidiaSmi, GpusAreToldApart) {
  const auto log = parsed(
      "index, power.draw [W], name\n0, 10.00 W, A\n1, 20.00 W, B\n0, 11.00 W, A\n1, 21.00 W, B\n");
  ASSERT_EQ(log.columns.size(), 2u);
  EXPECT_EQ(log.columns[0].readings.size(), 2u);
  EXPECT_EQ(log.columns[1].meter.id, "nvidia-smi/1");
  EXPECT_EQ(log.columns[1].readings[1].raw, 21000u);
}

TEST(NvidiaSmi, EnergyIsTheTrapezoidOverRealTimes) {
  FakeHost host;
  host.write("a_1.csv",
             "timestamp, power.draw [W]\n2023/05/08 00:00:00.000, 100.00 W\n"
             "2023/05/08 00:00:01.000, 200.00 W\n2023/05/08 00:00:04.000, 100.00 W");
  const auto imported = import_nvidia_smi({host.root()}, {});
  ASSERT_EQ(imported.runs.size(), 1u);
  const auto& run = imported.runs[0].stored.run;
  EXPECT_DOUBLE_EQ(run.wall.count(), 4);
  EXPECT_NEAR(joules_in(run.energy, "gpu"), 150 + 450, 1e-9);
  EXPECT_EQ(run.started_at, "2023-05-08T00:00:00.000");
}

TEST(NvidiaSmi, WithoutTimesTheIntervalMustBeTold) {
  FakeHost host;
  host.write("a_1.txt", "10 W\n20 W\n30 W");
  EXPECT_NE(refusal([&] { import_nvidia_smi({host.root()}, {}); }).find("--interval 1s"),
            std::string::npos);
  ImportOptions options;
  options.interval = Seconds{0.5};
  const auto imported = import_nvidia_smi({host.root()}, options);
  EXPECT_DOUBLE_EQ(joules_in(imported.runs[0].stored.run.energy, "gpu"), 30);
  EXPECT_DOUBLE_EQ(imported.runs[0].stored.run.wall.count(), 1.5);
}

TEST(NvidiaSmi, HeldReadingsStandInTheMiddleOfTheirInterval) {
  SmiLog log = parsed("10 W\n20 W\n");
  spread_evenly(log, Seconds{4});
  EXPECT_EQ(log.columns[0].readings[0].at_ns, 1'000'000'000);
  EXPECT_EQ(log.columns[0].readings[1].at_ns, 3'000'000'000);
  EXPECT_DOUBLE_EQ(log.columns[0].meter.period.count(), 2);
}

TEST(NvidiaSmi, ALineThatWasCutOffIsLeftOut) {
  const auto log = parsed("5.24 W\n6.10 W\n7.");
  EXPECT_EQ(log.lines, 2u);
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_NE(log.warnings[0].find("line 3"), std::string::npos);
  EXPECT_EQ(parsed("5.24 W\n6.10 W\n7.00 W").lines, 3u) << "a whole line without an end";
}

TEST(NvidiaSmi, ErrorsNameLineAndColumn) {
  EXPECT_EQ(refused("5.24 W\nfive W\n6 W\n"), "smi.csv:2:1: 'five W' is no value of power.draw");
  EXPECT_EQ(refused(names + "2023/05/08 01:48:12.942, 36.90 W, hot, 0 MiB, 39 %, 0 %\n"),
            "smi.csv:2:35: 'hot' is no value of temperature.gpu");
  EXPECT_NE(refused(names + "2023/13/08 01:48:12.942, 36.90 W, 1, 0 MiB, 39 %, 0 %\n")
                .find("smi.csv:2:1: this is not a time stamp"),
            std::string::npos);
  EXPECT_NE(refused(names + "2023/05/08 01:48:12.942, 36.90 W, 33\n").find("smi.csv:2:1: 3 fields"),
            std::string::npos);
  EXPECT_NE(refused("timestamp, power.draw [W]\n2023/05/08 00:00:01.000, 1 W\n2023/05/08 "
                    "00:00:00.000, 1 W\n")
                .find("smi.csv:3:1: time goes backwards"),
            std::string::npos);
  EXPECT_NE(refused("timestamp, temperature.gpu\n").find("no column has the power"),
            std::string::npos);
  EXPECT_NE(refused("1 W, 2 W\n").find("two columns are in W"), std::string::npos);
  EXPECT_NE(refused("power.draw [W]\n1 W\npower.draw [W]\n2 W\n").find("a second line of names"),
            std::string::npos);
  EXPECT_NE(refused("").find("no line of nvidia-smi"), std::string::npos);
}

TEST(Stamp, IsReadAndWritten) {
  const auto at = parse_stamp("2023/05/08 01:48:12.942");
  ASSERT_TRUE(at);
  EXPECT_EQ(*at, 1683510492'942'000'000);
  EXPECT_EQ(stamp_text(*at), "2023-05-08T01:48:12.942");
  EXPECT_EQ(parse_stamp("2023-05-08T01:48:12Z"), 1683510492'000'000'000);
  for (const auto* wrong : {"2023-02-30 00:00:00", "2023-05-08", "2023-05-08 24:00:00", "",
                            "2023-05-08 01:48:12 +02:00", "9999-01-01 00:00:00"})
    EXPECT_FALSE(parse_stamp(wrong)) << wrong;
}

}  // namespace
}  // namespace prengdl
