// SPDX-License-Identifier: Apache-2.0
#include "stats/group_effect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/rules_reference.h"

namespace prengdl {
namespace {

/// Rows of node, block, level and log.
std::vector<GroupLogs> nodes_of(const std::string& name) {
  const auto& figures = rules_reference().series.at(name);
  std::vector<GroupLogs> nodes;
  for (std::size_t i = 0; i < figures.size(); i += 4) {
    const auto node = static_cast<std::size_t>(figures[i]);
    const auto level = static_cast<std::size_t>(figures[i + 2]);
    nodes.resize(std::max(nodes.size(), node + 1));
    auto& levels = nodes[node].levels;
    levels.resize(std::max(levels.size(), level + 1));
    levels[level].push_back(figures[i + 3]);
  }
  return nodes;
}

TEST(GroupVariation, AgreesWithNestedModelsAndManyDraws) {
  // Both sides draw at random, here 10,000 times.
  constexpr double tolerance = 0.015;
  const auto& expected = rules_reference().figures;
  for (const std::string name :
       {"three_nodes_in_blocks", "five_unequal_nodes_in_blocks", "four_nodes_without_blocks"}) {
    const bool in_blocks = name != "four_nodes_without_blocks";
    const auto found = variation_between_groups(nodes_of(name), in_blocks);
    ASSERT_TRUE(found) << name;
    const auto near = [&](const char* figure, double value) {
      EXPECT_NEAR(value, expected.at("nodes " + name + " " + figure), tolerance) << name << figure;
    };
    near("share", found->share);
    near("low", found->ci95[0]);
    near("high", found->ci95[1]);
    near("interaction", found->interaction);
    near("interaction_high", found->interaction_ci95[1]);
  }
}

TEST(GroupVariation, LevelsAreNoVariation) {
  auto nodes = nodes_of("three_nodes_in_blocks");
  const auto before = variation_between_groups(nodes, true);
  for (auto& node : nodes)
    for (double& log : node.levels[1]) log += 5;
  const auto after = variation_between_groups(nodes, true);
  EXPECT_NEAR(before->share, after->share, 1e-9);
}

TEST(GroupVariation, NeedsReplicatesOnTwoNodesWithAllLevels) {
  const GroupLogs full{{{1.0, 1.1}, {2.0, 2.2}}};
  const GroupLogs single{{{1.3}, {2.1}}};
  EXPECT_FALSE(variation_between_groups(std::vector{full}, true)) << "one node";
  EXPECT_FALSE(variation_between_groups(std::vector{single, single}, true)) << "no replicates";
  EXPECT_TRUE(variation_between_groups(std::vector{full, single}, true));
  EXPECT_FALSE(variation_between_groups(std::vector{full, GroupLogs{{{1.0, 1.1}}}}, true));
  EXPECT_FALSE(variation_between_groups(std::vector{full, GroupLogs{{{1.0}, {}}}}, false));
  const GroupLogs constant{{{1.0, 1.0}, {2.0, 2.0}}};
  EXPECT_FALSE(variation_between_groups(std::vector{constant, constant}, false)) << "no spread";
}

LogRatio group(double log, double error, double freedom) {
  return log_ratio_of(log, error, freedom);
}

TEST(GroupedRatio, GroupsAreTheSampleEvenIfTheySeemAlike) {
  // Closer to each other than their errors foretell: pooling would take 20 degrees of freedom.
  const auto found = ratio_over_groups(std::vector{group(0.10, 0.02, 10), group(0.11, 0.02, 10)});
  ASSERT_TRUE(found);
  // The mean 0.105 has 12.7 standard errors of 0.005.
  EXPECT_NEAR(std::log(found->ratio.ci95[1]), 0.105 + 12.7062 * 0.005, 1e-5);
  EXPECT_NEAR(found->ratio.p, 2 * std::atan(0.005 / 0.105) / std::acos(-1), 1e-9) << "t with 1";
  ASSERT_TRUE(found->p_differ);
  EXPECT_GT(*found->p_differ, 0.25);
}

TEST(GroupedRatio, IsNeverSurerThanTheRunsWithinGroups) {
  const auto found = ratio_over_groups(std::vector{group(0.1, 0.02, 10), group(0.1, 0.02, 10)});
  ASSERT_TRUE(found);
  const double error = 0.02 / std::sqrt(2.0);
  EXPECT_NEAR(found->ratio.standard_error, error, 1e-12);
  EXPECT_NEAR(std::log(found->ratio.ci95[1]), 0.1 + student_factor(0.95, 20) * error, 1e-9);
}

TEST(GroupedRatio, GroupsWithoutErrorsOfTheirOwnAreEnough) {
  const auto found =
      ratio_over_groups(std::vector{group(0.1, 0, 1), group(0.2, 0, 1), group(0, 0, 1)});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->p_differ);
  EXPECT_NEAR(found->ratio.standard_error, 0.1 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(found->ratio.freedom, 2);
  EXPECT_FALSE(ratio_over_groups(std::vector{group(0.1, 0, 1), group(0.1, 0, 1)})) << "no spread";
}

}  // namespace
}  // namespace prengdl
