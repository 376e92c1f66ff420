// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_options.h"

#include <fmt/core.h>

#include "base/escaping.h"
#include "base/parse.h"
#include "conclude/comparable_runs.h"
#include "report/result_profiles.h"
#include "study/study_file.h"

namespace prengdl {

void declare_analysis_file(Arguments& arguments, std::string& file) {
  arguments.text("--analysis", file,
                 "take [analysis] from this TOML file instead of the result's own", "FILE");
}

ResultStudy read_result(const ResultStore& store, const std::string& analysis_file) {
  ResultStudy found = read_result(store);
  if (analysis_file.empty()) return found;
  Study& study = found.study;
  study.analysis = load_analysis(analysis_file, study.factors, study.preset).plan;
  check_measures(study, analysis_file, domains_of(store, found.runs));
  found.is_without_meter = !has_measured(found.runs, study.analysis.primary);
  if (found.is_without_meter) go_without_meter(study.analysis);
  return found;
}

std::vector<AuditFinding> audit_result(const ResultStore& store, AuditInput input,
                                       std::vector<StoredRun>& runs) {
  input.runs = std::move(runs);
  input.profiles = profiled_calls(store.directory(), input.study);
  input.samples = [&](const StoredRun& run, const TakeReading& take) {
    store.samples(run.id, take);
  };
  auto findings = audit(input);
  runs = std::move(input.runs);
  return findings;
}

std::string analysis_file_note(const std::string& file) {
  return fmt::format("The analysis follows {}, not the study file of the result.", printable(file));
}

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

}  // namespace prengdl
