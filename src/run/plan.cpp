// SPDX-License-Identifier: Apache-2.0
#include "run/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "stats/design_power.h"

namespace prengdl {
namespace {

// After compression a sample takes about two bytes. What a run's record and log take besides is a
// guess on the large side.
constexpr double bytes_per_sample = 2;
constexpr double bytes_per_run = 32 * 1024;

/// All pairs of the compared levels within each unit.
std::size_t comparisons_of(const Design& design) {
  std::size_t pairs = 0;
  for (const auto& unit : design.units()) pairs += unit.size() * (unit.size() - 1) / 2;
  return pairs;
}

PlanFamily family_of(const std::string& measure, const Study& study, const PlanInput& input,
                     std::size_t comparisons) {
  const auto& analysis = study.analysis;
  PlanFamily family;
  family.measure = measure;
  family.is_primary = measure == analysis.primary;
  family.comparisons = comparisons;
  family.n = study.runs;
  family.needed_p = analysis.alpha / static_cast<double>(comparisons);
  family.rank_smallest_p = smallest_signed_rank_p(family.n);
  family.rank_needed_n = pairs_for_signed_rank(family.needed_p);
  family.needed_n = analysis.test == "rank" ? family.rank_needed_n : 2;
  family.can_show = family.n >= family.needed_n;

  const auto known = input.spreads.find(measure);
  family.spread = known != input.spreads.end() ? std::optional(known->second) : input.spread;
  if (!family.spread || !(*family.spread >= 0)) return family;
  const double spread = *family.spread;
  if (const auto size = detectable_difference(family.n, family.needed_p, input.power)) {
    const double ratio = std::exp(*size * spread);
    if (std::isfinite(ratio)) family.detectable_ratio = ratio;
  }
  if (const auto half = expected_half_width(family.n, analysis.alpha)) {
    const double factor = std::exp(*half * spread);
    if (std::isfinite(factor)) family.interval_factor = factor;
  }
  if (spread == 0)
    family.margin_n = 2;
  else if (analysis.margin > 0)
    family.margin_n =
        pairs_for_difference(std::log1p(analysis.margin) / spread, family.needed_p, input.power);
  return family;
}

std::string why_not(const Study& study, const Plan& plan) {
  if (plan.families.empty())
    return fmt::format("no two cells differ only in '{}': there is nothing to compare",
                       study.analysis.compare);
  const auto& family = plan.families.front();
  const auto tests = family.comparisons == 1 ? std::string("one comparison")
                                             : fmt::format("{} comparisons", family.comparisons);
  if (study.analysis.test == "rank")
    return fmt::format(
        "with {} pairs the signed-rank test cannot give a p below {:.3g}, and {} need {:.3g} or "
        "less (alpha {:g}, Holm): {} runs can",
        family.n, family.rank_smallest_p, tests, family.needed_p, study.analysis.alpha,
        family.needed_n);
  return "one run of each cell has no spread to judge a difference by: two runs can, ten are usual";
}

/// The mean over the cells whose figure is known, times the number of cells; nothing if none is.
template <class Figure>
std::optional<double> of_all_cells(std::size_t cells, const PlanInput& input, Figure figure) {
  double sum = 0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < std::min(cells, input.costs.size()); ++i) {
    const std::optional<double> value = figure(input.costs[i]);
    if (!value) continue;
    sum += *value;
    ++known;
  }
  if (known == 0) return std::nullopt;
  return sum / static_cast<double>(known) * static_cast<double>(cells);
}

void add_costs(const Study& study, const PlanInput& input, Plan& plan) {
  const auto& protocol = study.protocol;
  const auto rounds = static_cast<double>(plan.blocks + protocol.warmup);
  const auto runs = static_cast<double>(plan.runs);
  const auto seconds = of_all_cells(plan.cells.size(), input, [](const RunCost& cost) {
    return cost.seconds ? std::optional(cost.seconds->count()) : std::nullopt;
  });
  const auto joules = of_all_cells(plan.cells.size(), input, [](const RunCost& cost) {
    return cost.joules ? std::optional(cost.joules->value) : std::nullopt;
  });
  if (joules) plan.joules = *joules * rounds;
  if (!seconds) return;

  const double idle = protocol.idle ? protocol.idle->count() * static_cast<double>(plan.blocks) : 0;
  const double busy = *seconds * rounds + idle;
  const bool settles = protocol.start == Start::settled && protocol.settle_at_most;
  const double limit = settles ? protocol.settle_at_most->count() : 0;
  const double wait = settles && input.settling ? std::min(input.settling->count(), limit) : 0;
  plan.hours = (busy + wait * runs) / 3600;
  plan.hours_at_most = (busy + limit * runs) / 3600;
  const double samples =
      *seconds * rounds / protocol.interval.count() * static_cast<double>(input.series);
  plan.disk_bytes = static_cast<std::uint64_t>(
      samples * bytes_per_sample + bytes_per_run * (runs + static_cast<double>(plan.warmups)));
}

void add_notes(const Study& study, Plan& plan) {
  const auto& protocol = study.protocol;
  if (protocol.budget_time && plan.hours && Seconds{*plan.hours * 3600} > *protocol.budget_time)
    plan.notes.push_back(fmt::format("the budget of {} will end the study before its {} are over",
                                     for_people(*protocol.budget_time),
                                     for_people(Seconds{*plan.hours * 3600})));
  if (protocol.budget_energy && plan.joules && Joules{*plan.joules} > *protocol.budget_energy)
    plan.notes.push_back(fmt::format("the budget of {} will end the study before its {} are used",
                                     with_prefix(protocol.budget_energy->value, "J"),
                                     with_prefix(*plan.joules, "J")));
}

}  // namespace

Plan make_plan(const Study& study, const PlanInput& input) {
  const Design design(study);
  Plan plan;
  plan.study = study.name;
  plan.preset = study.preset;
  plan.compare = study.analysis.compare;
  plan.test = study.analysis.test;
  plan.alpha = study.analysis.alpha;
  plan.margin = study.analysis.margin;
  plan.order_kind = study.protocol.order;
  for (const auto& factor : study.factors) plan.factors.push_back(factor.name);
  plan.cells = design.cells();
  plan.units = design.units();
  plan.blocks = design.blocks();
  plan.runs = design.size();
  plan.warmups = design.cells().size() * study.protocol.warmup;
  plan.order = design.all_runs();

  const auto comparisons = comparisons_of(design);
  if (comparisons > 0) {
    plan.families.push_back(family_of(study.analysis.primary, study, input, comparisons));
    for (const auto& measure : study.analysis.secondary)
      plan.families.push_back(family_of(measure, study, input, comparisons));
  }
  plan.can_show = plan.compare.empty() || (!plan.families.empty() && plan.families[0].can_show);
  if (!plan.can_show) plan.why_not = why_not(study, plan);
  add_costs(study, input, plan);
  add_notes(study, plan);
  return plan;
}

}  // namespace prengdl
