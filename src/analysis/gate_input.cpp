// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/compare_commands.h"
#include "base/text.h"
#include "model/flags.h"
#include "model/window.h"

namespace prengdl {
namespace {

std::vector<Run> good_runs(const std::vector<Run>& runs) {
  std::vector<Run> good;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(good), succeeded);
  return good;
}

bool is_modelled(const Run& run, const std::string& measure) {
  return quality_in(run, measure) == Quality::model;
}

GateMeasure measure_of(const std::vector<Run>& base, const std::vector<Run>& candidate,
                       const std::string& name, bool paired) {
  GateMeasure measure;
  measure.name = name;
  std::map<std::size_t, const Run*> by_block;
  for (const auto& run : candidate) by_block[run.block] = &run;
  for (const auto& run : base) {
    const auto value = value_of(run, name);
    if (!value) continue;
    measure.modelled |= is_modelled(run, name);
    if (!paired) {
      measure.base.push_back(*value);
      continue;
    }
    const auto partner = by_block.find(run.block);
    if (partner == by_block.end()) continue;
    if (const auto other = value_of(*partner->second, name)) {
      measure.base.push_back(*value);
      measure.candidate.push_back(*other);
    }
  }
  for (const auto& run : candidate) {
    measure.modelled |= is_modelled(run, name);
    if (const auto value = value_of(run, name); value && !paired)
      measure.candidate.push_back(*value);
  }
  return measure;
}

GateSide side_of(const std::string& label, const std::vector<Run>& all,
                 const std::vector<Run>& good, std::vector<std::string>& notes) {
  GateSide side;
  side.label = label;
  side.runs = all.size();
  side.failed = all.size() - good.size();
  if (side.failed > 0)
    notes.push_back(
        fmt::format("failed and left out: {} of {} runs of {}", side.failed, side.runs, label));
  std::vector<const Run*> counted;
  for (const auto& run : good) {
    counted.push_back(&run);
    if (!run.energy.metered) continue;
    if (side.covers.empty()) side.covers = run.energy.covers;
    if (side.covers != run.energy.covers)
      throw Error(
          fmt::format("the runs of {} do not all have the energy of the same parts: {} and {}",
                      printable(label), covered_text(side.covers), covered_text(run.energy.covers)),
          "measure again with the same meters for every run");
  }
  for (const auto& line : flag_lines(counted))
    notes.push_back(fmt::format("flag of {}: {}", label, line));
  return side;
}

}  // namespace

GateInput gate_input(const std::string& base_label, const std::vector<Run>& base,
                     const std::string& candidate_label, const std::vector<Run>& candidate,
                     bool paired, const std::string& primary) {
  GateInput input;
  input.paired = paired;
  input.primary = primary;
  const auto good_base = good_runs(base);
  const auto good_candidate = good_runs(candidate);
  input.base = side_of(base_label, base, good_base, input.notes);
  input.candidate = side_of(candidate_label, candidate, good_candidate, input.notes);
  std::vector<std::string> names{primary};
  for (const std::string beside : {"seconds", "cpu_seconds"})
    if (beside != primary) names.push_back(beside);
  for (const auto& name : names)
    input.measures.push_back(measure_of(good_base, good_candidate, name, paired));
  return input;
}

}  // namespace prengdl
