// SPDX-License-Identifier: Apache-2.0
//
// What other programs draw: the call graph for Graphviz, stacks for flame graphs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/call_stacks.h"
#include "base/text.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"

namespace prengdl {
namespace {

constexpr std::size_t widest_name = 120;

std::string dot_text(const std::string& text) {
  std::string safe;
  for (const char c : shortened(printable(text), widest_name)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

/// White for no own time, then ever more orange.
std::string colour_of(double share) {
  const double strength = std::sqrt(std::clamp(share, 0.0, 1.0));
  const auto part = [&](double full) {
    return static_cast<int>(std::lround(255 - strength * (255 - full)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(240), part(110), part(40));
}

/// A frame's name without what separates frames and counts.
std::string frame_name(const std::string& name) {
  std::string safe = shortened(printable(name), widest_name);
  std::replace(safe.begin(), safe.end(), ';', ':');
  return safe;
}

}  // namespace

std::string call_graph_dot(const ProfileCost& cost, double least_share) {
  const double total = cost.total.count();
  const auto share = [&](Seconds time) { return total > 0 ? time.count() / total : 0; };
  const auto names = names_by_place(cost);
  std::vector<bool> is_in(cost.profile.functions.size());
  std::string out = fmt::format(
      "digraph profile {{\n  label=\"{}: {:.3f} s\";\n"
      "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n",
      dot_text(cost.label), total);
  for (const auto& one : cost.functions) {
    const auto& function = cost.function(one);
    if (std::max(share(function.cumulative), share(function.own)) < least_share) continue;
    is_in[one.place] = true;
    out += fmt::format(
        "  f{} [label=\"{}\\n{:.1f} % ({:.1f} % own)\\n{} calls\", fillcolor=\"{}\"];\n", one.place,
        dot_text(names[one.place]), 100 * share(function.cumulative), 100 * share(function.own),
        grouped(function.calls), colour_of(share(function.own)));
  }
  for (const auto& edge : cost.profile.edges) {
    if (!is_in[edge.caller] || !is_in[edge.callee]) continue;
    // Where times were not told, all calls between the functions that matter are shown.
    const auto time = edge.cumulative;
    if (time && share(*time) < least_share) continue;
    const double width = time ? std::clamp(0.5 + 4 * share(*time), 0.5, 4.5) : 0.5;
    out += fmt::format("  f{} -> f{} [label=\"{}{}\", penwidth={:.2f}];\n", edge.caller,
                       edge.callee, time ? fmt::format("{:.1f} %\\n", 100 * share(*time)) : "",
                       grouped(edge.calls) + " calls", width);
  }
  return out + "}\n";
}

void write_collapsed(const ProfileCost& cost, std::ostream& out) {
  auto names = names_by_place(cost);
  for (auto& name : names) name = frame_name(name);
  std::string line;
  for_each_stack(cost.profile, [&](std::span<const std::uint32_t> stack, Seconds own) {
    const auto microseconds = std::llround(own.count() * 1e6);
    if (microseconds <= 0) return;
    line.clear();
    for (const auto place : stack) line += (line.empty() ? "" : ";") + names[place];
    out << line << ' ' << microseconds << '\n';
  });
}

}  // namespace prengdl
