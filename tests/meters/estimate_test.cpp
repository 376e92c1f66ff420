// SPDX-License-Identifier: Apache-2.0
#include "meters/estimate.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/amounts.h"
#include "base/parse.h"
#include "base/strings.h"
#include "fake_host.h"
#include "meters/embedded.h"
#include "meters/sources.h"
#include "model/energy.h"

namespace prengdl {
namespace {

std::string x86(const std::string& vendor, int family, int model, int stepping) {
  return fmt::format(
      "processor\t: 0\nvendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: some CPU\n"
      "stepping\t: {}\nflags\t\t: fpu\n\nprocessor\t: 1\nvendor_id\t: other\ncpu family\t: 1\n"
      "model\t\t: 1\n",
      vendor, family, model, stepping);
}

std::string arm(const std::string& implementer, const std::string& part) {
  return fmt::format(
      "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: {}\nCPU architecture: 8\n"
      "CPU variant\t: 0x3\nCPU part\t: {}\nCPU revision\t: 1\n",
      implementer, part);
}

/// Four CPUs and 15.625 million KiB, which are 16 GB.
void fill(FakeHost& host, const std::string& cpuinfo) {
  host.write("proc/cpuinfo", cpuinfo);
  host.write("proc/meminfo", "MemTotal:       15625000 kB\nMemFree:         1000000 kB");
  host.write("sys/devices/system/cpu/online", "0-3");
  host.write("proc/stat", "cpu  1000 0 500 90000 20 0 0 0 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10");
}

std::string row_for(const std::string& cpuinfo) {
  FakeHost host;
  fill(host, cpuinfo);
  const auto model = choose_power_model(host.root(), embedded::power_models());
  return model ? model->row : std::string("none: ") + model.error().what();
}

MeterSearch below(const FakeHost& host) {
  MeterSearch search;
  search.root = host.root();
  return search;
}

/// A table with one row for every CPU, in round figures.
const std::string simple_table =
    "# a comment\n"
    "vendor,family,model_low,model_high,stepping_low,stepping_high,name,idle_w,idle_w_low,idle_w_"
    "high,"
    "full_w,full_w_low,full_w_high,memory_w_per_gb,memory_w_per_gb_low,memory_w_per_gb_high,source,"
    "note\n"
    "any,,,,,,simple,1,0.5,2,5,4,6,0.25,0.2,0.3,a book,a note\n";

TEST(Estimate, TellsSkylakeFromCascadeLakeByTheStepping) {
  EXPECT_EQ(row_for(x86("GenuineIntel", 6, 85, 4)), "Skylake (server)");
  EXPECT_EQ(row_for(x86("GenuineIntel", 6, 85, 7)), "Cascade Lake");
  EXPECT_EQ(row_for(x86("GenuineIntel", 6, 106, 6)), "Ice Lake (server)");
}

TEST(Estimate, TellsZen3FromZen4WithinOneFamily) {
  EXPECT_EQ(row_for(x86("AuthenticAMD", 25, 1, 1)), "EPYC 3rd gen (Zen 3)");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 25, 17, 1)), "EPYC 4th gen (Zen 4)");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 25, 33, 0)), "EPYC 3rd gen (Zen 3)");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 25, 97, 2)), "EPYC 4th gen (Zen 4)");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 23, 1, 2)), "EPYC 1st gen (Zen)");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 23, 49, 0)), "EPYC 2nd gen (Zen 2)");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 26, 2, 1)), "EPYC 5th gen (Zen 5)");
}

TEST(Estimate, KnowsGravitonByItsParts) {
  EXPECT_EQ(row_for(arm("0x41", "0xd0c")), "Graviton 2");
  EXPECT_EQ(row_for(arm("0x41", "0xd40")), "Graviton 3");
  EXPECT_EQ(row_for(arm("0x41", "0xd4f")), "Graviton 4");
}

TEST(Estimate, TakesTheWidestRowForAnUnknownCpu) {
  EXPECT_EQ(row_for(x86("GenuineIntel", 6, 85, 12)), "unknown CPU");
  EXPECT_EQ(row_for(x86("AuthenticAMD", 99, 1, 1)), "unknown CPU");
  EXPECT_EQ(row_for(x86("CentaurHauls", 6, 85, 4)), "unknown CPU");
  EXPECT_EQ(row_for(arm("0x61", "0x022")), "unknown CPU");
  EXPECT_EQ(row_for(""), "unknown CPU");
  EXPECT_EQ(row_for("processor: 0\nmodel: many\n"), "unknown CPU");
}

TEST(Estimate, ReadsTheSizeOfTheMachine) {
  FakeHost host;
  fill(host, "");
  const auto model = choose_power_model(host.root(), simple_table);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->cpus, 4);
  EXPECT_DOUBLE_EQ(model->memory_gigabytes, 16);
  EXPECT_EQ(model->source, "a book");
  EXPECT_EQ(model->note, "a note");
  EXPECT_DOUBLE_EQ(model->full_per_cpu.low, 4);
  EXPECT_DOUBLE_EQ(model->full_per_cpu.value, 5);
  EXPECT_DOUBLE_EQ(model->full_per_cpu.high, 6);
}

TEST(Estimate, AddsStandingPowerAndBusyCpus) {
  FakeHost host;
  fill(host, "");
  const auto model = choose_power_model(host.root(), simple_table);
  ASSERT_TRUE(model);
  // 4 CPUs at 1 W and 16 GB at 0.25 W stand there; each busy CPU adds 4 W.
  EXPECT_DOUBLE_EQ(standing_power(*model).value, 8);
  EXPECT_DOUBLE_EQ(power_per_busy_cpu(*model).value, 4);
  EXPECT_DOUBLE_EQ(modelled_energy(*model, Seconds{10}, Seconds{0}).value, 80);
  EXPECT_DOUBLE_EQ(modelled_energy(*model, Seconds{10}, Seconds{5}).value, 100);
  EXPECT_DOUBLE_EQ(modelled_energy(*model, Seconds{10}, Seconds{40}).value, 240);
}

TEST(Estimate, RefusesATableWithoutARowOrWithBrokenFigures) {
  FakeHost host;
  fill(host, "");
  const auto header = simple_table.substr(0, simple_table.find("any,"));
  const auto none = choose_power_model(host.root(), header);
  ASSERT_FALSE(none);
  EXPECT_FALSE(none.error().hint.empty());
  try {
    (void)choose_power_model(host.root(), header + "any,,,,,,bad,x,0,2,5,4,6,0.25,0.2,0.3,a,b\n");
    FAIL() << "an Error was expected";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'bad': column idle_w"), std::string::npos);
  }
}

TEST(Estimate, EveryRowOfTheTableIsSound) {
  std::vector<std::string_view> header;
  std::size_t rows = 0;
  for (const auto line : split(embedded::power_models(), '\n')) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const auto cells = split(line, ',');
    if (header.empty()) {
      header = cells;
      continue;
    }
    ++rows;
    ASSERT_EQ(cells.size(), header.size()) << line;
    const auto cell = [&](std::string_view column) {
      const auto at = std::find(header.begin(), header.end(), column);
      return at == header.end() ? std::string_view{}
                                : cells[static_cast<std::size_t>(at - header.begin())];
    };
    for (const std::string column : {"idle_w", "full_w", "memory_w_per_gb"}) {
      const auto low = parse_number(cell(column + "_low"));
      const auto value = parse_number(cell(column));
      const auto high = parse_number(cell(column + "_high"));
      ASSERT_TRUE(low && value && high) << column << " in " << line;
      EXPECT_GT(*low, 0) << column << " in " << line;
      EXPECT_LE(*low, *value) << column << " in " << line;
      EXPECT_LE(*value, *high) << column << " in " << line;
    }
    EXPECT_LT(*parse_number(cell("idle_w")), *parse_number(cell("full_w"))) << line;
    EXPECT_FALSE(cell("name").empty()) << line;
    EXPECT_FALSE(cell("source").empty()) << line;
    if (cell("vendor") == "any") continue;

    // The first CPU that the row is for gets this row and none above it.
    const auto number = [&](std::string_view column) {
      return static_cast<int>(parse_integer(cell(column)).value_or(0));
    };
    const auto cpuinfo =
        cell("vendor") == "arm"
            ? arm(fmt::format("{:#x}", number("family")), fmt::format("{:#x}", number("model_low")))
            : x86(std::string(cell("vendor")), number("family"), number("model_low"),
                  number("stepping_low"));
    EXPECT_EQ(row_for(cpuinfo), cell("name")) << line;
  }
  EXPECT_GE(rows, 20u);
}

TEST(Estimate, IsAModelAndStandsAlone) {
  FakeHost host;
  fill(host, x86("AuthenticAMD", 25, 1, 1));
  const auto found = find_estimate(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  const auto& info = found.meters[0]->info();
  EXPECT_EQ(info.id, "estimate");
  EXPECT_EQ(info.domain, "machine");
  EXPECT_EQ(info.quality, Quality::model);
  EXPECT_EQ(info.counted, Counted::alone);
  EXPECT_EQ(info.kind, Kind::counter);
  EXPECT_EQ(info.unit, Unit::joule);
  EXPECT_DOUBLE_EQ(info.model_low, 0.5);
  EXPECT_DOUBLE_EQ(info.model_high, 2);
  EXPECT_NE(info.name.find("Zen 3"), std::string::npos);
  EXPECT_NE(info.note.find("modelled, not measured: 4 CPUs"), std::string::npos);
}

TEST(Estimate, AdvancesWithBusyTime) {
  FakeHost host;
  fill(host, x86("AuthenticAMD", 25, 1, 1));
  const auto model = choose_power_model(host.root(), embedded::power_models());
  ASSERT_TRUE(model);
  const auto found = find_estimate(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  auto& meter = *found.meters[0];
  const auto ticks = sysconf(_SC_CLK_TCK);

  const Reading before = meter.read();
  // An hour of each: user, system and interrupts count, idle and iowait and stolen time do not.
  const auto hour = 3600 * ticks;
  host.write("proc/stat", fmt::format("cpu  {} {} {} {} {} {} {} {} 0 0", 1000 + hour, hour,
                                      500 + hour, 90000 + hour, 20 + hour, hour, hour, hour));
  const Reading after = meter.read();
  ASSERT_EQ(before.status, ReadStatus::ok);
  ASSERT_EQ(after.status, ReadStatus::ok);
  const double counted = static_cast<double>(after.raw - before.raw) * meter.info().step;
  const Seconds wall{static_cast<double>(after.at_ns - before.at_ns) * 1e-9};
  EXPECT_NEAR(counted, modelled_energy(*model, wall, Seconds{5.0 * 3600}).value, 2e-6 * 3600);
}

TEST(Estimate, OfAnIdleMachineIsItsStandingPower) {
  FakeHost host;
  fill(host, x86("AuthenticAMD", 25, 1, 1));
  const auto model = choose_power_model(host.root(), embedded::power_models());
  const auto found = find_estimate(below(host));
  ASSERT_TRUE(model);
  ASSERT_EQ(found.meters.size(), 1u);
  const Reading first = found.meters[0]->read();
  const Reading second = found.meters[0]->read();
  const double seconds = static_cast<double>(second.at_ns - first.at_ns) * 1e-9;
  EXPECT_NEAR(static_cast<double>(second.raw - first.raw) * 1e-6,
              standing_power(*model).value * seconds, 2e-6);
}

TEST(Estimate, AStatFileThatGoesBackwardsMakesNoEnergy) {
  FakeHost host;
  fill(host, "");
  const auto found = find_estimate(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  host.write("proc/stat", "cpu  900 0 500 90000 20 0 0 0 0 0");
  const Reading reading = found.meters[0]->read();
  EXPECT_LT(reading.raw, 1'000'000'000u) << "a second less must not look like ages";
}

TEST(Estimate, TellsWhenTheStatFileCannotBeUnderstood) {
  FakeHost host;
  fill(host, "");
  const auto found = find_estimate(below(host));
  ASSERT_EQ(found.meters.size(), 1u);
  for (const auto* text : {"", "cpu", "cpu  1 2 3", "cpu  a b c d e f g"}) {
    host.write("proc/stat", text);
    EXPECT_EQ(found.meters[0]->read().status, ReadStatus::failed) << text;
  }
}

TEST(Estimate, NeedsAStatFile) {
  FakeHost host;
  const auto found = find_estimate(below(host));
  EXPECT_TRUE(found.meters.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_EQ(found.left_out[0].source, "estimate");
  EXPECT_NE(found.left_out[0].reason.find("proc/stat"), std::string::npos);
}

}  // namespace
}  // namespace prengdl
