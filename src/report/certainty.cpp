// SPDX-License-Identifier: Apache-2.0
//
// "How sure is it?": what the energy is worth, what weakens the findings, whether other analyses
// agree, and what the audit of the data found.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "model/measure.h"
#include "print/checks.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// What the counted runs know about their energy.
struct EnergyRecord {
  std::map<Quality, std::set<std::string>> domains;
  std::size_t runs = 0, with = 0, modelled = 0;
};

EnergyRecord energy_record(const ReportInput& input) {
  EnergyRecord record;
  const Totals* last = nullptr;  // most runs are alike: those need no second look
  for (const auto& one_case : input.cases)
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs) {
        ++record.runs;
        const auto& energy = run->run.energy;
        if (!energy.metered) continue;
        ++record.with;
        if (energy.metered->quality == Quality::model) ++record.modelled;
        if (last && last->covers == energy.covers &&
            last->metered->quality == energy.metered->quality)
          continue;
        last = &energy;
        for (const auto& domain : energy.covers)
          if (const auto found = energy.domains.find(domain); found != energy.domains.end())
            record.domains[found->second.quality].insert(domain);
      }
  return record;
}

/// The cautions on what was measured; the badge next to each title says the rest.
void add_energy_cautions(const ReportInput& input, std::vector<SummaryCaution>& cautions) {
  const EnergyRecord record = energy_record(input);
  if (record.with == 0)
    cautions.push_back({false, "Energy was not measured, so this report is about time."});
  else if (record.modelled == record.with)
    cautions.push_back(
        {false,
         "Energy was modelled from run time and CPU time, not measured. It adds no evidence to "
         "them, so it gets no p value and no winner."});
  else if (record.modelled > 0)
    cautions.push_back({false, fmt::format("Energy was modelled, not measured, in {} of {}.",
                                           record.modelled, counted(record.runs, "run"))});
  if (record.with > 0 && record.with < record.runs)
    cautions.push_back({false, fmt::format("{} of {} have no energy.", record.runs - record.with,
                                           counted(record.runs, "run"))});
  const std::string& primary = input.study.analysis.primary;
  if (input.findings.value && headline_of(input) != primary)
    cautions.push_back(
        {false, fmt::format("The study's primary measure is {}. It was modelled, "
                            "so the answer is about {}.",
                            measure_title(primary), measure_title(headline_of(input)))});
  if (input.stated_window)
    cautions.push_back(
        {false, fmt::format("The compared window is {}, chosen for this report. The study says {}.",
                            input.study.analysis.window, *input.stated_window)});
}

/// Whether the cautions on energy or the caveats of the findings say the same as a check.
bool is_said(const ReportInput& input, const std::string& check) {
  if (check == "modelled-energy") return is_modelled(input, input.primary);
  if (check != "disturbed" || !input.findings.value) return false;
  const auto& all = input.findings.value->comparisons;
  return std::any_of(all.begin(), all.end(), [&](const Comparison& one) {
    return one.measure == headline_of(input) && one.has(Caveat::disturbed);
  });
}

/// The checks that object, each once, with how often.
void add_audit_cautions(const ReportInput& input, AuditSeverity severity,
                        std::vector<SummaryCaution>& cautions) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const AuditFinding*>> checks;
  for (const auto& finding : input.audit) {
    if (finding.severity != severity || is_said(input, finding.check)) continue;
    if (!checks.contains(finding.check)) order.push_back(finding.check);
    checks[finding.check].push_back(&finding);
  }
  for (const auto& check : order) {
    const auto& found = checks[check];
    const std::string where = where_text(*found.front());
    std::string text = (where.empty() ? "" : "In " + where + ": ") + found.front()->message;
    if (found.size() > 1) text += fmt::format(" ({} more like this)", found.size() - 1);
    cautions.push_back({severity == AuditSeverity::severe, sentence(shortened(text, 600))});
  }
}

void say_method(const ReportInput& input, Part& part) {
  const auto& findings = *input.findings.value;
  part.say(
      fmt::format("Intervals are at 95 %. p values are corrected by Holm within each measure, "
                  "and alpha is {:.3g}. Differences below {:.3g} % are treated as negligible.",
                  findings.alpha, findings.margin * 100));
  part.say(sentence(findings.pairing));
  const std::string& window = input.study.analysis.window;
  const bool has_spans = std::any_of(input.runs->begin(), input.runs->end(),
                                     [](const StoredRun& run) { return !run.run.spans.empty(); });
  if (input.stated_window)
    part.say(
        fmt::format("{} compared. This window was chosen for this report; the study says {}.",
                    window == "run" ? "Whole runs are" : "The window " + window + " of each run is",
                    *input.stated_window));
  else if (window != "run")
    part.say(fmt::format("The window {} of each run is compared.", window));
  else if (has_spans)
    part.say(
        "Whole runs are compared, including start-up and loading. Use `--window` to compare one "
        "phase.");
}

/// Which nodes made the runs, and how much of the variation is between them.
void say_nodes(const ReportInput& input, Part& part) {
  std::vector<const Comparison*> rows;
  for (const auto& one : input.findings.value->comparisons)
    if (one.measure == headline_of(input)) rows.push_back(&one);
  const auto line = nodes_line(rows);
  if (!line) return;
  std::set<std::string> nodes;
  for (const auto& one_case : input.cases)
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs) nodes.insert(shown_name(input.machines, run->machine));
  constexpr std::size_t most = 12;
  part.say((nodes.size() <= most ? "The runs were made on " + listed({nodes.begin(), nodes.end()})
                                 : fmt::format("The runs were made on {} nodes", nodes.size())) +
           ". " + *line + " Intervals of a case's ratio hold for nodes like these.");
}

void add_audit(const ReportInput& input, Part& part) {
  Table table;
  table.id = "audit";
  table.title = "Audit: threats to validity, the most severe first";
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
  if (table.rows.empty()) return;
  table.note = "`docs/reference/audit.md` explains each check.";
  part.say(fmt::format("The audit made {}: {} severe, {}, {}, {} ok.",
                       counted(input.audit.size(), "check"), counts[3],
                       counted(counts[2], "warning"), counted(counts[1], "note"), counts[0]));
  part.add(std::move(table));
}

/// What holds without a meter, whatever the machine draws.
void add_bounds(const ReportInput& input, Part& part) {
  if (!input.bounds) return;
  Table table;
  table.id = "without-a-meter";
  table.title = "Without a meter: energy ratios that are possible under the assumed power models";
  table.badge = "modelled";
  table.columns = {text_column("case", "case"),
                   text_column("pair", "pair"),
                   number_column("low", "from"),
                   number_column("high", "to"),
                   text_column("interval", "with 95 % for the runs"),
                   text_column("verdict", "verdict")};
  const bool has_many_levels = input.levels.size() >= many_levels;
  std::size_t held = 0;
  for (const auto& one : input.bounds->comparisons) {
    held += one.bounds.less.has_value();
    if (has_many_levels && !one.bounds.less) continue;
    std::string verdict = one.bounds.less ? one.pair[*one.bounds.less] + ": " : "";
    verdict += name_of(one.bounds.verdict);
    table.rows.push_back({text_cell(case_label(input.study, one.cell)),
                          text_cell(one.pair[0] + " / " + one.pair[1]),
                          ratio_cell(one.bounds.ratio[0]), ratio_cell(one.bounds.ratio[1]),
                          interval_cell(one.bounds.ci95), text_cell(verdict)});
  }
  table.note = model_assumption();
  for (const auto& note : input.bounds->notes) table.note += " " + sentence(note);
  if (has_many_levels)
    part.say(fmt::format(
        "Without a meter, one level uses less energy under all assumed power models in {} of {}. "
        "The others need a meter or more runs.",
        held, counted(input.bounds->comparisons.size(), "comparison")));
  fold_column(table, "pair");
  part.add(std::move(table));
}

}  // namespace

std::string badge_of(const ReportInput& input, const std::string& measure) {
  if (!is_energy_measure(measure) && measure != "watts") return "";
  const EnergyRecord record = energy_record(input);
  if (record.with == 0) return "energy not measured";
  if (record.modelled == record.with) return "modelled";
  if (measure != measures::metered && measure != "watts")
    return is_modelled(input, measure) ? "modelled" : "measured: " + measure;
  std::vector<std::string> domains;
  for (const auto& [quality, names] : record.domains)
    if (quality != Quality::model) domains.insert(domains.end(), names.begin(), names.end());
  const auto place = [](const std::string& domain) {
    static const std::vector<std::string> order{"package", "dram", "gpu"};
    return std::find(order.begin(), order.end(), domain) - order.begin();
  };
  std::stable_sort(domains.begin(), domains.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return (record.modelled > 0 ? "partly modelled: " : "measured: ") + joined(domains, ", ");
}

std::vector<SummaryCaution> cautions_of(const ReportInput& input) {
  std::vector<SummaryCaution> cautions;
  add_audit_cautions(input, AuditSeverity::severe, cautions);
  add_energy_cautions(input, cautions);
  if (input.findings.value) {
    std::vector<const Comparison*> rows;
    for (const auto& one : input.findings.value->comparisons)
      if (one.measure == headline_of(input) && one.n > 0) rows.push_back(&one);
    for (auto& line : caveat_lines(rows, true)) cautions.push_back({false, std::move(line)});
  }
  add_audit_cautions(input, AuditSeverity::warning, cautions);
  return cautions;
}

Part certainty_part(const ReportInput& input) {
  Part part{"certainty", "How sure is it?", {}};
  if (input.findings.value) {
    say_method(input, part);
    say_nodes(input, part);
    if (auto agreement = robustness_part(*input.findings.value, names_of(input)))
      part.blocks.insert(part.blocks.end(), agreement->blocks.begin(), agreement->blocks.end());
    for (const auto& note : input.findings.value->notes) part.note(sentence(note));
  }
  add_bounds(input, part);
  add_audit(input, part);
  return part;
}

}  // namespace prengdl
