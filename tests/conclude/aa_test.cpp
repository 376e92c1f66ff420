// SPDX-License-Identifier: Apache-2.0
#include "conclude/aa.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
#include "fake_host.h"
#include "print/checks.h"
#include "stats/design_power.h"
#include "stats/summary.h"
#include "store/aa_file.h"

namespace prengdl {
namespace {

Run run(std::size_t block, std::size_t order, double seconds, double joules,
        Quality quality = Quality::chip) {
  Run made;
  made.block = block;
  made.order = order;
  made.exit_code = 0;
  made.wall = Seconds{seconds};
  made.energy.metered = Energy{Joules{joules}, Joules{0}, quality};
  return made;
}

struct Labels {
  std::vector<Run> first;
  std::vector<Run> second;
};

/// Blocks whose log ratios of seconds are these; energy is 50 W.
Labels with_differences(const std::vector<double>& differences, Quality quality = Quality::chip) {
  Labels labels;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const double seconds = std::exp(differences[i]);
    labels.first.push_back(run(i, 2 * i, seconds, 50 * seconds, quality));
    labels.second.push_back(run(i, 2 * i + 1, 1, 50, quality));
  }
  return labels;
}

const std::vector<double> differences{0.01, -0.02, 0.005, 0.015, -0.01, 0.0, -0.004};

TEST(AaTest, TheSpreadIsThatOfLogRatiosWithinBlocks) {
  const auto labels = with_differences(differences);
  const auto measures = judge_aa(labels.first, labels.second);
  ASSERT_EQ(measures.size(), 2u);
  EXPECT_EQ(measures[0].measure, "metered");
  EXPECT_EQ(measures[0].quality, Quality::chip);
  EXPECT_EQ(measures[1].measure, "seconds");
  EXPECT_FALSE(measures[1].quality);
  for (const auto& one : measures) {
    EXPECT_EQ(one.pairs, 7u);
    EXPECT_NEAR(one.spread, standard_deviation(differences), 1e-12);
    EXPECT_NEAR(one.ratio, std::exp(mean(differences)), 1e-12);
    // chi squared of 6 degrees of freedom: 14.449375, 1.237344.
    EXPECT_NEAR(one.spread_ci95[0], one.spread * std::sqrt(6 / 14.449375335447), 1e-9);
    EXPECT_NEAR(one.spread_ci95[1], one.spread * std::sqrt(6 / 1.237344245791), 1e-9);
    // The second label does not scatter: half of the first one's variance.
    EXPECT_NEAR(one.run_spread, one.spread / std::sqrt(2), 1e-12);
    EXPECT_GT(one.p, 0.05);
    EXPECT_NEAR(std::log(one.detectable_ratio),
                one.spread * detectable_difference(7, 0.05, 0.8).value(), 1e-12);
  }
}

TEST(AaTest, FalsePositivesAreCountedOverAllRelabellings) {
  // Differences of one size: only those all on one side pass t = 2.776, 2 of 32.
  const auto labels = with_differences({0.01, -0.01, 0.01, -0.01, 0.01});
  EXPECT_DOUBLE_EQ(judge_aa(labels.first, labels.second)[0].false_positives, 2.0 / 32);
  // One large one: t is near 1 whatever the signs.
  const auto outlier = with_differences({0.5, -0.01, 0.01, -0.012, 0.008});
  EXPECT_DOUBLE_EQ(judge_aa(outlier.first, outlier.second)[0].false_positives, 0);
}

TEST(AaTest, ManyPairsAreRelabelledAtRandomNearTheLevel) {
  std::vector<double> many(30);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = 0.01 * std::sin(1 + 7.3 * static_cast<double>(i));
  const auto labels = with_differences(many);
  const double rate = judge_aa(labels.first, labels.second)[0].false_positives;
  EXPECT_NEAR(rate, 0.05, 0.01);
}

TEST(AaTest, DriftShowsInRunsThatAreNotInterleaved) {
  Labels labels;
  for (std::size_t i = 0; i < 12; ++i) {
    const double step = i < 6 ? 1 : 1.1;
    const double wobble = 1 + 0.001 * static_cast<double>(i % 3);
    labels.first.push_back(run(i, 2 * i, step * wobble, 1));
    labels.second.push_back(run(i, 2 * i + 1, step, 1.0 + 0.001 * static_cast<double>(i % 4)));
  }
  const auto measures = judge_aa(labels.first, labels.second);
  const auto& seconds = measures.back();
  EXPECT_LT(seconds.spread, 0.002) << "in turns the step is in both labels";
  EXPECT_GT(seconds.back_to_back_false_positives.value(), 0.3);
  const auto few = with_differences({0.01, -0.02, 0.005, 0.015, -0.01});
  EXPECT_FALSE(judge_aa(few.first, few.second)[0].back_to_back_false_positives);
}

TEST(AaTest, ModelledEnergyIsNotJudged) {
  const auto labels = with_differences(differences, Quality::model);
  const auto measures = judge_aa(labels.first, labels.second);
  ASSERT_EQ(measures.size(), 1u);
  EXPECT_EQ(measures[0].measure, "seconds");
}

TEST(AaTest, NeitherIsAMeterThatStandsStill) {
  auto labels = with_differences(differences);
  for (auto* runs : {&labels.first, &labels.second})
    for (auto& one : *runs) one.energy.metered->value = Joules{7};
  const auto measures = judge_aa(labels.first, labels.second);
  ASSERT_EQ(measures.size(), 1u);
  EXPECT_EQ(measures[0].measure, "seconds");
}

TEST(AaTest, FourPairsAreRefused) {
  const auto labels = with_differences({0.01, -0.02, 0.005, 0.015});
  EXPECT_THROW(judge_aa(labels.first, labels.second), Error);
}

TEST(AaTest, MorePairsShowSmallerRatios) {
  const auto labels = with_differences(differences);
  const auto measure = judge_aa(labels.first, labels.second)[0];
  EXPECT_LT(detectable_ratio(measure, 50).value(), measure.detectable_ratio);
  EXPECT_GT(detectable_ratio(measure, 3).value(), measure.detectable_ratio);
  EXPECT_FALSE(detectable_ratio(measure, 1));
}

AaRecord record() {
  const auto labels = with_differences(differences);
  AaRecord made;
  made.fingerprint = "00112233aabbccdd";
  made.at = "2026-11-16T10:20:30Z";
  made.prengdl_version = "0.1.0";
  made.command = {"/bin/sh", "-c", "true \xff"};
  made.pairs = 7;
  made.disturbed = 2;
  made.measures = judge_aa(labels.first, labels.second);
  made.meters = {{"powercap/intel-rapl:0", "package", Quality::chip}};
  return made;
}

TEST(AaFile, ARecordComesBackToTheLastBit) {
  FakeHost host;
  const auto directory = host.root() / "state/prengdl/aa";
  EXPECT_FALSE(read_aa(directory, "00112233aabbccdd"));
  const AaRecord kept = record();
  write_aa(directory, kept);
  const auto back = read_aa(directory, kept.fingerprint);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->at, kept.at);
  EXPECT_EQ(back->command.size(), 3u);
  EXPECT_EQ(back->disturbed, 2u);
  ASSERT_EQ(back->measures.size(), 2u);
  EXPECT_EQ(back->measures[0].quality, Quality::chip);
  EXPECT_FALSE(back->measures[1].quality);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back->measures[i].spread, kept.measures[i].spread);
    EXPECT_EQ(back->measures[i].spread_ci95, kept.measures[i].spread_ci95);
    EXPECT_EQ(back->measures[i].ci95, kept.measures[i].ci95);
    EXPECT_EQ(back->measures[i].p, kept.measures[i].p);
    EXPECT_EQ(back->measures[i].false_positives, kept.measures[i].false_positives);
    EXPECT_EQ(back->measures[i].back_to_back_false_positives,
              kept.measures[i].back_to_back_false_positives);
    EXPECT_EQ(back->measures[i].detectable_ratio, kept.measures[i].detectable_ratio);
  }
  ASSERT_EQ(back->meters.size(), 1u);
  EXPECT_EQ(back->meters[0].quality, Quality::chip);
  EXPECT_FALSE(read_aa(directory, "another"));
}

TEST(AaFile, WhatIsNoRecordIsNothing) {
  FakeHost host;
  const AaRecord kept = record();
  write_aa(host.root(), kept);
  const auto file = host.root() / (kept.fingerprint + ".json");
  const std::string whole = aa_json_text(kept);
  for (const std::string& text :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"), std::string("{}"),
        std::string("{\"schema\": \"prengdl.aa/2\"}")}) {
    std::ofstream(file, std::ios::trunc) << text;
    EXPECT_FALSE(read_aa(host.root(), kept.fingerprint)) << text;
    EXPECT_FALSE(aa_of_json(text)) << text;
  }
  // A file that was copied from another machine is not this one's.
  AaRecord other = kept;
  other.fingerprint = "other";
  std::ofstream(file, std::ios::trunc) << aa_json_text(other);
  EXPECT_FALSE(read_aa(host.root(), kept.fingerprint));
}

TEST(AaReport, SaysWhatStandsBesideAClaim) {
  const std::string line = aa_line(record(), "metered");
  EXPECT_NE(line.find("7 pairs can show a ratio of 1.0"), std::string::npos) << line;
  AaRecord without_energy = record();
  without_energy.measures.erase(without_energy.measures.begin());
  EXPECT_NE(aa_line(without_energy, "metered").find("energy was not judged"), std::string::npos);
  const std::string text = aa_text(without_energy, false);
  EXPECT_NE(text.find("energy is not judged"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of 14 runs were disturbed"), std::string::npos) << text;
}

}  // namespace
}  // namespace prengdl
