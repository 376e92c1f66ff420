// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "base/parse.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "campaign/pilot.h"
#include "campaign/result_study.h"
#include "campaign/study_environments.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/environment_options.h"
#include "cli/meter_options.h"
#include "machine/this_machine.h"
#include "print/checks.h"
#include "print/study.h"
#include "store/aa_file.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

/// What one command under two labels showed of this machine.
AaRecord aa_of_this_machine(const MeterSearch& search) {
  const auto record = read_aa(this_machine(search).fingerprint);
  if (record) return *record;
  throw Error("the spread of this machine is not known", "measure it: prengdl doctor --aa 20");
}

void take_spreads(const AaRecord& aa, PlanInput& input) {
  const auto known = [](const AaMeasure& one) {
    return KnownSpread{one.spread, static_cast<double>(one.pairs) - 1};
  };
  if (const auto* energy = measure_of(aa, "metered")) input.spread = known(*energy);
  if (const auto* time = measure_of(aa, "seconds")) input.spreads["seconds"] = known(*time);
  if (const auto* cpu = measure_of(aa, "cpu_seconds"))
    for (const char* measure : {"cpu_seconds", "user_seconds", "system_seconds"})
      input.spreads[measure] = known(*cpu);
}

/// The ratio at which equivalence is to be shown, which must be within the margin.
double true_ratio_of(const std::string& text, double margin) {
  const auto ratio = parse_number(text);
  if (!ratio || *ratio <= 0)
    throw UsageError("--true-ratio " + text + " is not a number above 0", "1.01 is one percent");
  if (margin > 0 && !(std::abs(std::log(*ratio)) < std::log1p(margin)))
    throw UsageError(fmt::format("--true-ratio {} is not within the study's margin of {:g} %", text,
                                 100 * margin),
                     "No number of runs can show equivalence there. Choose a ratio nearer to 1.");
  return *ratio;
}

/// A study that never ran has no times.
std::string how_to_learn_the_time(const std::string& file, const std::string& preset) {
  std::vector<std::string> words{"prengdl", "run", file};
  if (!preset.empty()) words.insert(words.end(), {"--preset", preset});
  words.insert(words.end(), {"--blocks", "1"});
  return fmt::format("duration unknown: run `{}`, then plan again", shell_line(words));
}

}  // namespace

int plan_command(const std::vector<std::string>& words) {
  std::string file, preset, pilot, spread, true_ratio;
  std::size_t runs = 0;
  bool json = false, order = false, by_aa = false;
  EnvironmentOptions environments;
  MeterOptions meters;
  Arguments arguments("plan", "Shows what a study will do and what it can detect.");
  arguments.word("STUDY", file, "the study file");
  arguments.text("--preset", preset, "a preset of the study file", "NAME");
  arguments.count("--runs", runs, "runs of each cell (default: as in the study)");
  arguments.text("--pilot", pilot, "plan with the spread, time and energy of this result",
                 "RESULT");
  arguments.text("--spread", spread, "standard deviation of the log ratio of two runs, e.g. 0.02",
                 "NUMBER");
  arguments.text("--true-ratio", true_ratio,
                 "true ratio at which to show \"equivalent\", e.g. 1.01 (default 1)", "NUMBER");
  arguments.flag("--aa", by_aa, "plan with the spread that doctor --aa found on this machine");
  arguments.flag("--order", order, "list every run in its order");
  arguments.flag("--json", json, "as JSON");
  environments.declare(arguments);
  meters.declare(arguments);
  if (!arguments.parse(words)) return 0;
  Study study = load_study(file, preset, environments_to_name());
  if (runs > 0) study.runs = runs;
  const MeterSearch search = meters.search();
  const FoundMeters found = find_meters(search);
  check_measures(study, file, domains_of(found));
  if (!measures_energy(found)) go_without_meter(study.analysis);
  if (by_aa && (!pilot.empty() || !spread.empty()))
    throw UsageError("give one of --pilot, --spread and --aa",
                     "A pilot has the spread of the workload itself.");
  PlanInput input;
  std::optional<AaRecord> aa;
  if (by_aa) {
    aa = aa_of_this_machine(search);
    take_spreads(*aa, input);
  }
  const Design design(study);
  const auto own_result = default_result(study);
  bool has_own = false;
  if (!pilot.empty()) {
    input = learn_from(pilot, study, design);
  } else if (auto own = learn_if_there(own_result, study, design)) {
    has_own = true;
    // What was asked for counts more than the first blocks.
    if (by_aa || !spread.empty()) {
      own->spread = input.spread;
      own->spreads = input.spreads;
    }
    input = std::move(*own);
  }
  if (!spread.empty()) {
    const auto number = parse_number(spread);
    if (!number || *number <= 0)
      throw UsageError("--spread " + spread + " is not a number above 0", "0.02 is two percent");
    input.spread = KnownSpread{*number, std::nullopt};
  }
  if (!true_ratio.empty()) input.true_ratio = true_ratio_of(true_ratio, study.analysis.margin);
  Plan plan = make_plan(study, input);
  if (has_own && plan.hours)
    plan.notes.push_back(
        fmt::format("time, energy and spread are those of the runs in {}", own_result.string()));
  if (!plan.hours && study.imported.empty())
    plan.notes.push_back(how_to_learn_the_time(file, preset));
  if (aa) plan.notes.push_back(aa_line(*aa, study.analysis.primary));
  const auto places = environments.places(search);
  for (const auto& site : sites_of(study, plan.cells, places))
    if (what_is_missing(site))
      plan.notes.push_back(fmt::format("the environment {} is not ready; {} makes it", site.title(),
                                       setup_call(file, preset, environments)));
  if (json)
    std::cout << plan_json(plan);
  else
    show(plan_text(plan, order, style_of(STDOUT_FILENO)));
  return 0;
}

}  // namespace prengdl
