// SPDX-License-Identifier: Apache-2.0
//
// The audit looks at the runs that the comparison is made of.
#include <gtest/gtest.h>

#include <set>

#include "audit/audited_runs.h"
#include "bench/audit_studies.h"
#include "conclude/case_runs.h"

namespace prengdl {
namespace {

using Ids = std::set<std::string>;

AuditInput clean_study() {
  AuditInput input = bench::StudyMaker(bench::Shape{}, 42).make().input;
  input.samples = nullptr;  // those of runs that are added here were never taken
  return input;
}

Ids compared(const AuditInput& input) {
  Ids ids;
  for (const auto& one_case : runs_by_case(input.study, input.runs, input.is_paired))
    for (const auto& level : one_case.levels)
      for (const auto* run : level) ids.insert(run->id);
  return ids;
}

Ids audited(const AuditInput& input) {
  Ids ids;
  const AuditRuns runs(input);
  for (const auto* run : runs.counted()) ids.insert(run->id);
  return ids;
}

/// The result of a second machine, merged: the same plan, where every run took a second attempt.
void merge_second_machine(AuditInput& input) {
  const std::size_t first = input.runs.size();
  for (std::size_t i = 0; i < first; ++i) {
    StoredRun run = input.runs[i];
    run.id += "-elsewhere";
    run.machine = "another machine";
    run.attempt = 1;
    input.runs.push_back(std::move(run));
  }
}

TEST(AuditedRuns, AreTheComparedOnesOfAMergedResult) {
  AuditInput input = clean_study();
  const std::size_t on_one = compared(input).size();
  EXPECT_EQ(audited(input), compared(input));
  merge_second_machine(input);
  EXPECT_EQ(compared(input).size(), 2 * on_one);
  EXPECT_EQ(audited(input), compared(input));
}

TEST(AuditedRuns, AreTheComparedOnesWhereARunWasMadeTwice) {
  AuditInput input = clean_study();
  const Ids before = compared(input);
  StoredRun again = input.runs.front();
  again.id += "-again";
  input.runs.push_back(std::move(again));
  EXPECT_EQ(compared(input).size(), before.size());
  EXPECT_EQ(audited(input), compared(input));
}

}  // namespace
}  // namespace prengdl
