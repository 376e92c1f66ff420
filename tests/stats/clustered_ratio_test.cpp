// SPDX-License-Identifier: Apache-2.0
#include "stats/clustered_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/group_ratio.h"
#include "stats/rules_reference.h"

namespace prengdl {
namespace {

using Cases = std::vector<ClusteredCase>;

Cases reference_cases(const std::string& name) {
  const auto& figures = rules_reference().series.at(name);
  Cases cases;
  for (std::size_t i = 0; i < figures.size(); i += 3)
    cases.push_back({figures[i + 2], static_cast<std::size_t>(figures[i]),
                     static_cast<std::size_t>(figures[i + 1])});
  return cases;
}

struct Population {
  std::size_t clusters = 4;
  std::size_t batches = 3;
  std::size_t machines = 1;
  double between_clusters = 0.1;
  double between_machines = 0;
  double missing = 0;
};

/// Cases of one study. The true mean is a ratio of 1.
Cases draw(const Population& population, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> of_machine(population.machines);
  for (double& effect : of_machine) effect = population.between_machines * normal(random);
  Cases cases;
  for (std::size_t cluster = 0; cluster < population.clusters; ++cluster) {
    const double of_cluster = population.between_clusters * normal(random);
    for (std::size_t batch = 0; batch < population.batches; ++batch) {
      const double of_batch = 0.03 * normal(random);
      for (std::size_t machine = 0; machine < population.machines; ++machine) {
        const bool is_kept = batch == 0 && machine == cluster % population.machines;
        if (!is_kept && uniform(random) < population.missing) continue;
        cases.push_back({of_cluster + of_batch + of_machine[machine] + 0.01 * normal(random),
                         cluster, machine});
      }
    }
  }
  return cases;
}

double coverage(const Population& population) {
  std::mt19937_64 random(1);
  const int studies = 2000;
  int covered = 0;
  for (int i = 0; i < studies; ++i) {
    const auto found = clustered_ratio(draw(population, random)).value();
    covered += found.ci95[0] <= 1 && 1 <= found.ci95[1] ? 1 : 0;
  }
  return static_cast<double>(covered) / studies;
}

TEST(ClusteredRatio, AgreesWithALinearSystem) {
  for (const std::string name :
       {"one_machine", "three_machines", "two_machines_with_gaps", "five_machines_with_gaps"}) {
    const auto found = clustered_ratio(reference_cases(name)).value();
    const std::string what = "clustered " + name;
    rules_reference().expect(what + " ratio", found.ratio);
    rules_reference().expect(what + " low", found.ci95[0]);
    rules_reference().expect(what + " high", found.ci95[1]);
    rules_reference().expect(what + " predicted_low", found.prediction95[0]);
    rules_reference().expect(what + " predicted_high", found.prediction95[1]);
    EXPECT_EQ(found.clusters, 4u);
  }
}

TEST(ClusteredRatio, CoversTheMeanOverClusters) {
  for (const std::size_t clusters : {3, 6})
    for (const double between : {0.0, 0.3}) {
      const double share =
          coverage({.clusters = clusters, .batches = 8, .between_clusters = between});
      EXPECT_GE(share, 0.93) << clusters << " clusters, " << between;
      EXPECT_LE(share, 0.98) << clusters << " clusters, " << between;
    }
}

TEST(ClusteredRatio, CoversTheMeanOverClustersAndMachines) {
  for (const std::size_t machines : {2, 3, 5})
    for (const double missing : {0.0, 0.3}) {
      const double share = coverage(
          {.clusters = 5, .machines = machines, .between_machines = 0.1, .missing = missing});
      EXPECT_GE(share, 0.93) << machines << " machines, missing " << missing;
      EXPECT_LE(share, 0.985) << machines << " machines, missing " << missing;
    }
}

TEST(ClusteredRatio, DoesNotTakeCasesOfAClusterForIndependentOnes) {
  std::mt19937_64 random(2);
  int covered = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<double> ratios;
    for (const auto& one : draw({.clusters = 3, .batches = 8, .between_clusters = 0.3}, random))
      ratios.push_back(std::exp(one.log_ratio));
    const auto naive = ratio_over_cases(ratios).value();
    covered += naive.ci95[0] <= 1 && 1 <= naive.ci95[1] ? 1 : 0;
  }
  EXPECT_LT(covered, 300);
}

TEST(ClusteredRatio, EstimatesTheSpreadBetweenClusters) {
  std::mt19937_64 random(3);
  double sum = 0;
  for (int i = 0; i < 500; ++i)
    sum += std::pow(clustered_ratio(draw({.clusters = 6, .machines = 2}, random))->tau, 2);
  EXPECT_NEAR(std::sqrt(sum / 500), 0.1, 0.01);
  EXPECT_NEAR(clustered_ratio(draw({.between_clusters = 0}, random))->tau, 0, 0.03);
}

TEST(ClusteredRatio, OfTwoMachinesThatDisagreeIsWide) {
  Cases cases;
  for (std::size_t cluster = 0; cluster < 4; ++cluster)
    for (std::size_t machine = 0; machine < 2; ++machine)
      cases.push_back({std::log(machine == 0 ? 0.8 : 1.1) + 0.001 * static_cast<double>(cluster),
                       cluster, machine});
  const auto found = clustered_ratio(cases).value();
  EXPECT_LT(found.ci95[0], 0.5);
  EXPECT_GT(found.ci95[1], 1.5);
  EXPECT_EQ(found.machines, 2u);
}

TEST(ClusteredRatio, TakesMachinesThatShareNoCluster) {
  Cases cases;
  for (std::size_t cluster = 0; cluster < 4; ++cluster)
    for (int batch = 0; batch < 2; ++batch)
      cases.push_back({cluster < 2 ? 0.1 : -0.1 + 0.01 * batch, cluster, cluster / 2});
  const auto found = clustered_ratio(cases).value();
  EXPECT_LT(std::log(found.ci95[0]), -0.5);  // two machines, whatever their clusters
  EXPECT_GT(std::log(found.ci95[1]), 0.5);
}

TEST(ClusteredRatio, NeedsThreeClusters) {
  const Cases two{{0.1, 0, 0}, {0.2, 0, 0}, {0.1, 7, 0}, {0.2, 7, 0}};
  EXPECT_FALSE(clustered_ratio(two));
  EXPECT_FALSE(clustered_ratio({}));
  const Cases three{{0.1, 0, 0}, {0.2, 3, 0}, {0.1, 7, 0}};
  EXPECT_TRUE(clustered_ratio(three));
  EXPECT_FALSE(clustered_ratio(Cases{{0.1, 0, 0}, {std::nan(""), 3, 0}, {0.1, 7, 0}}));
}

}  // namespace
}  // namespace prengdl
