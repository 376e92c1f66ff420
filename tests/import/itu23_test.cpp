// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "fake_host.h"
#include "import/csv_table.h"
#include "import/fixtures.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

const std::string stem = "run1-gpu-epoch10-batchsize64-pytorch-CIFAR10-resnet50";

struct Itu23 : ::testing::Test {
  FakeHost host;
  ImportOptions options;

  void write(const std::string& name, const std::string& text) {
    host.write("experiments/gpu/pytorch/" + name, text);
  }
  /// Two epochs of 2 and 3 s; samples at 0.5, 1.5, ... s after the minute.
  void SetUp() override {
    std::string energy =
        "timestamp, power.draw [W], temperature.gpu, memory.used [MiB], utilization.gpu [%], "
        "utilization.memory [%]\n";
    for (int i = 0; i < 7; ++i)
      energy += fmt::format("2023/05/08 01:00:0{}.500, {}.00 W, {}, {} MiB, {} %, 0 %\n", i,
                            100 + 10 * i, 30 + i, i, 10 * i);
    write(stem + "-ENERGY.csv", energy);
    write(stem + "_MODEL.csv",
          "epoch;precision;recall;accuracy;f1;timestamp\n"
          "0;0.12345;0.2;0.3;0.4;2023-05-08 01:00:02\n"
          "1;0.5;0.6;0.71234;0.8;2023-05-08 01:00:05");
  }
  Imported import() const { return import_itu23({host.root()}, options); }
};

TEST_F(Itu23, EpochsAreSpansThatBeginWithTheMonitor) {
  const auto imported = import();
  ASSERT_EQ(imported.runs.size(), 1u);
  EXPECT_EQ(imported.runs[0].levels, (std::map<std::string, std::string>{{"framework", "pytorch"},
                                                                         {"dataset", "CIFAR10"},
                                                                         {"model", "resnet50"},
                                                                         {"batch_size", "64"}}));
  const auto& run = imported.runs[0].stored.run;
  EXPECT_NEAR(run.wall.count(), 4.5, 1e-12);
  EXPECT_EQ(run.started_at, "2023-05-08T01:00:00.500");
  ASSERT_EQ(run.spans.size(), 2u);
  EXPECT_EQ(run.spans[0].span.name, "1");
  EXPECT_EQ(run.spans[0].span.begin_ns, run.begin_ns);
  // 100 + 10 t watts: over the first 1.5 s 100 * 1.5 + 10 * 1.5^2 / 2.
  EXPECT_NEAR(joules_in(run.spans[0].energy, "gpu"), 161.25, 1e-9);
  EXPECT_NEAR(joules_in(run.energy, "gpu"), 450 + 101.25, 1e-9);
  EXPECT_NEAR(joules_in(run.spans[1].energy, "gpu"), 551.25 - 161.25, 1e-9);
}

TEST_F(Itu23, ChannelsAreMeansOfTheReadingsUpToTheEndOfTheEpoch) {
  const auto imported = import();
  std::map<std::string, double> means;
  for (const auto& channel : imported.runs[0].stored.run.spans[1].channels)
    means[channel.name] = channel.mean;
  // Readings at 2.5, 3.5 and 4.5 s; that at 1.5 s is of the first epoch.
  EXPECT_DOUBLE_EQ(means.at("gpu_power"), 130);
  EXPECT_DOUBLE_EQ(means.at("gpu_temperature"), 33);
  EXPECT_DOUBLE_EQ(means.at("gpu_memory_used"), 3 * 1048576.0);
  EXPECT_DOUBLE_EQ(means.at("gpu_utilisation"), 0.3);
}

TEST_F(Itu23, AReadingOnAnEdgeIsOfTheEpochThatEnds) {
  write(stem + "-ENERGY.csv",
        "timestamp, power.draw [W]\n2023/05/08 01:00:00.000, 100 W\n2023/05/08 01:00:02.000, 200 "
        "W\n2023/05/08 01:00:04.000, 300 W\n2023/05/08 01:00:06.000, 400 W");
  const auto imported = import();
  const auto& spans = imported.runs[0].stored.run.spans;
  EXPECT_DOUBLE_EQ(spans[0].channels.at(0).mean, 150);
  EXPECT_DOUBLE_EQ(spans[1].channels.at(0).mean, 300);
}

TEST_F(Itu23, MetricsBelongToTheEndOfTheirEpoch) {
  const auto imported = import();
  const auto& metrics = imported.runs[0].stored.run.metrics;
  ASSERT_EQ(metrics.size(), 8u);
  EXPECT_EQ(metrics[0].name, "precision");
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.12345) << "as it is in the file";
  EXPECT_EQ(metrics[6].name, "accuracy");
  EXPECT_EQ(metrics[6].step, 2);
  EXPECT_EQ(metrics[6].at_ns, imported.runs[0].stored.run.spans[1].span.end_ns);
}

TEST_F(Itu23, AsPublishedMeanPowerIsMultipliedWithTime) {
  options.as_published = true;
  const auto imported = import();
  const auto& run = imported.runs[0].stored.run;
  EXPECT_NEAR(joules_in(run.spans[0].energy, "gpu"), 105 * 1.5, 1e-9);
  EXPECT_NEAR(joules_in(run.spans[1].energy, "gpu"), 130 * 3, 1e-9);
  EXPECT_NEAR(joules_in(run.energy, "gpu"), 105 * 1.5 + 130 * 3, 1e-9);
  EXPECT_DOUBLE_EQ(run.metrics[0].value, 0.123) << "rounded, as the study does";
  EXPECT_DOUBLE_EQ(run.metrics[6].value, 0.71234) << "but not accuracy";
}

TEST_F(Itu23, WhatIsNotWholeIsLeftOut) {
  write("run2-gpu-epoch10-batchsize64-pytorch-CIFAR10-resnet50-ENERGY.csv", "x");
  write("run3-gpu-epoch10-batchsize64-pytorch-CIFAR10-resnet50_MODEL.csv", "x");
  write("run1-cpu-epoch10-batchsize64-pytorch-CIFAR10-resnet50_MODEL.csv", "x");
  write("placeholder", "");
  write("run1-gpu-W.csv", "");
  const auto imported = import();
  EXPECT_EQ(imported.runs.size(), 1u);
  EXPECT_EQ(imported.left_out.size(), 5u);
}

TEST_F(Itu23, OfARepeatedRunTheLastEpochsCount) {
  write(stem + "_MODEL.csv",
        "epoch;precision;recall;accuracy;f1;timestamp\n0;0;0;0;0;2023-05-07 01:00:02\n"
        "epoch;precision;recall;accuracy;f1;timestamp\n0;1;1;1;1;2023-05-08 01:00:02");
  const auto imported = import();
  EXPECT_EQ(imported.runs[0].stored.run.spans.size(), 1u);
  EXPECT_EQ(imported.runs[0].stored.run.warnings.size(), 1u);
}

TEST_F(Itu23, ErrorsNameLineAndColumn) {
  const auto refused = [&](const std::string& text) {
    write(stem + "_MODEL.csv", text);
    return refusal([&] { import(); });
  };
  const std::string names = "epoch;precision;recall;accuracy;f1;timestamp\n";
  EXPECT_NE(refused(names + "0;0.1;x;0.3;0.4;2023-05-08 01:00:02")
                .find("_MODEL.csv:2:7: recall is not a number"),
            std::string::npos);
  EXPECT_NE(refused(names + "0;1;1;1;1;yesterday").find("_MODEL.csv:2:11: this is not a time"),
            std::string::npos);
  EXPECT_NE(refused(names + "0;1;1;1").find("_MODEL.csv:2:1: 4 fields"), std::string::npos);
  EXPECT_NE(refused(names).find("there is no epoch in it"), std::string::npos);
  EXPECT_NE(refused("0;1;1;1;1;x").find("_MODEL.csv:1:1: the first line does not name"),
            std::string::npos);
  EXPECT_NE(refused(names + "0;1;1;1;1;2020-05-08 01:00:02").find("ends before"),
            std::string::npos);
}

struct Itu23Shared : ::testing::Test {
  void SetUp() override {
    const char* shared = std::getenv("PRENGDL_SHARED");
    if (!shared) GTEST_SKIP() << "PRENGDL_SHARED does not name a directory with the published data";
    root = shared;
  }
  Imported import(bool as_published) const {
    ImportOptions options;
    options.as_published = as_published;
    return import_itu23({root / "data/itu23/Project2"}, options);
  }
  static std::map<std::string, std::string> levels_of(const CsvTable& table, std::size_t row) {
    std::map<std::string, std::string> levels;
    for (const auto* name : {"framework", "dataset", "model", "batch_size"})
      levels[name] = table.cell(row, *table.column(name));
    return levels;
  }
  std::filesystem::path root;
};

TEST_F(Itu23Shared, EveryEpochEqualsTheGoldenOne) {
  const CsvTable golden(read_foreign(root / "golden/itu23_epoch_runs.csv"), ',');
  ASSERT_GT(golden.rows(), 900u);
  for (const bool as_published : {false, true}) {
    const auto imported = import(as_published);
    EXPECT_EQ(imported.runs.size(), 96u);
    EXPECT_TRUE(imported.left_out.empty());
    for (std::size_t row = 0; row < golden.rows(); ++row) {
      const auto number = [&](const char* name) {
        return *golden.number(row, *golden.column(name));
      };
      const auto& imported_run =
          run_with(imported, levels_of(golden, row), static_cast<std::int64_t>(number("run")));
      const auto& run = imported_run.stored.run;
      const auto epoch = static_cast<std::size_t>(number("epoch"));
      ASSERT_LE(epoch, run.spans.size());
      const auto& [span, energy, channels] = run.spans[epoch - 1];
      EXPECT_NEAR(static_cast<double>(span.begin_ns - run.begin_ns) * 1e-9, number("start_s"),
                  1e-9);
      EXPECT_NEAR(static_cast<double>(span.end_ns - run.begin_ns) * 1e-9, number("end_s"), 1e-9);
      const double joules = number(as_published ? "energy_meanpower_J" : "energy_trapz_J");
      EXPECT_NEAR(joules_in(energy, "gpu") / joules, 1, 1e-8) << row;
      std::map<std::string, double> means;
      for (const auto& channel : channels) means[channel.name] = channel.mean;
      EXPECT_NEAR(means.at("gpu_power"), number("mean_power_W"), 1e-6);
      EXPECT_NEAR(means.at("gpu_temperature"), number("temp_C"), 1e-6);
      EXPECT_NEAR(means.at("gpu_memory_used") / 1048576, number("mem_used_MiB"), 1e-6);
      EXPECT_NEAR(means.at("gpu_utilisation") * 100, number("gpu_util_pct"), 1e-6);
      EXPECT_NEAR(means.at("gpu_memory_utilisation") * 100, number("mem_util_pct"), 1e-6);
      for (std::size_t i = 0; i < 4; ++i) {
        const Metric& metric = run.metrics.at(4 * (epoch - 1) + i);
        // The golden file has the study's rounding of all but accuracy.
        const double tolerance = as_published || metric.name == "accuracy" ? 1e-9 : 0.00051;
        EXPECT_NEAR(metric.value, number(metric.name.c_str()), tolerance) << metric.name << row;
      }
    }
  }
}

TEST_F(Itu23Shared, EveryRunEqualsTheGoldenOne) {
  const CsvTable golden(read_foreign(root / "golden/itu23_runs.csv"), ',');
  for (const bool as_published : {false, true}) {
    const auto imported = import(as_published);
    for (std::size_t row = 0; row < golden.rows(); ++row) {
      const auto number = [&](const char* name) {
        return *golden.number(row, *golden.column(name));
      };
      const auto& run =
          run_with(imported, levels_of(golden, row), static_cast<std::int64_t>(number("run")))
              .stored.run;
      EXPECT_NEAR(run.wall.count(), number("duration_s"), 1e-9);
      const double joules = number(as_published ? "energy_meanpower_J" : "energy_trapz_J");
      EXPECT_NEAR(joules_in(run.energy, "gpu") / joules, 1, 1e-8) << row;
      EXPECT_NEAR(run.metrics.at(38).value, number("final_accuracy"), 1e-9);
    }
  }
}

/// Totals of a cell by the two recipes, from what is imported.
TEST_F(Itu23Shared, TotalsOfCellsEqualTheGoldenOnes) {
  const CsvTable golden(read_foreign(root / "golden/itu23_totals.csv"), ',');
  const auto trapezoid = import(false);
  const auto published = import(true);
  std::size_t compared = 0;
  for (std::size_t row = 0; row < golden.rows(); ++row) {
    const auto source = golden.cell(row, *golden.column("source"));
    const auto levels = levels_of(golden, row);
    const double expected = *golden.number(row, *golden.column("total_energy_kJ"));
    double total = 0;
    if (source == "trapezoid_runmean_timeweighted") {
      for (const std::int64_t number : {1, 2})
        total += joules_in(run_with(trapezoid, levels, number).stored.run.energy, "gpu") / 2e3;
    } else if (source == "recomputed_unrounded") {
      // The study multiplies the means of the two runs.
      const auto& first = run_with(published, levels, 1).stored.run.spans;
      const auto& second = run_with(published, levels, 2).stored.run.spans;
      for (std::size_t i = 0; i < first.size(); ++i) {
        double watts = 0;
        double seconds = 0;
        for (const auto* span : {&first[i], &second[i]}) {
          const double length = static_cast<double>(span->span.end_ns - span->span.begin_ns) * 1e-9;
          seconds += length / 2;
          watts += joules_in(span->energy, "gpu") / length / 2;
        }
        total += watts * seconds / 1e3;
      }
    } else {
      continue;
    }
    ++compared;
    EXPECT_NEAR(total / expected, 1, 1e-7) << row;
  }
  EXPECT_EQ(compared, 96u);
}

}  // namespace
}  // namespace prengdl
