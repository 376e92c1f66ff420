// SPDX-License-Identifier: Apache-2.0
#include "audit/audit.h"

#include <algorithm>

#include "audit/audited_runs.h"

namespace prengdl {

std::vector<AuditFinding> audit(const AuditInput& input) {
  const AuditRuns runs(input);
  std::vector<AuditFinding> findings;
  if (runs.counted().empty()) {
    findings.push_back({"too-few-runs",
                        AuditSeverity::severe,
                        {},
                        {{"runs", 0.0}},
                        "no run succeeded, so there is nothing to check",
                        "see prengdl status RESULT"});
    return findings;
  }
  audit_order(runs, findings);
  audit_schedule(runs, findings);
  audit_dependence(runs, findings);
  audit_work(runs, findings);
  audit_scores(runs, findings);
  audit_settings(runs, findings);
  audit_design(runs, findings);
  audit_cells(runs, findings);
  audit_shape(runs, findings);
  audit_start(runs, findings);
  audit_meters(runs, findings);
  audit_figures(runs, findings);
  audit_power(runs, findings);
  audit_sampling(runs, findings);
  audit_outcomes(runs, findings);
  audit_records(runs, findings);
  audit_nodes(runs, findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.severity > b.severity; });
  return findings;
}

AuditSeverity worst(const std::vector<AuditFinding>& findings) {
  AuditSeverity worst = AuditSeverity::ok;
  for (const auto& finding : findings) worst = std::max(worst, finding.severity);
  return worst;
}

}  // namespace prengdl
