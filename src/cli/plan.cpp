// SPDX-License-Identifier: Apache-2.0
#include "run/plan.h"

#include <fmt/core.h>
#include <unistd.h>

#include <iostream>

#include "analysis/unit_values.h"
#include "base/text.h"
#include "cli/aa.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/study_environments.h"
#include "cli/study_result.h"
#include "report/aa_report.h"
#include "report/plan_report.h"
#include "report/terminal.h"
#include "run/study_file.h"
#include "stats/design_power.h"
#include "stats/stopping.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// What the runs of a pilot, or the first blocks of the study itself, tell about the rest.
PlanInput learn_from(const std::filesystem::path& result, const Study& study,
                     const Design& design) {
  PlanInput input;
  const auto store = ResultStore::open(result, Access::read_only);
  const auto runs = store.runs();
  const CountedRuns counted(design.cells(), runs);
  std::vector<std::vector<double>> samples;
  for (const auto& unit : design.units())
    for (const auto& values :
         paired_values(study, design.cells(), unit, counted, counted.whole_blocks(unit)))
      if (auto differences = log_differences(values.first, values.second))
        samples.push_back(std::move(*differences));
  // Pooled over the comparisons: each has too few pairs of its own.
  input.spread = pooled_standard_deviation(samples);
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

/// What one command under two labels showed of this machine.
AaRecord aa_of_this_machine() {
  const auto record = read_aa(this_machine(MeterOptions{}.search()).fingerprint);
  if (record) return *record;
  throw Error("nothing is known of this machine's own spread",
              "make it known: prengdl doctor --aa 20");
}

}  // namespace

int plan_command(const std::vector<std::string>& words) {
  std::string file, preset, pilot, spread;
  std::size_t runs = 0;
  bool json = false, order = false, by_aa = false;
  EnvironmentOptions environments;
  Arguments arguments("plan", "Says what a study will do and what it can show.");
  arguments.word("STUDY", file, "the study file");
  arguments.text("--preset", preset, "a preset of the study file", "NAME");
  arguments.count("--runs", runs, "runs of each cell, instead of what the study says");
  arguments.text("--pilot", pilot, "a result whose spread, time and energy tell what to expect",
                 "RESULT");
  arguments.text("--spread", spread, "standard deviation of the log ratio of two runs, e.g. 0.02",
                 "NUMBER");
  arguments.flag("--aa", by_aa, "expect the spread that doctor --aa found on this machine");
  arguments.flag("--order", order, "list every run in its order");
  arguments.flag("--json", json, "as JSON");
  environments.declare(arguments);
  if (!arguments.parse(words)) return 0;
  Study study = load_study(file, preset, environments_to_name());
  if (runs > 0) study.runs = runs;
  if (!study.analysis.without_meter.empty() && !measures_energy(find_all(MeterOptions().search())))
    go_without_meter(study.analysis);
  if (by_aa && (!pilot.empty() || !spread.empty()))
    throw UsageError("give one of --pilot, --spread and --aa",
                     "a pilot knows the spread of the workload itself");
  PlanInput input;
  std::optional<AaRecord> aa;
  if (by_aa) {
    aa = aa_of_this_machine();
    if (const auto* energy = measure_of(*aa, "metered")) input.spread = energy->spread;
    if (const auto* time = measure_of(*aa, "seconds")) input.spreads["seconds"] = time->spread;
  }
  if (!pilot.empty()) input = learn_from(pilot, study, Design(study));
  if (!spread.empty()) {
    const auto number = parse_number(spread);
    if (!number || *number <= 0)
      throw UsageError("--spread " + spread + " is not a number above 0", "0.02 is two percent");
    input.spread = *number;
  }
  Plan plan = make_plan(study, input);
  if (aa) plan.notes.push_back(aa_line(*aa, study.analysis.primary));
  const auto places = environments.places(MeterOptions{}.search());
  for (const auto& site : sites_of(study, plan.cells, places))
    if (what_is_missing(site))
      plan.notes.push_back(fmt::format("the environment {} is not ready; {} makes it", site.title(),
                                       setup_call(file, preset, environments)));
  std::cout << (json ? plan_json(plan) : plan_text(plan, order, wants_colour(STDOUT_FILENO)));
  return 0;
}

}  // namespace prengdl
