// SPDX-License-Identifier: Apache-2.0
#include "conclude/gate_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/escaping.h"
#include "model/counted_runs.h"
#include "model/measure.h"
#include "model/window.h"

namespace prengdl {
namespace {

using Pair = std::pair<const Run*, const Run*>;

/// The runs of both that share a block, in the order of the base.
std::vector<Pair> pairs_of(const std::vector<Run>& base, const std::vector<Run>& candidate) {
  std::map<std::size_t, const Run*> by_block;
  for (const auto& run : candidate) by_block[run.block] = &run;
  std::vector<Pair> pairs;
  for (const auto& run : base)
    if (const auto partner = by_block.find(run.block); partner != by_block.end())
      pairs.emplace_back(&run, partner->second);
  return pairs;
}

bool any_is_modelled(const std::vector<Run>& runs, const std::string& measure) {
  return std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
    return value_of(run, measure) && quality_in(run, measure) == Quality::model;
  });
}

GateMeasure measure_of(const std::vector<Run>& base, const std::vector<Run>& candidate,
                       const std::string& name, bool paired) {
  GateMeasure measure;
  measure.name = name;
  measure.modelled = any_is_modelled(base, name) || any_is_modelled(candidate, name);
  if (paired) {
    for (const auto& [first, second] : pairs_of(base, candidate)) {
      const auto of_base = value_of(*first, name);
      const auto of_candidate = value_of(*second, name);
      if (!of_base || !of_candidate) continue;
      measure.base.push_back(*of_base);
      measure.candidate.push_back(*of_candidate);
    }
    return measure;
  }
  for (const auto& run : base)
    if (const auto value = value_of(run, name)) measure.base.push_back(*value);
  for (const auto& run : candidate)
    if (const auto value = value_of(run, name)) measure.candidate.push_back(*value);
  return measure;
}

GateSide gate_side(const GateRuns& runs, std::vector<std::string>& notes) {
  GateSide side;
  side.label = runs.label;
  side.machines = runs.machines;
  side.runs = runs.runs.size() + runs.failed;
  side.failed = runs.failed;
  if (side.failed > 0)
    notes.push_back(fmt::format("failed and left out: {} of {} runs of {}", side.failed, side.runs,
                                side.label));
  std::vector<const Run*> looked_at;
  for (const auto& run : runs.runs) {
    looked_at.push_back(&run);
    if (!run.energy.metered) continue;
    if (side.covers.empty()) side.covers = run.energy.covers;
    if (side.covers != run.energy.covers)
      throw Error(
          fmt::format("the runs of {} do not all have the energy of the same domains: {} and "
                      "{}",
                      printable(side.label), covered_text(side.covers),
                      covered_text(run.energy.covers)),
          "measure again with the same meters for every run");
  }
  for (const auto& line : flag_lines(looked_at))
    notes.push_back(fmt::format("flag of {}: {}", side.label, line));
  return side;
}

}  // namespace

GateRuns measured_runs(const std::string& label, const std::vector<Run>& runs) {
  GateRuns made;
  made.label = label;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(made.runs), succeeded);
  made.failed = runs.size() - made.runs.size();
  return made;
}

GateRuns stored_runs(const std::string& label, const std::vector<StoredRun>& runs,
                     bool has_blocks) {
  GateRuns made;
  made.label = label;
  std::set<std::pair<std::string, std::size_t>> places;
  std::set<std::string> machines;
  for (const StoredRun* run : counted_runs(runs, has_blocks)) {
    made.runs.push_back(run->run);
    made.runs.back().block = run->block;
    machines.insert(run->machine);
    if (has_blocks) places.emplace(run->machine, run->block);
  }
  made.machines.assign(machines.begin(), machines.end());
  for (const auto& run : runs) {
    const bool has_failed = !run.is_warmup && !run.excluded && run.outcome != Outcome::ok &&
                            run.outcome != Outcome::interrupted;
    // Several failed attempts at one place are one missing run.
    if (has_failed && (!has_blocks || places.emplace(run.machine, run.block).second)) ++made.failed;
  }
  return made;
}

GateInput gate_input(const GateRuns& base, const GateRuns& candidate, bool paired,
                     const std::string& primary) {
  GateInput input;
  input.paired = paired;
  input.primary = primary;
  input.base = gate_side(base, input.notes);
  input.candidate = gate_side(candidate, input.notes);
  std::vector<std::string> names{primary};
  for (const std::string beside : {"seconds", "cpu_seconds"})
    if (beside != primary) names.push_back(beside);
  for (const auto& name : names)
    input.measures.push_back(measure_of(base.runs, candidate.runs, name, paired));
  return input;
}

}  // namespace prengdl
