// SPDX-License-Identifier: Apache-2.0
//
// What `compare` says to people: on a terminal, and as Markdown.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/amounts.h"
#include "base/escaping.h"
#include "conclude/standings.h"
#include "model/measure.h"
#include "print/answer.h"
#include "print/checks.h"
#include "print/compare.h"
#include "print/costs.h"
#include "print/provenance.h"
#include "stats/summary.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// Which pairs a table has: all of them, or of many levels the lowest with every other.
enum class Pairs { all, readable };

std::vector<Comparison> rows_of(const Findings& findings, const std::string& measure, Pairs pairs) {
  if (pairs == Pairs::readable && findings.levels.size() >= many_levels)
    return against_the_lowest(findings, measure);
  std::vector<Comparison> rows;
  for (const auto& one : findings.comparisons)
    if (one.measure == measure) rows.push_back(one);
  return rows;
}

/// The work that all costs are divided by, if it is the same: then the title says it once.
std::optional<std::string> common_work(const std::vector<const Comparison*>& rows) {
  const auto& first = rows.front()->per;
  const bool is_same =
      std::all_of(rows.begin(), rows.end(), [&](const auto* one) { return one->per == first; });
  return is_same ? first : std::nullopt;
}

/// What one of the two levels costs, marked where a difference is shown.
ComparisonColumn cost_column(std::size_t place, const std::string& title, bool with_work) {
  return {number_column(place == 0 ? "cost_first" : "cost_second", title),
          [place, with_work](const Comparison& one) {
            const LevelFigures& level = one.levels[place];
            if (level.n == 0) return text_cell("–");
            const double cost = level.geomean.value_or(level.mean);
            return TableCell{
                with_work ? cost_text(cost, one) : figure_text(cost, unit_of(one.measure)), cost,
                one.winner == level.level};
          }};
}

/// Which level costs less, titled "less energy"; the verdict where none is shown to.
ComparisonColumn winner_column(const std::string& measure) {
  const char* const less = is_latency(measure) ? "lower " : "less ";
  return {text_column("verdict", less + measure_title(measure)), [](const Comparison& one) {
            if (!one.winner) return text_cell(verdict_text(one));
            return text_cell(*one.winner + (one.below_margin ? ", below the margin" : "") +
                             score_words(one));
          }};
}

Table family_table(const CompareReport& report, const std::vector<const Comparison*>& rows) {
  std::vector<ComparisonColumn> columns;
  for (const auto& factor : report.factors) {
    auto column = factor_column(factor);
    const auto level = [&](const Comparison* one) { return column.cell(*one).text; };
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const auto* one) { return level(one) == level(rows.front()); }))
      column.column.spare = 7;
    columns.push_back(std::move(column));
  }
  const bool has_one_pair = report.findings.levels.size() == 2;
  const bool with_work = !common_work(rows);
  if (!has_one_pair) columns.push_back(comparison_column("pair"));
  for (const std::size_t place : {0U, 1U})
    columns.push_back(cost_column(place,
                                  has_one_pair ? report.findings.levels[place]
                                  : place == 0 ? "first"
                                               : "second",
                                  with_work));
  columns.push_back(comparison_column("ratio"));
  columns.push_back(comparison_column("interval"));
  columns.push_back(winner_column(rows.front()->measure));
  columns.push_back(comparison_column("n"));
  columns.push_back(titled_column("p_corrected", "p_corrected", "p"));
  columns.push_back(titled_column("rank_p_corrected", "rank_p_corrected", "rank p"));
  for (const char* name : {"a12", "time_ratio", "power_ratio"})
    columns.push_back(comparison_column(name));
  return comparisons_table(columns, rows);
}

std::string quality_note(const std::vector<const Comparison*>& rows) {
  std::set<std::string> words;
  for (const auto* one : rows) {
    if (one->quality == Quality::model) words.insert("modelled, not measured");
    if (one->quality == Quality::virtual_machine) words.insert("reported by the hypervisor");
  }
  return listed({words.begin(), words.end()});
}

std::string tests_words(std::size_t tests) {
  if (tests == 0) return "not tested";
  return tests == 1 ? "1 test" : fmt::format("{} tests, Holm", tests);
}

/// Why findings could not be made, each reason once, and what weakens them. What few runs cannot
/// show is the same for every measure, so it is said of one, and it is no warning.
void add_cautions(const std::vector<const Comparison*>& rows, bool is_headline, Part& part) {
  std::set<std::string> reasons;
  for (const auto* one : rows)
    if (!one->reason.empty()) reasons.insert(one->reason);
  for (const auto& reason : reasons) part.caution(sentence(reason));
  for (const auto& line : caveat_lines(rows, false)) part.caution(line);
  if (!is_headline) return;
  const auto weak = caveat_lines(rows, false);
  for (const auto& line : caveat_lines(rows, true))
    if (std::find(weak.begin(), weak.end(), line) == weak.end()) part.note(line);
}

/// The domains of the energy share one table, unless the study or the answer is about them.
bool has_own_table(const Findings& findings, const Family& family) {
  return family.is_primary || family.measure == headline_measure(findings) ||
         family.measure == measures::metered || !is_energy_measure(family.measure);
}

std::vector<const Comparison*> pointers_to(const std::vector<Comparison>& comparisons) {
  std::vector<const Comparison*> rows;
  rows.reserve(comparisons.size());
  for (const auto& one : comparisons) rows.push_back(&one);
  return rows;
}

/// One measure: what the levels cost, and which costs less.
std::optional<Part> family_part(const CompareReport& report, const Family& family, Pairs pairs) {
  const auto comparisons = rows_of(report.findings, family.measure, pairs);
  if (comparisons.empty()) return std::nullopt;
  const auto rows = pointers_to(comparisons);
  Part part{family.measure, measure_title(family.measure), {}};
  if (rows.front()->per) {
    const auto work = common_work(rows);
    part.title += " per " + (work ? singular(*work) : "unit of work");
  }
  part.remark =
      fmt::format("{}, {}", family.is_primary ? "primary" : "secondary", tests_words(family.tests));
  if (const auto note = quality_note(rows); !note.empty()) part.remark += "; " + note;
  part.add(family_table(report, rows));
  const bool is_headline = family.measure == headline_measure(report.findings);
  add_cautions(rows, is_headline, part);
  if (const auto line = is_headline ? nodes_line(rows) : std::nullopt) part.note(*line);
  return part;
}

/// The measure that the answer is about comes first.
std::vector<Family> families_in_order(const Findings& findings) {
  std::vector<Family> families = findings.families;
  std::stable_partition(families.begin(), families.end(),
                        [measure = headline_measure(findings)](const Family& family) {
                          return family.measure == measure;
                        });
  return families;
}

/// The domains without a table of their own: their ratios, a column for each.
std::optional<Part> domains_part(const CompareReport& report) {
  const Findings& findings = report.findings;
  std::vector<std::string> others;
  for (const auto& family : findings.families)
    if (!has_own_table(findings, family)) others.push_back(family.measure);
  std::map<std::pair<CellPattern, std::array<std::string, 2>>, std::map<std::string, TableCell>>
      all;
  std::vector<Comparison> rows;
  for (const auto& measure : others)
    for (const auto& one : rows_of(findings, measure, Pairs::readable)) {
      auto& row = all[{one.cell, one.pair}];
      if (row.empty()) rows.push_back(one);
      TableCell cell = one.estimate ? ratio_cell(one.estimate->value) : text_cell("–");
      cell.is_marked = one.winner.has_value();
      row[measure] = cell;
    }
  if (rows.empty()) return std::nullopt;
  std::vector<ComparisonColumn> columns;
  columns.reserve(report.factors.size() + 1 + others.size());
  for (const auto& factor : report.factors) columns.push_back(factor_column(factor));
  if (findings.levels.size() > 2) columns.push_back(comparison_column("pair"));
  for (const auto& measure : others)
    columns.push_back(
        {number_column(measure, measure_title(measure)), [&all, measure](const Comparison& one) {
           const auto& row = all.at({one.cell, one.pair});
           const auto cell = row.find(measure);
           return cell == row.end() ? TableCell{} : cell->second;
         }});
  Part part{"domains", "ratios by domain"};
  if (findings.levels.size() == 2)
    part.remark = pair_name({findings.levels[0], findings.levels[1]});
  part.add(comparisons_table(columns, pointers_to(rows)));
  part.note("* marks a difference that is shown. Use --csv or --json for intervals and p.");
  return part;
}

/// How the findings were made.
Part method_part(const CompareReport& report) {
  const Findings& findings = report.findings;
  Part part{"method", "how it was compared", {}};
  part.remark = report.study + ", " + findings.compare + ": " + listed(findings.levels);
  part.note(sentence(findings.pairing));
  part.note(fmt::format("{}; alpha: {:.3g}; margin: {:.3g} %.",
                        findings.window == "run" ? std::string("Whole runs are compared")
                                                 : "Window: " + findings.window,
                        findings.alpha, findings.margin * 100));
  part.note(
      "Costs are geometric means; * marks the lower one if a difference is shown. Ratio = first / "
      "second = time x power.");
  return part;
}

/// The forest plot of all cases, without a title: it belongs to the answer above it.
std::string forest_text(const Findings& findings, const Style& style) {
  Part part{"forest", ""};
  part.add(ratios_chart(findings, headline_measure(findings), {}));
  std::string text = part_text(part, style);
  const auto first_line = text.find('\n');
  text.erase(0, first_line + 1);
  return text == "\n" ? "" : "\n" + text;
}

/// How each of many levels stands among the others, by the measure of the headline.
std::optional<Part> standings_part(const Findings& findings) {
  if (findings.levels.size() < many_levels) return std::nullopt;
  const std::string measure = headline_measure(findings);
  const Standings all = standings(findings, measure);
  if (all.comparisons == 0) return std::nullopt;
  Part part{"standings", "ranking by " + measure_title(measure), {}};
  part.add(standings_table(all, {.compared = findings.compare}));
  part.note(
      "Less than, more than: comparisons with one other level in one case that show it. Below, "
      "each level is compared with the lowest of its case. Use --csv or --json for all pairs.");
  return part;
}

/// The parts of the energy are in the JSON: here they would bury the answer.
bool is_worth_a_line(const Findings& findings, const GroupComparison& group) {
  if (is_in_seconds(group.measure)) return true;
  return std::any_of(findings.families.begin(), findings.families.end(), [&](const Family& family) {
    return family.is_primary && family.measure == group.measure;
  });
}

std::optional<Part> groups_part(const Findings& findings) {
  const auto leader = leader_of(findings, headline_measure(findings));
  std::vector<GroupComparison> groups;
  for (const auto& group : findings.groups)
    if (is_worth_a_line(findings, group) &&
        (!leader || group.pair[0] == *leader || group.pair[1] == *leader))
      groups.push_back(group);
  if (groups.empty()) return std::nullopt;
  Part part{"groups", "several cases as one", {}};
  Table table = groups_table(groups, {});
  part.remark = std::exchange(table.title, "");  // the pair, if there is only one
  part.add(std::move(table));
  part.note(
      "Geometric means of the cases' ratios. \"These cases\": the interval covers the uncertainty "
      "of each case's ratio.");
  const bool is_general =
      std::any_of(groups.begin(), groups.end(),
                  [](const GroupComparison& group) { return group.cases_like_these.has_value(); });
  part.note(is_general
                ? "\"Cases like these\": the cases are treated as a sample, clustered by the "
                  "factor that the study generalises over."
                : "This says nothing about other cases: " + groups.front().why_no_generalisation +
                      ".");
  return part;
}

/// The domains that make up the energy of the runs, in the order in which they first occur.
std::vector<std::string> domains_in(const std::vector<CaseRuns>& cases) {
  std::vector<std::string> domains;
  for (const auto& one_case : cases)
    for (const auto& runs : one_case.levels)
      for (const auto* run : runs)
        for (const auto& domain : run->run.energy.covers)
          if (std::find(domains.begin(), domains.end(), domain) == domains.end())
            domains.push_back(domain);
  return domains;
}

std::optional<Part> failures_part(const Findings& findings) {
  if (findings.failures.empty()) return std::nullopt;
  Part part{"failures", "failures", {}};
  for (const auto& cell : findings.failures) {
    std::string text;
    for (const auto& level : cell.cell) text += (text.empty() ? "" : " ") + level;
    text += fmt::format(": {} of {} runs", cell.failed, cell.runs);
    if (cell.burnt_joules) text += ", which used " + with_prefix(*cell.burnt_joules, "J");
    part.say(text);
  }
  return part;
}

}  // namespace

std::vector<std::string> caveat_lines(const std::vector<const Comparison*>& rows,
                                      bool with_unjudged) {
  std::map<std::string, std::size_t> counts;
  for (const auto* one : rows)
    for (const auto& caveat : one->caveats)
      if (with_unjudged ||
          (caveat.code != Caveat::shape_unjudged && caveat.code != Caveat::dependence_unjudged))
        ++counts[caveat.text];
  std::vector<std::string> lines;
  lines.reserve(counts.size());
  for (const auto& [text, count] : counts)
    lines.push_back(count == rows.size() ? sentence(text)
                                         : sentence(fmt::format("{} ({} of {} comparisons)", text,
                                                                count, rows.size())));
  return lines;
}

std::optional<std::string> nodes_line(const std::vector<const Comparison*>& rows) {
  std::map<CellPattern, NodeVariation> cases;
  for (const auto* one : rows)
    if (one->nodes) cases.try_emplace(one->cell, *one->nodes);
  if (cases.empty()) return std::nullopt;
  std::vector<double> shares;
  std::set<std::size_t> counts;
  for (const auto& [cell, nodes] : cases) {
    shares.push_back(nodes.share_between);
    counts.insert(nodes.count);
  }
  const std::string nodes = counts.size() == 1
                                ? fmt::format("{} nodes", *counts.begin())
                                : fmt::format("{} to {} nodes", *counts.begin(), *counts.rbegin());
  const auto& ci = cases.begin()->second.ci95;
  const std::string range =
      cases.size() == 1 ? fmt::format("95 % interval {:.0f} to {:.0f} %", ci[0] * 100, ci[1] * 100)
                        : fmt::format("median of {} cases, {:.0f} to {:.0f} %", cases.size(),
                                      *std::min_element(shares.begin(), shares.end()) * 100,
                                      *std::max_element(shares.begin(), shares.end()) * 100);
  return fmt::format("{:.0f} % of the variation is between nodes ({}; {}).", median(shares) * 100,
                     nodes, range);
}

std::string compare_text(const CompareReport& report, const Style& style) {
  const Findings& findings = report.findings;
  std::string out = answer_text(answer_of(findings, {}, report.domains), style);
  const auto add = [&](const std::optional<Part>& part) {
    if (part) out += part_text(*part, style);
  };
  const std::string forest = forest_text(findings, style);
  out += forest.empty() ? "\n" : forest;
  add(standings_part(findings));
  for (const auto& family : families_in_order(findings))
    if (has_own_table(findings, family)) add(family_part(report, family, Pairs::readable));
  add(domains_part(report));
  add(groups_part(findings));
  if (auto part = robustness_part(findings, {})) {
    // The curve is for the report: on a terminal the table is enough.
    std::erase_if(part->blocks,
                  [](const Block& block) { return std::holds_alternative<Chart>(block); });
    add(part);
  }
  add(failures_part(findings));
  for (const auto& part : report.parts) out += part.text;
  add(method_part(report));
  for (const auto& line : report.cautions) out += style.warn(printable(line)) + "\n";
  for (const auto& note : findings.notes) out += style.warn("note: " + printable(note)) + "\n";
  return out;
}

std::string findings_markdown(const CompareReport& report) {
  std::string out;
  for (const auto& family : families_in_order(report.findings))
    if (const auto part = family_part(report, family, Pairs::all)) out += part_markdown(*part);
  return out;
}

std::string compare_markdown(const CompareReport& report) {
  return answer_markdown(answer_of(report.findings, {}, report.domains)) +
         findings_markdown(report);
}

CompareReport compare_report(const Analysis& analysis, const Study& study,
                             const std::optional<std::string>& stated_window,
                             const ComparePartsShown& shown, const Style& style) {
  CompareReport report;
  report.study = study.name;
  report.findings = analysis.findings.or_throw();
  auto& notes = report.findings.notes;
  if (stated_window)
    notes.push_back("the window was chosen for this comparison; the study's is " + *stated_window);
  for (const auto& record : analysis.aa) notes.push_back(aa_line(record, study.analysis.primary));
  for (const auto& line : analysis.flags) notes.push_back("flag " + line);
  for (const auto& factor : study.factors)
    if (factor.name != study.analysis.compare) report.factors.push_back(factor.name);
  report.domains = domains_in(analysis.cases);

  auto& parts = report.parts;
  for (auto& part : provenance_parts(analysis, study, style)) parts.push_back(std::move(part));
  if (analysis.bounds) parts.push_back(bounds_part(*analysis.bounds, report.factors, style));
  const auto& scores = analysis.scores.value;
  if (scores && (!scores->cases.empty() || !scores->settings.metric.empty()))
    parts.push_back({"accuracy", scores_json(*scores), scores_text(*scores, style)});
  for (const auto& costs : analysis.costs_to_score)
    parts.push_back({"reach", cost_to_score_json(costs), cost_to_score_text(costs, style)});
  const EnergyTime& relation = analysis.energy_time.or_throw();
  parts.push_back({"energy_time", energy_time_json(relation),
                   shown.energy_time ? energy_time_text(relation, style) : ""});
  if (shown.factorial) parts.push_back(factorial_part(analysis.factorial.or_throw(), style));
  if (shown.lifecycle) {
    const Lifecycle& life = analysis.lifecycle.or_throw();
    parts.push_back({"lifecycle", lifecycle_json(life), lifecycle_text(life, style)});
  }
  if (analysis.emissions)
    parts.push_back({"emissions", emissions_json(*analysis.emissions),
                     emissions_text(*analysis.emissions, style)});
  return report;
}

}  // namespace prengdl
