// SPDX-License-Identifier: Apache-2.0
#include "profile/api_cost.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "profile/api_names.h"

namespace prengdl {
namespace {

std::optional<double> share_of(Seconds own, Seconds total) {
  return total.count() > 0 ? std::optional(own / total) : std::nullopt;
}

/// Adds up by name; the highest own time first.
class Adder {
 public:
  std::size_t place_of(const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, costs_.size());
    if (is_new) costs_.emplace_back().name = name;
    return place->second;
  }
  ApiCost& at(std::size_t place) { return costs_[place]; }
  std::vector<ApiCost> sorted(Seconds total) {
    for (auto& cost : costs_) cost.share = share_of(cost.own, total);
    std::stable_sort(costs_.begin(), costs_.end(),
                     [](const ApiCost& a, const ApiCost& b) { return a.own > b.own; });
    return std::move(costs_);
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<ApiCost> costs_;
};

void add_to(ApiCost& sum, const ProfiledFunction& function) {
  sum.calls += function.calls;
  sum.own += function.own;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

ProfileCost cost_of(std::string label, CallProfile profile, const ApiTable& table) {
  ProfileCost cost;
  cost.label = std::move(label);
  cost.profile = std::move(profile);
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < cost.profile.functions.size(); ++i) {
    const auto& function = cost.profile.functions[i];
    if (!function.is_listed) continue;
    cost.total += function.own;
    cost.calls += function.calls;
    places.push_back(i);
  }
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return cost.profile.functions[a].own > cost.profile.functions[b].own;
  });
  cost.functions.reserve(places.size());
  for (const auto place : places) {
    auto& made = cost.functions.emplace_back();
    made.place = place;
    if (const auto dotted = library_name(cost.profile.functions[place])) {
      auto api = table.find(*dotted);
      made.api = std::move(api.name);
      made.api_class = std::move(api.api_class);
      made.is_once_a_step = api.is_once_a_step;
    }
  }
  Adder classes;
  for (auto& one : cost.functions) {
    const auto& function = cost.function(one);
    one.share = share_of(function.own, cost.total);
    add_to(classes.at(classes.place_of(one.api_class.value_or(""))), function);
  }
  cost.classes = classes.sorted(cost.total);
  return cost;
}

std::vector<ApiCost> apis_of(const ProfileCost& cost) {
  Adder apis;
  std::vector<std::optional<std::size_t>> api_of(cost.profile.functions.size());
  for (const auto& one : cost.functions) {
    const auto place = apis.place_of(name_of(cost, one));
    api_of[one.place] = place;
    auto& api = apis.at(place);
    add_to(api, cost.function(one));
    api.is_own_code = !one.api;
    if (!api.api_class) api.api_class = one.api_class;
  }
  // torch.cuda.synchronize in Python calls torch.cuda.synchronize in C: for its user one call.
  for (const auto& edge : cost.profile.edges) {
    const auto place = api_of[edge.callee];
    if (edge.caller == edge.callee || !place || api_of[edge.caller] != place) continue;
    auto& calls = apis.at(*place).calls;
    calls -= std::min(calls, edge.calls);
  }
  return apis.sorted(cost.total);
}

std::string name_of(const ProfileCost& cost, const FunctionCost& function) {
  return function.api ? *function.api : own_name(cost.function(function));
}

std::vector<std::size_t> functions_named(const ProfileCost& cost, std::string_view name) {
  std::vector<std::size_t> exact;
  std::vector<std::size_t> near;
  const auto wanted = lower(name);
  for (std::size_t i = 0; i < cost.functions.size(); ++i) {
    const auto& one = cost.functions[i];
    const auto& function = cost.function(one);
    const auto shown = name_of(cost, one);
    if (shown == name || function.name == name)
      exact.push_back(i);
    else if (lower(shown).find(wanted) != std::string::npos ||
             lower(function.name).find(wanted) != std::string::npos)
      near.push_back(i);
  }
  return exact.empty() ? near : exact;
}

std::vector<ApiRow> side_by_side(const std::vector<ProfileCost>& costs, double least_share) {
  std::vector<ApiRow> rows;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::vector<ApiCost>> apis;
  apis.reserve(costs.size());
  for (const auto& cost : costs) apis.push_back(apis_of(cost));
  for (const auto& of_profile : apis)
    for (const auto& api : of_profile)
      if (api.share.value_or(0) >= least_share && places.emplace(api.name, rows.size()).second) {
        auto& row = rows.emplace_back();
        row.name = api.name;
        row.api_class = api.api_class;
        row.in.resize(costs.size());
      }
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (const auto& api : apis[i])
      if (const auto place = places.find(api.name); place != places.end())
        rows[place->second].in[i] = api;
  const auto highest = [](const ApiRow& row) {
    double share = 0;
    for (const auto& one : row.in)
      if (one) share = std::max(share, one->share.value_or(0));
    return share;
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const ApiRow& a, const ApiRow& b) { return highest(a) > highest(b); });
  return rows;
}

}  // namespace prengdl
