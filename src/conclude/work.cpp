// SPDX-License-Identifier: Apache-2.0
#include "conclude/work.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/strings.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Runs = std::vector<const StoredRun*>;

/// What the runs of a level did on average, by kind.
std::map<std::string, double> mean_work(const Runs& runs) {
  std::map<std::string, std::vector<double>> emitted;
  for (const auto* run : runs)
    for (const auto& work : run->run.work) emitted[work.name].push_back(work.value);
  std::map<std::string, double> means;
  for (const auto& [name, values] : emitted) means[name] = mean(values);
  return means;
}

bool is_unequal(double a, double b) { return std::abs(a - b) > equal_work * std::max(a, b); }

std::string unequal(double a, double b, const std::string& kind) {
  return fmt::format("unequal work: {:.6g} against {:.6g} {} per run", a, b, kind);
}

WorkAgreement agree_on_unit(const Runs& a, const Runs& b, const std::string& per) {
  for (const auto* level : {&a, &b})
    if (!emitted_by_all(*level, per))
      return {std::nullopt,
              fmt::format("costs are per {}, which a run of the {} level did not emit", per,
                          level == &a ? "first" : "second")};
  const double first = mean_work(a)[per];
  const double second = mean_work(b)[per];
  return {per, is_unequal(first, second) ? unequal(first, second, per) : ""};
}

/// Empty if they agree, or if one of them emitted nothing.
std::string disagreement(const Runs& a, const Runs& b, const std::vector<std::string>& varies) {
  const auto first = mean_work(a);
  const auto second = mean_work(b);
  if (first.empty() || second.empty()) return "";
  std::set<std::string> kinds[2];
  bool has_common = false;
  for (const auto& [name, amount] : second) kinds[1].insert(name);
  for (const auto& [name, amount] : first) {
    kinds[0].insert(name);
    const auto other = second.find(name);
    if (other == second.end()) continue;
    has_common = true;
    if (std::find(varies.begin(), varies.end(), name) == varies.end() &&
        is_unequal(amount, other->second))
      return unequal(amount, other->second, name);
  }
  if (has_common) return "";
  return fmt::format("the levels emitted different kinds of work: {} and {}",
                     joined(kinds[0], ", "), joined(kinds[1], ", "));
}

}  // namespace

std::optional<double> work_of(const Run& run, const std::string& name) {
  for (const auto& work : run.work)
    if (work.name == name && work.value > 0) return work.value;
  return std::nullopt;
}

std::optional<std::string> emitted_by_all(const Runs& runs, const std::string& per) {
  const bool is_known = !per.empty() && std::all_of(runs.begin(), runs.end(), [&](const auto* run) {
    return work_of(run->run, per).has_value();
  });
  return is_known ? std::optional(per) : std::nullopt;
}

WorkAgreement agree_on_work(const Runs& a, const Runs& b, const AnalysisPlan& plan) {
  if (!plan.per.empty()) return agree_on_unit(a, b, plan.per);
  return {std::nullopt, disagreement(a, b, plan.varies)};
}

}  // namespace prengdl
