// SPDX-License-Identifier: Apache-2.0
//
// Profiles for other programs: JSON, CSV, the call graph for Graphviz, stacks for flame graphs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/escaping.h"
#include "base/json.h"
#include "base/strings.h"
#include "print/profile.h"
#include "profile/api_names.h"
#include "profile/call_stacks.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

void longest_first(std::vector<CallLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const CallLine& a, const CallLine& b) {
    const auto x = a.edge.cumulative.value_or(Seconds{});
    const auto y = b.edge.cumulative.value_or(Seconds{});
    return x != y ? x > y : a.edge.calls > b.edge.calls;
  });
}

/// Places in `cost.functions` that the view asks for.
std::vector<std::size_t> wanted(const ProfileCost& cost, const ProfileView& view) {
  if (view.function) return functions_named(cost, *view.function);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < cost.functions.size(); ++i)
    if (!view.least_in_data || cost.functions[i].share.value_or(0) >= *view.least_in_data)
      places.push_back(i);
  return places;
}

Json identity_json(const ProfiledFunction& function) {
  return {{"function", function.name}, {"file", function.file}, {"line", function.line}};
}

Json function_json(const ProfileCost& cost, const FunctionCost& one) {
  const auto& function = cost.function(one);
  Json json = identity_json(function);
  if (one.api) json["api"] = *one.api;
  if (one.api_class) json["class"] = *one.api_class;
  json["calls"] = function.calls;
  json["primitive_calls"] = function.primitive_calls;
  json["own_seconds"] = function.own.count();
  json["cumulative_seconds"] = function.cumulative.count();
  if (one.share) json["share"] = *one.share;
  if (one.joules) json["joules"] = one.joules->value;
  return json;
}

Json calls_json(const ProfileCost& cost, const std::vector<CallLine>& lines) {
  Json list = Json::array();
  for (const auto& line : lines) {
    Json json = identity_json(cost.profile.functions[line.other]);
    json["calls"] = line.edge.calls;
    json["primitive_calls"] = line.edge.primitive_calls;
    if (line.edge.own) json["own_seconds"] = line.edge.own->count();
    if (line.edge.cumulative) json["cumulative_seconds"] = line.edge.cumulative->count();
    list.push_back(std::move(json));
  }
  return list;
}

Json sums_json(const std::vector<ApiCost>& costs, const char* key, const ProfileView& view) {
  Json list = Json::array();
  for (const auto& one : costs) {
    if (one.is_own_code || one.name.empty()) continue;
    if (view.least_in_data && one.share.value_or(0) < *view.least_in_data) continue;
    Json json{{key, one.name}};
    if (one.api_class) json["class"] = *one.api_class;
    json["calls"] = one.calls;
    json["own_seconds"] = one.own.count();
    if (one.share) json["share"] = *one.share;
    list.push_back(std::move(json));
  }
  return list;
}

Json profile_object(const ProfileCost& cost, const ProfileView& view) {
  Json json{{"profile", cost.label},
            {"total_seconds", cost.total.count()},
            {"calls", cost.calls},
            {"functions", Json::array()}};
  if (cost.slow_down) json["slow_down"] = *cost.slow_down;
  for (const auto place : wanted(cost, view)) {
    const auto& one = cost.functions[place];
    Json function = function_json(cost, one);
    if (view.function) {
      function["callers"] = calls_json(cost, callers_of(cost, one.place));
      function["callees"] = calls_json(cost, callees_of(cost, one.place));
    }
    json["functions"].push_back(std::move(function));
  }
  if (view.function) return json;
  json["apis"] = sums_json(apis_of(cost), "api", view);
  json["classes"] = sums_json(cost.classes, "class", view);
  return json;
}

const char* name_of(CallDifference::Of of) {
  switch (of) {
    case CallDifference::Of::steps:
      return "steps";
    case CallDifference::Of::api_class:
      return "class";
    default:
      return "function";
  }
}

/// Each profile against the first.
Json differences_json(const std::vector<ProfileCost>& costs, const ProfileView& view) {
  Json list = Json::array();
  for (std::size_t j = 1; j < costs.size(); ++j)
    for (const auto& one : call_differences(costs[0], costs[j], view.least_share))
      list.push_back({{"of", name_of(one.of)},
                      {"name", one.name},
                      {"profiles", {costs[0].label, costs[j].label}},
                      {"calls", one.calls},
                      {"ratio", one.ratio()}});
  return list;
}

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

std::vector<CallLine> callers_of(const ProfileCost& cost, std::uint32_t place) {
  std::vector<CallLine> lines;
  for (const auto& edge : cost.profile.edges)
    if (edge.callee == place) lines.push_back({edge.caller, edge});
  longest_first(lines);
  return lines;
}

std::vector<CallLine> callees_of(const ProfileCost& cost, std::uint32_t place) {
  std::vector<CallLine> lines;
  for (const auto& edge : cost.profile.edges)
    if (edge.caller == place) lines.push_back({edge.callee, edge});
  longest_first(lines);
  return lines;
}

std::vector<std::string> names_by_place(const ProfileCost& cost) {
  std::vector<std::string> names(cost.profile.functions.size());
  for (const auto& one : cost.functions) names[one.place] = name_of(cost, one);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& function = cost.profile.functions[i];
    if (!function.is_listed) names[i] = library_name(function).value_or(own_name(function));
  }
  return names;
}

std::string location_of(const ProfiledFunction& function) {
  if (function.file == "~") return "";
  return fmt::format("{}:{}", function.file, function.line);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string profile_json(const std::vector<ProfileCost>& costs, const ProfileView& view) {
  Json json{{"schema", "prengdl.profile/2"}};
  if (costs.size() == 1) {
    json.update(profile_object(costs.front(), view));
  } else {
    json["profiles"] = Json::array();
    for (const auto& cost : costs) json["profiles"].push_back(profile_object(cost, view));
    if (!view.function) json["differences"] = differences_json(costs, view);
  }
  return dump(json) + "\n";
}

std::string profile_csv(const std::vector<ProfileCost>& costs, const ProfileView& view) {
  std::string out = costs.size() > 1 ? "profile," : "";
  out +=
      "function,file,line,api,class,calls,primitive_calls,own_seconds,cumulative_seconds,share\n";
  for (const auto& cost : costs)
    for (const auto place : wanted(cost, view)) {
      const auto& one = cost.functions[place];
      const auto& function = cost.function(one);
      if (costs.size() > 1) out += csv_cell(cost.label) + ",";
      out +=
          fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_cell(std::string(function.name)),
                      csv_cell(std::string(function.file)), function.line,
                      csv_cell(one.api.value_or("")), csv_cell(one.api_class.value_or("")),
                      function.calls, function.primitive_calls, function.own.count(),
                      function.cumulative.count(), one.share ? fmt::format("{}", *one.share) : "");
    }
  return out;
}

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
    // If times were not recorded, all calls between the functions that matter are shown.
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
  for_each_stack(cost.profile, [&](std::span<const std::uint32_t> stack, Seconds own) {
    const auto microseconds = std::llround(own.count() * 1e6);
    if (microseconds <= 0) return;
    out << joined(stack, ";", [&](std::uint32_t place) { return names[place]; }) << ' '
        << microseconds << '\n';
  });
}

}  // namespace prengdl
