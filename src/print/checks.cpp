// SPDX-License-Identifier: Apache-2.0
#include "print/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/json.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "print/meters.h"
#include "store/aa_file.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

std::string aa_title(const AaMeasure& measure) {
  return title_of(measure.measure) +
         (measure.quality == Quality::virtual_machine ? ", reported by the hypervisor" : "");
}

std::string short_percent(double share) {
  return share >= 0.995 ? fmt::format("{:.0f} %", 100 * share)
                        : fmt::format("{:.2g} %", 100 * share);
}

std::string aa_measure_text(const AaMeasure& measure, const Style& style) {
  std::string out = style.bold(aa_title(measure)) + "\n";
  out += fmt::format("  spread of a pair {} (95 % interval {} to {}), of single runs {}\n",
                     short_percent(measure.spread), short_percent(measure.spread_ci95[0]),
                     short_percent(measure.spread_ci95[1]), short_percent(measure.run_spread));
  out += fmt::format("  {} pairs can show a ratio of {:.4f} (4 times in 5)\n", measure.pairs,
                     measure.detectable_ratio);
  out += fmt::format("  with labels swapped at random, the t test at 5 % is wrong in {}",
                     short_percent(measure.false_positives));
  if (measure.back_to_back_false_positives)
    out += fmt::format("; without taking turns it would be in {}",
                       short_percent(*measure.back_to_back_false_positives));
  out += "\n";
  const std::string seen = fmt::format("  the two labels: ratio {:.4f} ({:.4f} … {:.4f}), p {:.2g}",
                                       measure.ratio, measure.ci95[0], measure.ci95[1], measure.p);
  if (measure.p < 0.05)
    out += style.warn(seen + ": a difference by chance, as in 1 of 20 A/A tests; repeat it") + "\n";
  else
    out += seen + "\n";
  return out;
}

Json json_of(const EvidenceValue& value) {
  if (const auto* number = std::get_if<double>(&value))
    return std::isfinite(*number) ? Json(*number) : Json();
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return Json(*numbers);
  return Json(std::get<std::string>(value));
}

/// What was checked, a row each, with what to do about it in a row below.
struct CheckList {
  Table table;

  CheckList() {
    table.columns = {text_column("severity", "severity"), text_column("check", "check"),
                     text_column("finding", "finding")};
    table.has_headings = false;
  }

  /// The two kinds of severity are the same scale: ok, note, warning, worse.
  template <class Scale>
  void add(Scale severity, const std::string& check, std::string finding) {
    constexpr std::array tones{CellTone::good, CellTone::faint, CellTone::caution, CellTone::bad};
    table.add(
        {toned_cell(std::string(name_of(severity)), tones.at(static_cast<std::size_t>(severity))),
         toned_cell(check, CellTone::strong), text_cell(std::move(finding))});
  }
  void advise(const std::string& what) {
    table.add({TableCell{}, TableCell{}, toned_cell("-> " + what, CellTone::faint)});
  }
};

/// "mask_rcnn tensorflow: ".
std::string where_of(const AuditFinding& finding) {
  return finding.where.empty() ? "" : where_text(finding) + ": ";
}

std::size_t count(const std::vector<AuditFinding>& findings, AuditSeverity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const AuditFinding& one) { return one.severity == severity; }));
}

}  // namespace

std::string where_text(const AuditFinding& finding) {
  return joined(finding.where, " ", [](const auto& one) { return one.second; });
}

namespace {

Json json_of(const std::vector<Check>& checks) {
  Json json;
  json["schema"] = "prengdl.doctor/2";
  json["worst"] = name_of(worst(checks));
  json["checks"] = Json::array();
  for (const auto& check : checks) {
    Json one{
        {"check", check.name}, {"severity", name_of(check.severity)}, {"finding", check.finding}};
    if (!check.remedy.empty()) one["remedy"] = check.remedy;
    if (!check.fix.empty()) one["fix"] = check.fix;
    json["checks"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string doctor_json(const std::vector<Check>& checks) { return dump(json_of(checks)) + "\n"; }

std::string doctor_json(const std::vector<Check>& checks, const FoundMeters& found,
                        const CpuFacts& cpu, const std::optional<AaRecord>& aa) {
  Json json = json_of(checks);
  json["meters"] = Json::array();
  for (const auto& meter : found.meters)
    if (meter->info().counted != Counted::channel)
      json["meters"].push_back(meter_json(meter->info(), &cpu));
  json["left_out"] = left_out_json(found.left_out);
  if (aa) json["aa"] = Json::parse(aa_json_text(*aa));
  return dump(json) + "\n";
}

std::string doctor_text(const std::vector<Check>& checks, const Style& style) {
  CheckList list;
  for (const auto& check : checks) {
    list.add(check.severity, check.name, check.finding);
    if (!check.remedy.empty())
      list.advise(check.remedy + (check.fix.empty() ? "" : " (`prengdl doctor --fix` does this)"));
  }
  const auto count = [&](Severity severity) {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(),
                      [&](const Check& check) { return check.severity == severity; }));
  };
  return table_text(list.table, style, "") +
         fmt::format("\n{}: {} ok, {}, {}, {} failed\n", counted(checks.size(), "check"),
                     count(Severity::ok), counted(count(Severity::note), "note"),
                     counted(count(Severity::warning), "warning"), count(Severity::fail));
}

std::string aa_text(const AaRecord& record, const Style& style) {
  std::string out = style.bold("one command under two labels") +
                    fmt::format(", {} pairs of {} at {}\n", record.pairs,
                                shortened(printable(shell_line(record.command)), 60), record.at);
  for (const auto& measure : record.measures) out += aa_measure_text(measure, style);
  if (!measure_of(record, "metered"))
    out += style.dim("energy is not judged: no meter measures it, or its readings do not change") +
           "\n";
  if (record.disturbed > 0)
    out += style.warn(fmt::format("{} of {} runs were disturbed: other programs used the machine",
                                  record.disturbed, 2 * record.pairs)) +
           "\n";
  return out;
}

std::string aa_line(const AaRecord& record, const std::string& measure) {
  const AaMeasure* one = measure_of(record, measure);
  const bool is_other = one == nullptr;
  if (!one) one = measure_of(record, "seconds");
  if (!one) return fmt::format("the A/A test of {} has no figure for this machine", record.at);
  return fmt::format(
      "{}two runs of the same command differ by {} in {} on this machine; {} pairs can show a "
      "ratio of {:.4f} (doctor --aa of {})",
      is_other ? title_of(measure) + " was not judged; " : "", short_percent(one->spread),
      aa_title(*one), one->pairs, one->detectable_ratio, record.at);
}

std::string audit_json(const std::vector<AuditFinding>& findings) {
  Json json;
  json["schema"] = "prengdl.audit/2";
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
  CheckList list;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& finding = findings[i];
    list.add(finding.severity, finding.check, where_of(finding) + finding.message);
    // What several cells in a row have in common is advised once, after the last of them.
    const bool is_said_next = i + 1 < findings.size() && findings[i + 1].advice == finding.advice &&
                              findings[i + 1].check == finding.check;
    if (!finding.advice.empty() && !is_said_next) list.advise(finding.advice);
  }
  return table_text(list.table, style, "") +
         fmt::format("\n{}: {} severe, {}, {}, {} ok\n", counted(findings.size(), "finding"),
                     count(findings, AuditSeverity::severe),
                     counted(count(findings, AuditSeverity::warning), "warning"),
                     counted(count(findings, AuditSeverity::note), "note"),
                     count(findings, AuditSeverity::ok));
}

std::vector<std::string> caution_lines(const std::vector<AuditFinding>& findings,
                                       const std::string& result) {
  const std::size_t severe = count(findings, AuditSeverity::severe);
  const std::size_t all = severe + count(findings, AuditSeverity::warning);
  if (all == 0) return {};
  std::vector<std::string> lines;
  for (const auto& finding : findings)
    if (finding.severity == AuditSeverity::severe)
      lines.push_back(
          fmt::format("severe: {}: {}{}", finding.check, where_of(finding), finding.message));
  lines.push_back(fmt::format("{}, {} severe: prengdl audit {}", counted(all, "caution"),
                              severe == 0 ? "none" : std::to_string(severe), shell_line({result})));
  return lines;
}

}  // namespace prengdl
