// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "print/status_parts.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

constexpr std::size_t most_rows = 20;

/// What a machine contributed, without warm-ups.
struct NodeRuns {
  std::string node, fingerprint;
  std::size_t runs = 0;
  std::size_t failures = 0;
  double share = 0;  // of all good runs
};

/// Nodes where runs failed come first.
std::vector<NodeRuns> nodes_of(const Status& status) {
  std::map<std::string, NodeRuns> by_machine;
  std::size_t good = 0;
  for (const auto& run : status.runs) {
    if (run.is_warmup) continue;
    NodeRuns& node = by_machine[run.machine];
    ++node.runs;
    if (run.outcome == Outcome::ok)
      ++good;
    else
      ++node.failures;
  }
  std::vector<NodeRuns> nodes;
  for (auto& [fingerprint, node] : by_machine) {
    node.node = shown_name(status.machines, fingerprint);
    node.fingerprint = fingerprint;
    if (good > 0)
      node.share = static_cast<double>(node.runs - node.failures) / static_cast<double>(good);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const NodeRuns& a, const NodeRuns& b) {
    return a.failures != b.failures ? a.failures > b.failures : natural_less(a.node, b.node);
  });
  return nodes;
}

/// When the state of the jobs was recorded, and whether anyone keeps it current.
void say_how_old(Part& part, const ShownCluster& cluster, bool is_done) {
  if (!has_controller_ended(cluster)) {
    part.note(fmt::format("as of {}, recorded by process {} on {}", cluster.at, cluster.pid,
                          printable(cluster.host)));
    return;
  }
  std::string text =
      fmt::format("nobody has followed these jobs since {}: process {} on {} has ended", cluster.at,
                  cluster.pid, printable(cluster.host));
  if (!is_done) text += ". The jobs may still run; run the same command again to continue";
  part.caution(text);
}

}  // namespace

std::string shown_blocks(const std::vector<std::size_t>& blocks) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t end = i + 1;
    while (end < blocks.size() && blocks[end] == blocks[end - 1] + 1) ++end;
    ranges.push_back(end - i == 1 ? fmt::format("{}", blocks[i] + 1)
                                  : fmt::format("{}-{}", blocks[i] + 1, blocks[end - 1] + 1));
    i = end;
  }
  return joined(ranges, ", ");
}

std::optional<Part> jobs_part(const Status& status, bool is_done) {
  if (!status.cluster || (status.cluster->jobs.empty() && !status.cluster->is_away))
    return std::nullopt;
  const ShownCluster& cluster = *status.cluster;
  Table table;
  table.columns = {text_column("job", "job"),     text_column("state", "state"),
                   text_column("node", "node"),   text_column("blocks", "blocks"),
                   number_column("runs", "runs"), text_column("reason", "reason")};
  for (const auto& job : first_jobs(cluster, most_rows))
    table.add({text_cell(printable(job.job)), text_cell(printable(job.state)),
               text_cell(printable(job.node)), text_cell(shown_blocks(job.blocks)),
               TableCell{fmt::format("{} of {}", job.made, job.planned),
                         static_cast<double>(job.made), false},
               text_cell(printable(job.reason))});
  Part part{"jobs", "jobs"};
  part.say(printable(summary_of(cluster)));
  part.add(std::move(table));
  if (cluster.jobs.size() > most_rows)
    part.note(fmt::format("and {} more", cluster.jobs.size() - most_rows));
  say_how_old(part, cluster, is_done);
  return part;
}

std::optional<Part> nodes_part(const Status& status) {
  const auto nodes = nodes_of(status);
  if (nodes.empty() || (nodes.size() == 1 && !status.cluster)) return std::nullopt;
  Table table;
  table.columns = {text_column("node", "node"), number_column("runs", "runs"),
                   number_column("failed", "failed"), number_column("share", "share of done")};
  for (std::size_t i = 0; i < std::min(nodes.size(), most_rows); ++i) {
    const NodeRuns& node = nodes[i];
    table.add({text_cell(node.node), count_cell(node.runs),
               node.failures > 0 ? count_cell(node.failures) : TableCell{},
               TableCell{fmt::format("{:.0f} %", 100 * node.share), node.share, false}});
  }
  Part part{"nodes", "nodes"};
  part.add(std::move(table));
  if (nodes.size() > most_rows) part.note(fmt::format("and {} more", nodes.size() - most_rows));
  return part;
}

Json cluster_json(const ShownCluster& cluster) {
  Json json = json_of(cluster);
  json["summary"] = summary_of(cluster);
  json["controller_has_ended"] = has_controller_ended(cluster);
  return json;
}

Json nodes_json(const Status& status) {
  Json json = Json::array();
  for (const auto& node : nodes_of(status))
    json.push_back({{"node", node.node},
                    {"fingerprint", node.fingerprint},
                    {"runs", node.runs},
                    {"failures", node.failures},
                    {"share", node.share}});
  return json;
}

std::optional<std::string> site_energy_line(const Status& status) {
  std::map<std::string, Joules> ours;
  for (const auto& run : status.runs)
    if (const auto& metered = run.run.energy.metered;
        metered && metered->quality != Quality::model && metered->value > Joules{0})
      ours[run.id] = metered->value;
  std::vector<double> ratios;
  for (const auto& one : status.site_energy)
    if (const auto own = ours.find(one.run); own != ours.end())
      ratios.push_back(one.energy.value / own->second.value);
  if (ratios.empty()) return std::nullopt;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return fmt::format(
      "the site's own accounting of {} is {:.3g} times prengdl's figure (median); it covers the "
      "whole node and a little more time",
      counted(ratios.size(), "run"), *middle);
}

}  // namespace prengdl
