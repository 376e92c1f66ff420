// SPDX-License-Identifier: Apache-2.0
#include "report/audit_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

Json json_of(const EvidenceValue& value) {
  if (const auto* number = std::get_if<double>(&value))
    return std::isfinite(*number) ? Json(*number) : Json();
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return Json(*numbers);
  return Json(std::get<std::string>(value));
}

std::string coloured(const Style& style, AuditSeverity severity) {
  std::string word = fmt::format("{:<7}", name_of(severity));
  switch (severity) {
    case AuditSeverity::ok:
      return style.good(word);
    case AuditSeverity::note:
      return style.dim(word);
    case AuditSeverity::warning:
      return style.warn(word);
    case AuditSeverity::severe:
      return style.bad(word);
  }
  return word;
}

/// "mask_rcnn tensorflow: ", in the order of the factors.
std::string where_of(const AuditFinding& finding) {
  std::string text;
  for (const auto& [factor, level] : finding.where) text += (text.empty() ? "" : " ") + level;
  return text.empty() ? "" : printable(text) + ": ";
}

std::size_t count(const std::vector<AuditFinding>& findings, AuditSeverity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const AuditFinding& one) { return one.severity == severity; }));
}

}  // namespace

std::string audit_json(const std::vector<AuditFinding>& findings) {
  Json json;
  json["schema"] = "prengdl.audit/1";
  json["worst"] = name_of(worst(findings));
  json["checks"] = Json::array();
  for (const auto& finding : findings) {
    Json one{{"check", finding.check}, {"severity", name_of(finding.severity)}};
    if (!finding.where.empty()) {
      one["cell"] = Json::object();
      for (const auto& [factor, level] : finding.where) one["cell"][factor] = level;
    }
    one["evidence"] = Json::object();
    for (const auto& [name, value] : finding.evidence)
      if (auto known = json_of(value); !known.is_null()) one["evidence"][name] = std::move(known);
    one["message"] = finding.message;
    if (!finding.advice.empty()) one["advice"] = finding.advice;
    json["checks"].push_back(std::move(one));
  }
  return dump(json) + "\n";
}

std::string audit_text(const std::vector<AuditFinding>& findings, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& finding = findings[i];
    out += fmt::format("{} {}  {}{}\n", coloured(style, finding.severity),
                       style.bold(fmt::format("{:<18}", finding.check)), where_of(finding),
                       printable(finding.message));
    // What several cells in a row have in common is advised once, after the last of them.
    const bool is_said_next = i + 1 < findings.size() && findings[i + 1].advice == finding.advice &&
                              findings[i + 1].check == finding.check;
    if (!finding.advice.empty() && !is_said_next)
      out += style.dim(fmt::format("{:28}-> {}", "", printable(finding.advice))) + "\n";
  }
  out += fmt::format("\n{}: {} severe, {}, {}, {} ok\n", counted(findings.size(), "finding"),
                     count(findings, AuditSeverity::severe),
                     counted(count(findings, AuditSeverity::warning), "warning"),
                     counted(count(findings, AuditSeverity::note), "note"),
                     count(findings, AuditSeverity::ok));
  return out;
}

}  // namespace prengdl
