// SPDX-License-Identifier: Apache-2.0
//
// Whether the workloads said of themselves that they ran alike: threads, precision, batch, device.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "audit/audited_runs.h"

namespace prengdl {
namespace {

/// What decides over the cost, whatever the framework: levels that differ here are not comparable.
constexpr std::array<std::string_view, 6> decisive{"threads", "precision", "batch",
                                                   "device",  "epochs",    "steps"};
/// What differs by design: one seed a block.
constexpr std::string_view of_a_block = "seed";

Evidence evidence_of(const std::string& fact, const EmittedBy& values) {
  Evidence evidence{{"what", fact}};
  for (const auto& [who, all] : values) evidence.emplace_back(who, *all.begin());
  return evidence;
}

/// A cell whose own runs differ: an update came in between, or the machine changed under it.
void check_cell(const AuditRuns& runs, const AuditCell& cell, AuditFindings& findings) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto* run : cell.runs)
    for (const auto& fact : run->run.facts)
      if (fact.name != of_a_block) values[fact.name].insert(fact.value);
  for (const auto& [name, all] : values) {
    if (all.size() < 2) continue;
    const EmittedBy emitted{{name, all}};
    findings.push_back(
        {"unequal-settings", AuditSeverity::warning, runs.where(cell.cell),
         evidence_of(name, emitted),
         fmt::format("runs of one cell emitted different facts: {}", who_says_what(emitted)),
         "make the runs of one cell with one version and one setting"});
  }
}

void check_case(const AuditRuns& runs, const std::vector<std::size_t>& one_case,
                AuditFindings& findings) {
  std::map<std::string, EmittedBy> emitted;
  for (const auto place : one_case)
    for (const auto* run : runs.cells()[place].runs)
      for (const auto& fact : run->run.facts)
        emitted[fact.name][runs.level(*run)].insert(fact.value);
  for (const auto& [name, by_level] : emitted) {
    if (name == of_a_block || by_level.size() < one_case.size()) continue;
    const auto& first = by_level.begin()->second;
    const auto all_levels = [&](const auto& holds) {
      return std::all_of(by_level.begin(), by_level.end(), holds);
    };
    if (all_levels([&](const auto& one) { return one.second == first; })) continue;
    // A study of precisions or batch sizes varies them on purpose.
    if (all_levels([](const auto& one) { return one.second == std::set{one.first}; })) continue;
    const bool decides = std::find(decisive.begin(), decisive.end(), name) != decisive.end();
    findings.push_back(
        {"unequal-settings", decides ? AuditSeverity::severe : AuditSeverity::note,
         runs.where_of_case(runs.cells()[one_case.front()].cell), evidence_of(name, by_level),
         fmt::format("the levels have different settings: {}: {}", name, who_says_what(by_level)),
         decides ? "give all levels the same setting, or make it a factor of the study"
                 : "check whether the difference is part of what is compared"});
  }
}

/// The same difference in many cases is one finding, of what those cases have in common.
void add_merged(const AuditFindings& of_cases, std::size_t cases, AuditFindings& findings) {
  std::vector<std::pair<AuditFinding, std::size_t>> merged;
  for (const auto& finding : of_cases) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const auto& one) {
      return one.first.message == finding.message && one.first.severity == finding.severity;
    });
    if (same == merged.end()) {
      merged.emplace_back(finding, 1);
      continue;
    }
    ++same->second;
    std::erase_if(same->first.where, [&](const auto& level) {
      return std::find(finding.where.begin(), finding.where.end(), level) == finding.where.end();
    });
  }
  for (auto& [finding, count] : merged) {
    if (count > 1) {
      finding.message = fmt::format("in {} of {} comparisons {}", count, cases, finding.message);
      finding.evidence.emplace_back("comparisons", static_cast<double>(count));
    }
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void audit_settings(const AuditRuns& runs, AuditFindings& findings) {
  const std::size_t before = findings.size();
  const bool emitted = std::any_of(runs.counted().begin(), runs.counted().end(),
                                   [](const auto* run) { return !run->run.facts.empty(); });
  if (!emitted) return;
  for (const auto& cell : runs.cells()) check_cell(runs, cell, findings);
  AuditFindings of_cases;
  for (const auto& one_case : runs.cases()) check_case(runs, one_case, of_cases);
  add_merged(of_cases, runs.cases().size(), findings);
  const bool alarmed =
      std::any_of(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(),
                  [](const auto& one) { return one.severity > AuditSeverity::note; });
  if (!alarmed)
    findings.push_back({"unequal-settings",
                        AuditSeverity::ok,
                        {},
                        {},
                        "threads, precision, batch and device are the same in all levels",
                        ""});
}

}  // namespace prengdl
