// SPDX-License-Identifier: Apache-2.0
//
// Reads `--lifecycle train=1,infer=N`.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/lifecycle.h"
#include "base/text.h"

namespace prengdl {
namespace {

constexpr auto form = "write levels of one factor and how often each occurs: train=1,infer=N";

Result<LifecyclePhase> parse_phase(std::string_view text) {
  const auto equals = text.rfind('=');
  const auto level = trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || level.empty())
    return failure(fmt::format("'{}' does not say how often a phase occurs", printable(text)),
                   form);
  const auto times = trimmed(text.substr(equals + 1));
  if (times == "N" || times == "n") return LifecyclePhase{std::string(level), std::nullopt};
  const auto number = parse_number(times);
  if (!number || *number < 0)
    return failure(
        fmt::format("'{}' is not how often {} occurs", printable(times), printable(level)),
        "write a number from 0 on, or N to leave it open");
  return LifecyclePhase{std::string(level), *number};
}

bool has_level(const Factor& factor, const std::string& level) {
  return std::find(factor.levels.begin(), factor.levels.end(), level) != factor.levels.end();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// The factor that has all the phases as levels.
Result<std::string> factor_of(const Study& study, const std::vector<LifecyclePhase>& phases) {
  std::vector<std::string> fitting;
  const Factor* most = nullptr;  // has the most of them: what was meant if none has all
  std::ptrdiff_t most_levels = -1;
  for (const auto& factor : study.factors) {
    if (factor.name == study.analysis.compare) continue;
    const auto known =
        std::count_if(phases.begin(), phases.end(),
                      [&](const LifecyclePhase& phase) { return has_level(factor, phase.level); });
    if (known == static_cast<std::ptrdiff_t>(phases.size())) fitting.push_back(factor.name);
    if (known > most_levels) {
      most_levels = known;
      most = &factor;
    }
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.size() > 1)
    return failure(fmt::format("the phases are levels of several factors: {}", listed(fitting)),
                   "give the levels of one of them other names in the study file");
  if (!most)
    return failure(
        fmt::format("study {} has no factor besides the compared one", printable(study.name)),
        "a life needs phases: a factor such as phase = [\"train\", \"infer\"]");
  for (const auto& phase : phases) {
    if (has_level(*most, phase.level)) continue;
    std::vector<std::string> all;
    for (const auto& factor : study.factors)
      if (factor.name != study.analysis.compare)
        all.insert(all.end(), factor.levels.begin(), factor.levels.end());
    const auto near = nearest(phase.level, most_levels > 0 ? most->levels : all);
    const auto compared = factor_index(study, study.analysis.compare);
    if (compared && has_level(study.factors[*compared], phase.level))
      return failure(fmt::format("'{}' is a level of {}, which is compared", printable(phase.level),
                                 printable(study.analysis.compare)),
                     form);
    return failure(
        fmt::format("no phase '{}'", printable(phase.level)),
        (near ? fmt::format("did you mean {}? ", printable(*near)) : std::string()) +
            fmt::format("{} has the levels {}", printable(most->name), listed(most->levels)));
  }
  return failure("the phases are levels of different factors", form);
}

}  // namespace

Result<LifecyclePlan> parse_lifecycle(const Study& study, const std::string& option) {
  LifecyclePlan plan;
  std::size_t open = 0;
  for (const auto part : split(option, ',')) {
    auto phase = parse_phase(part);
    if (!phase) return tl::unexpected(phase.error());
    for (const auto& other : plan.phases)
      if (other.level == phase->level)
        return failure(fmt::format("phase {} is there twice", printable(phase->level)), form);
    if (!phase->times) ++open;
    plan.phases.push_back(std::move(*phase));
  }
  if (plan.phases.size() < 2) return failure("a life needs at least two phases", form);
  if (open > 1)
    return failure("only one phase can be left open", "write N once and numbers for the others");
  const auto is_open = [](const LifecyclePhase& phase) { return !phase.times; };
  const auto repeated = std::find_if(plan.phases.begin(), plan.phases.end(), is_open);
  plan.repeated = repeated == plan.phases.end()
                      ? plan.phases.size() - 1
                      : static_cast<std::size_t>(repeated - plan.phases.begin());
  auto factor = factor_of(study, plan.phases);
  if (!factor) return tl::unexpected(factor.error());
  plan.factor = std::move(*factor);
  return plan;
}

}  // namespace prengdl
