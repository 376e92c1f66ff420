// SPDX-License-Identifier: Apache-2.0
//
// Of the calls: the flame graph and the call graph of each profile.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "print/profile.h"
#include "profile/call_stacks.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

constexpr std::size_t longest_name = 80;
constexpr double least_frame =
    0.003;  // of the time: narrower frames are less than three pixels wide
constexpr std::size_t most_nodes = 40;

/// A frame with all that it called.
struct Frame {
  double own = 0;
  std::map<std::uint32_t, Frame> callees;

  double total() const {
    double sum = own;
    for (const auto& [place, frame] : callees) sum += frame.total();
    return sum;
  }
};

class FlameTable {
 public:
  FlameTable(const CellProfileCost& profile, Table& table)
      : profile_(profile),
        names_(names_by_place(profile.cost)),
        table_(table),
        whole_(profile.cost.total.count()) {}

  void fill() {
    if (!(whole_ > 0)) return;
    Frame root;
    StackLimits limits;
    limits.least_share = least_frame / 4;
    for_each_stack(
        profile_.cost.profile,
        [&](std::span<const std::uint32_t> stack, Seconds own) {
          Frame* frame = &root;
          for (const auto place : stack) frame = &frame->callees[place];
          frame->own += own.count();
        },
        limits);
    put(root, 0, 0);
  }

 private:
  void put(const Frame& parent, int depth, double start) {
    std::vector<std::pair<double, std::uint32_t>> order;  // the longest first
    order.reserve(parent.callees.size());
    for (const auto& [place, frame] : parent.callees) order.emplace_back(frame.total(), place);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [total, place] : order) {
      const double share = total / whole_;
      if (share < least_frame) break;
      const auto number = [](double value) {
        return TableCell{fmt::format("{:.4f}", value), value, false};
      };
      table_.rows.push_back({text_cell(profile_.label),
                             text_cell(shortened(names_[place], longest_name)),
                             count_cell(static_cast<std::size_t>(depth)), number(start),
                             number(start + share), share_cell(share)});
      put(parent.callees.at(place), depth + 1, start);
      start += share;
    }
  }

  const CellProfileCost& profile_;
  std::vector<std::string> names_;
  Table& table_;
  double whole_;
};

void add_flame(const ReportInput& input, Part& part) {
  Table table;
  table.id = "frames";
  table.title = "Frames of the flame graphs";
  table.columns = {text_column("profile", "profile"), text_column("name", "function"),
                   number_column("depth", "depth"),   number_column("start", "from"),
                   number_column("end", "to"),        number_column("share", "share with callees")};
  for (const auto& profile : input.profiles) FlameTable(profile, table).fill();
  table.note =
      "cProfile keeps pairs of caller and callee, not stacks. Stacks are rebuilt from them in "
      "proportion (`docs/reference/profile.md`).";
  Chart chart;
  chart.id = "flame";
  chart.title = "Flame graph";
  chart.says =
      "Each frame is as wide as its share of the time, including its callees, and lies below its "
      "caller. Click a frame to enlarge it.";
  chart.kind = ChartKind::flame;
  chart.roles = {{"start", "start"}, {"end", "end"},     {"depth", "depth"},
                 {"name", "name"},   {"share", "share"}, {"profile", "profile"}};
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
}

/// Functions that matter, in layers by the calls that lead to them.
struct Graph {
  std::vector<std::uint32_t> nodes;  // places
  std::map<std::uint32_t, int> layer;
  std::vector<const CallEdge*> edges;
};

Graph graph_of(const ProfileCost& cost, double least_share) {
  Graph graph;
  const double whole = cost.total.count();
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& one : cost.functions) {
    const auto& function = cost.function(one);
    const double share = std::max(function.cumulative, function.own).count() / whole;
    if (share >= least_share) order.emplace_back(share, one.place);
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (order.size() > most_nodes) order.resize(most_nodes);
  for (const auto& [share, place] : order) graph.layer[place] = 0;
  for (const auto& edge : cost.profile.edges)
    if (edge.caller != edge.callee && graph.layer.contains(edge.caller) &&
        graph.layer.contains(edge.callee) &&
        (!edge.cumulative || edge.cumulative->count() / whole >= least_share))
      graph.edges.push_back(&edge);
  // Longest path, as far as there is no circle: a circle stops growing after as many rounds as
  // nodes.
  for (std::size_t round = 0; round < order.size(); ++round) {
    bool moved = false;
    for (const auto* edge : graph.edges)
      if (graph.layer[edge->callee] <= graph.layer[edge->caller] &&
          graph.layer[edge->caller] < 14) {
        graph.layer[edge->callee] = graph.layer[edge->caller] + 1;
        moved = true;
      }
    if (!moved) break;
  }
  for (const auto& [share, place] : order) graph.nodes.push_back(place);
  return graph;
}

void add_graph(const ReportInput& input, Part& part) {
  Table nodes, edges;
  nodes.id = "call-nodes";
  nodes.title = "Functions of the call graphs";
  nodes.columns = {text_column("profile", "profile"), text_column("id", "id"),
                   text_column("name", "function"),   number_column("x", "place in layer"),
                   number_column("y", "layer"),       number_column("share", "share with callees"),
                   number_column("own", "own share"), number_column("calls", "calls")};
  edges.id = "call-edges";
  edges.title = "Calls between them";
  edges.columns = {text_column("profile", "profile"), text_column("from", "caller"),
                   text_column("to", "callee"), number_column("calls", "calls"),
                   number_column("share", "share")};
  for (const auto& profile : input.profiles) {
    const auto& cost = profile.cost;
    const double whole = cost.total.count();
    if (!(whole > 0)) continue;
    const Graph graph = graph_of(cost, std::max(input.least_share, 0.01));
    const auto names = names_by_place(cost);
    std::map<int, std::size_t> in_layer, width;
    for (const auto place : graph.nodes) ++width[graph.layer.at(place)];
    for (const auto place : graph.nodes) {
      const auto& function = cost.profile.functions[place];
      const int layer = graph.layer.at(place);
      const double x =
          (static_cast<double>(in_layer[layer]++) + 0.5) / static_cast<double>(width[layer]);
      nodes.rows.push_back({text_cell(profile.label),
                            text_cell(fmt::format("f{}", place)),
                            text_cell(shortened(names[place], longest_name)),
                            number_cell(x, 3),
                            count_cell(static_cast<std::size_t>(layer)),
                            share_cell(function.cumulative.count() / whole),
                            share_cell(function.own.count() / whole),
                            {grouped(function.calls), static_cast<double>(function.calls), false}});
    }
    for (const auto* edge : graph.edges)
      edges.rows.push_back(
          {text_cell(profile.label),
           text_cell(fmt::format("f{}", edge->caller)),
           text_cell(fmt::format("f{}", edge->callee)),
           {grouped(edge->calls), static_cast<double>(edge->calls), false},
           edge->cumulative ? share_cell(edge->cumulative->count() / whole) : TableCell{}});
  }
  Chart chart;
  chart.id = "calls";
  chart.title = "Call graph";
  chart.says = "Callers are above callees. The darker a function, the more time it spends itself.";
  chart.kind = ChartKind::call_graph;
  chart.roles = {{"x", "x"},         {"y", "y"},     {"name", "name"},
                 {"share", "share"}, {"own", "own"}, {"profile", "profile"},
                 {"id", "id"}};
  chart.tables.push_back(std::move(nodes));
  chart.tables.push_back(std::move(edges));
  part.add(std::move(chart));
}

}  // namespace

void add_call_charts(const ReportInput& input, Part& part) {
  add_flame(input, part);
  add_graph(input, part);
}

}  // namespace prengdl
