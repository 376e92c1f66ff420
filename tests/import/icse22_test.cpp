// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "fake_host.h"
#include "import/csv_table.h"
#include "import/fixtures.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

std::string perf(double package, double dram, double seconds) {
  return fmt::format(
      "\n Performance counter stats for 'system wide':\n\n   {:.2f} Joules power/energy-pkg/    \n"
      "   {:.2f} Joules power/energy-ram/     \n\n   {:.9f} seconds time elapsed\n\n",
      package, dram, seconds);
}

struct Icse22 : ::testing::Test {
  FakeHost host;

  void SetUp() override {
    for (const auto* framework : {"PyTorch", "TensorFlow"})
      for (const int run : {1, 2, 10}) {
        const auto front = fmt::format("data/measurements_train/ncf_{}_", framework);
        host.write(front + fmt::format("perf_{}.txt", run), perf(100 + run, 10, 4.5));
        host.write(front + fmt::format("nvidia_smi_{}.txt", run), "10.00 W\n20.00 W\n30.00 W");
      }
  }
  Imported import(bool as_published = false) const {
    ImportOptions options;
    options.as_published = as_published;
    return import_icse22({host.root()}, options);
  }
};

const std::map<std::string, std::string> ncf_pytorch{
    {"phase", "train"}, {"model", "ncf"}, {"framework", "pytorch"}};

TEST_F(Icse22, WattsWithoutTimesAreHeldForEqualIntervals) {
  const auto imported = import();
  ASSERT_EQ(imported.runs.size(), 6u);
  EXPECT_TRUE(imported.left_out.empty());
  const auto& run = run_with(imported, ncf_pytorch, 10).stored.run;
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "package"), 110);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "dram"), 10);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "gpu"), 60 * 1.5);
  EXPECT_DOUBLE_EQ(run.energy.metered->value.value, 110 + 10 + 90);
  EXPECT_DOUBLE_EQ(run.wall.count(), 4.5);
  EXPECT_FALSE(run.exit_code);
  EXPECT_EQ(run.samples, 3u);
}

TEST_F(Icse22, AsPublishedWattsAreAddedUp) {
  const auto imported = import(true);
  const auto& run = run_with(imported, ncf_pytorch, 1).stored.run;
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "gpu"), 60);
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "package"), 101);
  EXPECT_FALSE(imported.notes.empty());
}

TEST_F(Icse22, RunsOfACellStandInTheOrderOfTheirNumbers) {
  const auto imported = import();
  std::vector<std::int64_t> numbers;
  for (const auto& run : imported.runs)
    if (run.levels == ncf_pytorch) numbers.push_back(run.number);
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 10}));
}

TEST_F(Icse22, OtherSpellingsAreTheSameModels) {
  host.write("data/measurements_inference/Mask-RCNN_pytorch_perf_1.txt", perf(1, 1, 1));
  host.write("data/measurements_inference/Mask-RCNN_pytorch_nvidia_smi_1.txt", "10 W");
  host.write("data/cProfile_results/maskrcnn_pytorch_inference.prof", "x");
  host.write("data/cProfile_results/rn50_tensorflow_train.prof", "x");
  host.write("data/cProfile_results/transformer_xl_pytorch_train.prof", "x");
  host.write("data/cProfile_results/transformer_tensorflow_inference.prof", "x");
  const auto imported = import();
  run_with(imported, {{"phase", "infer"}, {"model", "mask_rcnn"}, {"framework", "pytorch"}}, 1);
  std::vector<std::string> cells;
  for (const auto& profile : imported.profiles)
    cells.push_back(profile.levels.at("phase") + " " + profile.levels.at("model") + " " +
                    profile.levels.at("framework"));
  EXPECT_EQ(cells, (std::vector<std::string>{"infer mask_rcnn pytorch", "train resnet50 tensorflow",
                                             "infer transformer_xl tensorflow",
                                             "train transformer_xl pytorch"}));
  EXPECT_TRUE(imported.left_out.empty());
}

TEST_F(Icse22, StrayFilesAreLeftOutWithAReason) {
  for (const auto* stray :
       {".DS_Store", "README.md", "measurements_train/ncf_PyTorch_perf_1 (copy).txt",
        "measurements_train/ncf_PyTorch_perf.txt", "measurements_train/bert_PyTorch_perf_1.txt",
        "elsewhere/ncf_PyTorch_perf_1.txt", "cProfile_results/other.prof",
        "measurements_train/ncf_PyTorch_power_1.txt"})
    host.write(std::string("data/") + stray, "hello");
  host.write("data/measurements_train/ssd_PyTorch_nvidia_smi_1.txt", "1 W");
  const auto imported = import();
  EXPECT_EQ(imported.runs.size(), 6u);
  EXPECT_EQ(imported.left_out.size(), 9u);
  for (const auto& one : imported.left_out) EXPECT_FALSE(one.why.empty()) << one.file;
}

TEST_F(Icse22, ARunWithoutItsGpuHasNoSum) {
  host.remove("data/measurements_train/ncf_PyTorch_nvidia_smi_2.txt");
  const auto imported = import();
  const auto& run = run_with(imported, ncf_pytorch, 2).stored.run;
  EXPECT_FALSE(run.energy.metered);
  EXPECT_FALSE(run.energy.domains.contains("gpu"));
  EXPECT_DOUBLE_EQ(joules_in(run.energy, "package"), 102);
}

TEST_F(Icse22, AnEmptyGpuFileIsAMissingOne) {
  host.write("data/measurements_train/ncf_PyTorch_nvidia_smi_2.txt", "");
  const auto imported = import();
  EXPECT_FALSE(run_with(imported, ncf_pytorch, 2).stored.run.energy.metered);
  EXPECT_EQ(imported.notes.size(), 1u);
}

TEST_F(Icse22, ABrokenFileStopsTheImport) {
  host.write("data/measurements_train/ncf_PyTorch_nvidia_smi_2.txt", "10 W\nten W\n5 W");
  EXPECT_NE(refusal([&] { import(); }).find("ncf_PyTorch_nvidia_smi_2.txt:2:1: 'ten W'"),
            std::string::npos);
}

/// By phase, model, framework and metric: the means of the published data.
TEST(Icse22Shared, MeansEqualTheGoldenOnes) {
  const char* shared = std::getenv("PRENGDL_SHARED");
  if (!shared) GTEST_SKIP() << "PRENGDL_SHARED does not name a directory with the published data";
  const std::filesystem::path root(shared);
  const CsvTable golden(read_foreign(root / "golden/icse22_means.csv"), ',');
  for (const bool as_published : {false, true}) {
    ImportOptions options;
    options.as_published = as_published;
    const auto imported = import_icse22({root / "data/icse22"}, options);
    std::map<std::vector<std::string>, std::vector<double>> values;
    for (const auto& run : imported.runs) {
      const auto add = [&](const std::string& metric, double value) {
        values[{run.levels.at("phase"), run.levels.at("model"), run.levels.at("framework"), metric}]
            .push_back(value);
      };
      add("pkg", joules_in(run.stored.run.energy, "package"));
      add("ram", joules_in(run.stored.run.energy, "dram"));
      add("gpu", joules_in(run.stored.run.energy, "gpu"));
      add("time", run.stored.run.wall.count());
    }
    ASSERT_GT(golden.rows(), 40u);
    for (std::size_t row = 0; row < golden.rows(); ++row) {
      const std::string phase(golden.cell(row, 0) == "train" ? "train" : "infer");
      const std::string framework(golden.cell(row, 2) == "PyTorch" ? "pytorch" : "tensorflow");
      const auto& found = values[{phase, std::string(golden.cell(row, 1)), framework,
                                  std::string(golden.cell(row, 3))}];
      ASSERT_EQ(found.size(), 10u) << row;
      double sum = 0;
      for (const double value : found) sum += value;
      const double mean = sum / 10;
      const double expected =
          *golden.number(row, *golden.column(as_published ? "mean_as_published" : "mean"));
      EXPECT_NEAR(mean / expected, 1, 1e-11) << row;
    }
    EXPECT_TRUE(imported.left_out.empty());
    EXPECT_EQ(imported.profiles.size(), 8u);
  }
}

}  // namespace
}  // namespace prengdl
