// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "report/json.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"
#include "report/table.h"

namespace prengdl {
namespace {

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

}  // namespace

std::string profile_json(const std::vector<ProfileCost>& costs, const ProfileView& view) {
  Json json{{"schema", "prengdl.profile/1"}};
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

}  // namespace prengdl
