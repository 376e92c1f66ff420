// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/strings.h"
#include "profile/api_cost.h"

namespace prengdl {
namespace {

struct Steps {
  std::uint64_t calls = 0;
  std::set<std::string> apis;
};

Steps steps_of(const ProfileCost& cost) {
  Steps steps;
  for (const auto& one : cost.functions) {
    if (!one.is_once_a_step || cost.function(one).calls == 0) continue;
    steps.calls += cost.function(one).calls;
    steps.apis.insert(*one.api);
  }
  return steps;
}

/// Differences between costs of the same name, where they matter.
void differences(const std::vector<ApiCost>& a, const std::vector<ApiCost>& b,
                 CallDifference::Of of, double least_share, std::vector<CallDifference>& found) {
  std::unordered_map<std::string_view, const ApiCost*> others;
  for (const auto& cost : b) others.emplace(cost.name, &cost);
  for (const auto& cost : a) {
    const auto other = others.find(cost.name);
    if (other == others.end() || cost.name.empty()) continue;
    const auto& twin = *other->second;
    if (cost.calls == twin.calls || cost.calls == 0 || twin.calls == 0) continue;
    if (std::max(cost.share.value_or(0), twin.share.value_or(0)) < least_share) continue;
    found.push_back({of, cost.name, {cost.calls, twin.calls}});
  }
}

}  // namespace

std::vector<CallDifference> call_differences(const ProfileCost& a, const ProfileCost& b,
                                             double least_share) {
  std::vector<CallDifference> found;
  const Steps first = steps_of(a);
  const Steps second = steps_of(b);
  if (first.calls > 0 && second.calls > 0 && first.calls != second.calls) {
    auto apis = first.apis;
    apis.insert(second.apis.begin(), second.apis.end());
    found.push_back({CallDifference::Of::steps, joined(apis, ", "), {first.calls, second.calls}});
  }
  differences(a.classes, b.classes, CallDifference::Of::api_class, least_share, found);
  differences(apis_of(a), apis_of(b), CallDifference::Of::function, least_share, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const CallDifference& x, const CallDifference& y) {
                     if (x.of != y.of) return x.of < y.of;
                     return std::abs(std::log(x.ratio())) > std::abs(std::log(y.ratio()));
                   });
  return found;
}

}  // namespace prengdl
