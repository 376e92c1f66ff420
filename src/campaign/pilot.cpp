// SPDX-License-Identifier: Apache-2.0
#include "campaign/pilot.h"

#include "base/amounts.h"
#include "conclude/comparable_runs.h"
#include "conclude/early_stopping.h"
#include "stats/design_power.h"
#include "stats/stopping.h"
#include "stats/summary.h"
#include "store/result.h"

namespace prengdl {

std::filesystem::path default_result(const Study& study) { return study.name + ".result"; }

PlanInput learn_from(const std::filesystem::path& result, const Study& study,
                     const Design& design) {
  PlanInput input;
  const auto store = ResultStore::open(result, Access::read_only);
  const auto runs = store.runs();
  check_window(study, runs);
  const BlockRuns counted(design.cells(), runs);
  std::vector<std::vector<double>> samples;
  double freedom = 0;
  for (const auto& one_case : design.cases())
    for (const auto& values :
         paired_values(study, design.cells(), one_case, counted, counted.whole_blocks(one_case)))
      if (auto differences = log_differences(values.first, values.second)) {
        // The k (k - 1) / 2 pairs of k levels share their runs: k - 1 of them are free.
        if (differences->size() > 1)
          freedom += static_cast<double>(differences->size() - 1) * 2 /
                     static_cast<double>(one_case.size());
        samples.push_back(std::move(*differences));
      }
  // Pooled over the comparisons: each has too few pairs of its own.
  if (const auto spread = pooled_standard_deviation(samples))
    input.spread = KnownSpread{*spread, freedom};
  input.costs.resize(design.cells().size());
  for (std::size_t i = 0; i < design.cells().size(); ++i) {
    std::vector<double> seconds;
    std::vector<double> joules;
    for (const auto& run : runs) {
      if (run.cell != design.cells()[i] || run.outcome != Outcome::ok) continue;
      seconds.push_back(run.run.wall.count());
      if (run.run.energy.metered) joules.push_back(run.run.energy.metered->value.value);
    }
    if (!seconds.empty()) input.costs[i].seconds = Seconds{mean(seconds)};
    if (!joules.empty()) input.costs[i].joules = Joules{mean(joules)};
  }
  std::vector<double> waits;
  for (const auto& run : runs)
    if (run.run.settling) waits.push_back(run.run.settling->took.count());
  if (!waits.empty()) input.settling = Seconds{mean(waits)};
  return input;
}

std::optional<PlanInput> learn_if_there(const std::filesystem::path& result, const Study& study,
                                        const Design& design) {
  try {
    if (!ResultStore::exists(result)) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // `run` will say what is wrong with it
  }
  return learn_from(result, study, design);
}

}  // namespace prengdl
