// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_options.h"

#include "base/parse.h"
#include "store/aa_file.h"

namespace prengdl {

AnalysisOptions analysis_options(const AnalysisWords& words, const Study& study) {
  AnalysisOptions options;
  options.metric = words.metric;
  options.lower_is_better = words.lower_is_better;
  if (!words.reach.empty()) {
    options.target = parse_number(words.reach);
    if (!options.target)
      throw UsageError("--reach " + words.reach + " is not a number", "as in --reach 0.9");
  }
  if (!words.lifecycle.empty())
    options.lifecycle = or_refuse("--lifecycle", parse_lifecycle(study, words.lifecycle));
  return options;
}

std::vector<AaRecord> aa_of(const ResultStore& store) {
  std::vector<std::string> fingerprints;
  for (const auto& machine : store.machines()) fingerprints.push_back(machine.fingerprint);
  return read_aa(fingerprints);
}

}  // namespace prengdl
