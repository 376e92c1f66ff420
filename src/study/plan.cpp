// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "base/amounts.h"
#include "stats/design_power.h"

namespace prengdl {
namespace {

// After compression a sample takes about two bytes. What a run's record and log take besides is a
// guess on the large side.
constexpr double bytes_per_sample = 2;
constexpr double bytes_per_run = 32 * 1024;

/// Spreads of paired runs on a quiet machine and on a busy one, for studies of which none is known.
constexpr std::array usual_spreads{0.01, 0.05};

/// At which an estimated spread's upper limit is planned with (Browne, Statistics in Medicine 14,
/// 1995): with the estimate itself, half of all plans would be too small.
constexpr double spread_confidence = 0.8;

/// All pairs of the compared levels within each case.
std::size_t comparisons_of(const Design& design) {
  std::size_t pairs = 0;
  for (const auto& one_case : design.cases()) pairs += one_case.size() * (one_case.size() - 1) / 2;
  return pairs;
}

std::optional<std::size_t> at_least_fewest(std::optional<std::size_t> runs) {
  if (runs) runs = std::max(*runs, fewest_runs);
  return runs;
}

std::optional<std::size_t> runs_to_detect_margin(const AnalysisPlan& analysis, double needed_p,
                                                 double spread, double power) {
  if (spread == 0) return fewest_runs;
  if (!(analysis.margin > 0)) return std::nullopt;
  return at_least_fewest(
      pairs_for_difference(std::log1p(analysis.margin) / spread, needed_p, power));
}

/// Holm's first step: the tests of the smallest p decide how many runs are enough for any of them.
std::optional<std::size_t> runs_to_show_equivalence(const AnalysisPlan& analysis, double needed_p,
                                                    double spread, const PlanInput& input) {
  const double difference = std::abs(std::log(input.true_ratio));
  const double margin = std::log1p(analysis.margin);
  if (!(difference < margin)) return std::nullopt;
  if (spread == 0) return fewest_runs;
  return at_least_fewest(
      pairs_for_equivalence(difference / spread, margin / spread, needed_p, input.power));
}

Detectable detectable(const PlanFamily& family, const AnalysisPlan& analysis, double spread,
                      const PlanInput& input) {
  Detectable found;
  found.spread = spread;
  if (const auto size = detectable_difference(family.n, family.needed_p, input.power)) {
    const double ratio = std::exp(*size * spread);
    if (std::isfinite(ratio)) found.ratio = ratio;
  }
  found.equivalent_n = runs_to_show_equivalence(analysis, family.needed_p, spread, input);
  return found;
}

void add_what_spread_allows(const std::optional<KnownSpread>& spread, const AnalysisPlan& analysis,
                            const PlanInput& input, PlanFamily& family) {
  if (!spread || !(spread->sd >= 0)) {
    for (const double usual : usual_spreads)
      family.assumed.push_back(detectable(family, analysis, usual, input));
    return;
  }
  family.spread = spread->sd;
  const double planned = spread->freedom
                             ? upper_limit_of_sd(spread->sd, *spread->freedom, spread_confidence)
                             : spread->sd;
  family.planned_spread = planned;
  const auto found = detectable(family, analysis, planned, input);
  family.detectable_ratio = found.ratio;
  family.equivalent_n = {found.equivalent_n,
                         runs_to_show_equivalence(analysis, family.needed_p, spread->sd, input)};
  family.margin_n = {runs_to_detect_margin(analysis, family.needed_p, planned, input.power),
                     runs_to_detect_margin(analysis, family.needed_p, spread->sd, input.power)};
  if (const auto half = expected_half_width(family.n, analysis.alpha)) {
    const double factor = std::exp(*half * planned);
    if (std::isfinite(factor)) family.interval_factor = factor;
  }
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
  family.needed_n = analysis.test == "rank" ? family.rank_needed_n : fewest_runs;
  family.can_show = family.n >= family.needed_n;

  const auto known = input.spreads.find(measure);
  add_what_spread_allows(known != input.spreads.end() ? std::optional(known->second) : input.spread,
                         analysis, input, family);
  return family;
}

std::string too_few_runs(std::size_t runs) {
  return runs == 1
             ? "one run of each cell has no spread, so no difference can be judged: three runs can "
               "show a large difference, ten are usual"
             : "with two runs of each cell the interval of a ratio spans orders of "
               "magnitude: three runs can show a large difference, ten are usual";
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
  return too_few_runs(family.n);
}

/// Of each cell the figure, that of the others on average if it is unknown; empty if none is known.
template <class Figure>
std::vector<double> by_cell(std::size_t cells, const PlanInput& input, Figure figure) {
  double sum = 0;
  std::vector<std::optional<double>> known(cells);
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(cells, input.costs.size()); ++i) {
    known[i] = figure(input.costs[i]);
    if (!known[i]) continue;
    sum += *known[i];
    ++count;
  }
  std::vector<double> all;
  if (count == 0) return all;
  for (const auto& value : known) all.push_back(value.value_or(sum / static_cast<double>(count)));
  return all;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<double> seconds_by_cell(std::size_t cells, const PlanInput& input) {
  return by_cell(cells, input, [](const RunCost& cost) {
    return cost.seconds ? std::optional(cost.seconds->count()) : std::nullopt;
  });
}

/// In seconds, before each run.
double longest_wait(const Study& study) {
  const auto& protocol = study.protocol;
  const bool settles = protocol.start == Start::settled && protocol.settle_at_most;
  return settles ? protocol.settle_at_most->count() : 0;
}

double usual_wait(const Study& study, const PlanInput& input) {
  return input.settling ? std::min(input.settling->count(), longest_wait(study)) : 0;
}

void add_costs(const Study& study, const PlanInput& input, Plan& plan) {
  const auto& protocol = study.protocol;
  const auto rounds = static_cast<double>(plan.blocks + protocol.warmup);
  const auto runs = static_cast<double>(plan.runs);
  const auto joules = by_cell(plan.cells.size(), input, [](const RunCost& cost) {
    return cost.joules ? std::optional(cost.joules->value) : std::nullopt;
  });
  if (!joules.empty()) plan.joules = sum_of(joules) * rounds;
  const auto time = expected_time(study, input, plan.order);
  if (!time) return;

  plan.hours = time->count() / 3600;
  const double longer = longest_wait(study) - usual_wait(study, input);
  plan.hours_at_most = (time->count() + longer * runs) / 3600;
  const double samples = sum_of(seconds_by_cell(plan.cells.size(), input)) * rounds /
                         protocol.interval.count() * static_cast<double>(input.series);
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

std::optional<Seconds> expected_time(const Study& study, const PlanInput& input,
                                     const std::vector<PlannedRun>& runs) {
  std::size_t cells = input.costs.size();
  for (const auto& run : runs) cells = std::max(cells, run.cell + 1);
  const auto seconds = seconds_by_cell(cells, input);
  if (seconds.empty()) return std::nullopt;
  double time = 0;
  std::set<std::size_t> warmed_up, blocks;
  for (const auto& run : runs) {
    time += seconds[run.cell] + usual_wait(study, input);
    if (warmed_up.insert(run.cell).second)
      time += seconds[run.cell] * static_cast<double>(study.protocol.warmup);
    blocks.insert(run.block);
  }
  if (study.protocol.idle)
    time += study.protocol.idle->count() * static_cast<double>(blocks.size());
  return Seconds{time};
}

Plan make_plan(const Study& study, const PlanInput& input) {
  const Design design(study);
  Plan plan;
  plan.study = study.name;
  plan.preset = study.preset;
  plan.compare = study.analysis.compare;
  plan.test = study.analysis.test;
  plan.alpha = study.analysis.alpha;
  plan.margin = study.analysis.margin;
  plan.power = input.power;
  plan.true_ratio = input.true_ratio;
  plan.order_kind = study.protocol.order;
  for (const auto& factor : study.factors) plan.factors.push_back(factor.name);
  plan.cells = design.cells();
  plan.cases = design.cases();
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
  plan.has_too_few_runs = study.runs < fewest_runs;
  if (plan.has_too_few_runs && plan.can_show) plan.notes.push_back(too_few_runs(study.runs));
  add_costs(study, input, plan);
  add_notes(study, plan);
  return plan;
}

}  // namespace prengdl
