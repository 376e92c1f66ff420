// SPDX-License-Identifier: Apache-2.0
//
// A study on several nodes: does one of them differ from its peers by more than nodes of one kind
// do?
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "audit/audited_runs.h"
#include "audit/checks.h"
#include "stats/correction.h"
#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// With two nodes nobody can say which of them differs.
constexpr std::size_t fewest_nodes = 3;
/// The standard deviation between nodes of one kind, and how many nodes that knowledge is worth.
/// Costs of identical GPUs in five clusters range over 8 % (Sinha et al. 2022, SC22), which is
/// about four standard deviations.
constexpr double usual_spread = 0.02;
constexpr double usual_freedom = 20;
/// Below this a node changes nothing that anyone would report.
constexpr double least_change = 0.05;
constexpr double to_deviations = 1.4826022185056018;  // of normal values, from the MAD
/// The variance of a median over that of a mean, and so the share of values that a MAD uses.
constexpr double median_variance = 1.57;
constexpr double mad_efficiency = 0.37;

/// What a node's costs are over those of all nodes, on logs and adjusted for cells.
struct NodeEffect {
  std::string machine;
  double effect = 0;
  double variance = 0;  // of the effect, from the scatter of its blocks
};

/// Logs less the median of the nodes in their cell, by machine and block. Without blocks each run
/// stands for itself.
using Residuals = std::map<std::string, std::map<std::size_t, std::vector<double>>>;

Residuals residuals_of(const AuditRuns& runs, const std::string& measure) {
  Residuals residuals;
  std::size_t number = 0;
  for (const auto& cell : runs.cells()) {
    std::map<std::string, std::vector<double>> by_node;
    for (const auto* run : cell.runs)
      if (const auto value = runs.value(*run, measure); value && *value > 0)
        by_node[run->machine].push_back(std::log(*value));
    if (by_node.size() < fewest_nodes) continue;
    std::vector<double> means;
    means.reserve(by_node.size());
    for (const auto& [machine, logs] : by_node) means.push_back(mean(logs));
    const double centre = median(means);
    for (const auto* run : cell.runs)
      if (const auto value = runs.value(*run, measure); value && *value > 0)
        residuals[run->machine][runs.input().is_paired ? run->block : number++].push_back(
            std::log(*value) - centre);
  }
  return residuals;
}

/// Empty if there are too few nodes, or no node has two blocks.
std::vector<NodeEffect> effects_of(const Residuals& residuals) {
  std::vector<NodeEffect> nodes;
  std::vector<double> blocks_of_node;
  double squares = 0;
  double freedom = 0;
  for (const auto& [machine, blocks] : residuals) {
    std::vector<double> means;
    for (const auto& [block, logs] : blocks) means.push_back(mean(logs));
    const double effect = mean(means);
    for (const double one : means) squares += (one - effect) * (one - effect);
    freedom += static_cast<double>(means.size() - 1);
    nodes.push_back({machine, effect, 0});
    blocks_of_node.push_back(static_cast<double>(means.size()));
  }
  if (nodes.size() < fewest_nodes || freedom < 1) return {};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i].variance = squares / freedom / blocks_of_node[i];
  return nodes;
}

/// One node against the others.
struct PeerTest {
  std::string machine, measure;
  double difference = 0;  // of logs, from the median of the peers
  double p = 1;
  double corrected = 1;
};

/// The peers' spread (by their MAD, so that a second deviating node hides nothing) is weighed with
/// the usual one, as a moderated t statistic does (Smyth 2004).
PeerTest against_peers(const std::vector<NodeEffect>& nodes, std::size_t which) {
  std::vector<double> peers, distances;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (i != which) peers.push_back(nodes[i].effect);
  const double centre = median(peers);
  for (const double peer : peers) distances.push_back(std::abs(peer - centre));
  const double spread = to_deviations * median(distances);
  const bool has_two = peers.size() == 2;  // whose median and MAD are mean and range
  const auto count = static_cast<double>(peers.size());
  const double freedom = (count - 1) * (has_two ? 1 : mad_efficiency);
  const double variance =
      (usual_freedom * usual_spread * usual_spread + freedom * spread * spread) /
      (usual_freedom + freedom);
  const double error =
      std::sqrt(variance * (1 + (has_two ? 1 : median_variance) / count) + nodes[which].variance);
  PeerTest test;
  test.machine = nodes[which].machine;
  test.difference = nodes[which].effect - centre;
  test.p = two_sided_p(test.difference / error, usual_freedom + freedom);
  return test;
}

AuditFinding deviating(const AuditRuns& runs, const PeerTest& test, std::size_t nodes) {
  const std::string name = shown_name(runs.input().machines, test.machine);
  const double ratio = std::exp(test.difference);
  const bool is_energy = is_energy_measure(test.measure);
  return {
      "deviating-node",
      AuditSeverity::warning,
      {},
      {{"node", name},
       {"machine", test.machine},
       {"measure", test.measure},
       {"ratio_to_peers", ratio},
       {"nodes", static_cast<double>(nodes)},
       {"p", test.p},
       {"p_corrected", test.corrected}},
      fmt::format("{} {} {} {} {} than its {} peers ({})", name, is_energy ? "draws" : "takes",
                  percent(std::abs(ratio - 1)), ratio > 1 ? "more" : "less",
                  is_energy ? "energy" : "time", nodes - 1, p_text(test.corrected)),
      "Compare its cooling, power limits, firmware and other load with those of its peers; pairs "
      "within blocks take out what all levels share"};
}

}  // namespace

void audit_nodes(const AuditRuns& runs, AuditFindings& findings) {
  std::vector<PeerTest> tests;
  std::size_t count = 0;
  for (const auto& measure : runs.measures()) {
    const auto nodes = effects_of(residuals_of(runs, measure));
    count = std::max(count, nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      tests.push_back(against_peers(nodes, i));
      tests.back().measure = measure;
    }
  }
  if (tests.empty()) return;
  std::vector<double> p_values;
  p_values.reserve(tests.size());
  for (const auto& test : tests) p_values.push_back(test.p);
  const auto corrected = benjamini_hochberg(p_values);
  std::map<std::string, PeerTest> sharpest;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    tests[i].corrected = corrected[i];
    const bool is_shown =
        corrected[i] < alarm_p && std::abs(std::expm1(tests[i].difference)) >= least_change;
    if (!is_shown) continue;
    const auto [place, is_new] = sharpest.try_emplace(tests[i].machine, tests[i]);
    if (!is_new && tests[i].p < place->second.p) place->second = tests[i];
  }
  for (const auto& [machine, test] : sharpest) findings.push_back(deviating(runs, test, count));
  if (!sharpest.empty()) return;
  findings.push_back({"deviating-node",
                      AuditSeverity::ok,
                      {},
                      {{"nodes", static_cast<double>(count)}},
                      fmt::format("none of {} nodes differs from its peers by more than nodes of "
                                  "one kind do",
                                  count),
                      ""});
}

}  // namespace prengdl
