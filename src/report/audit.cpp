// SPDX-License-Identifier: Apache-2.0
//
// Part 8: threats to validity that the data show by themselves.
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "print/checks.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {

Part audit_part(const ReportInput& input) {
  Part part{"audit", "Audit: what the data say about themselves", {}};
  Table table;
  table.id = "audit";
  table.title = "Findings of the audit, the most severe first";
  table.columns = {text_column("severity", "severity"), text_column("check", "check"),
                   text_column("where", "where"), prose_column("message", "finding"),
                   prose_column("advice", "what to do")};
  std::array<std::size_t, 4> counts{};
  for (const auto& finding : input.audit) {
    ++counts[static_cast<std::size_t>(finding.severity)];
    const std::string where = where_text(finding);
    table.rows.push_back({text_cell(std::string(name_of(finding.severity))),
                          text_cell(finding.check), text_cell(where.empty() ? "the study" : where),
                          text_cell(finding.message), text_cell(finding.advice)});
    table.rows.back()[0].is_marked = finding.severity >= AuditSeverity::warning;
  }
  if (table.rows.empty()) {
    part.say("The audit had nothing to look at.");
    return part;
  }
  part.say(
      fmt::format("{}: {} severe, {}, {}, {} ok. docs/audit.md tells what each check looks at.",
                  counted(input.audit.size(), "finding"), counts[3], counted(counts[2], "warning"),
                  counted(counts[1], "note"), counts[0]),
      counts[3] > 0 ? Paragraph::Tone::caution : Paragraph::Tone::plain);
  part.add(std::move(table));
  return part;
}

}  // namespace prengdl
