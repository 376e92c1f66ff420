// SPDX-License-Identifier: Apache-2.0
//
// How many of the reasonable analyses agree with the study's own, and which do not.
#include <fmt/core.h>

#include "base/amounts.h"
#include "base/strings.h"
#include "print/compare.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// More rows than this are too many to look at: comparisons that all analyses agree on go first.
constexpr std::size_t most_drawn = 60;

std::string conclusion(const AlternativeFinding& finding) {
  return finding.winner ? *finding.winner + " costs less" : std::string(name_of(finding.verdict));
}

std::string label_of(const Comparison& one, const Names& names, bool has_one_pair) {
  return names.of_case(one.cell) + (has_one_pair ? "" : ": " + pair_name(one.pair));
}

Table agreement_table(const std::vector<const Comparison*>& rows, const Names& names,
                      bool has_one_pair) {
  Table table;
  table.id = "robustness";
  table.title = "How many of the reasonable analyses agree";
  table.columns = {text_column("case", "case"), text_column("verdict", "verdict"),
                   text_column("agree", "agree"), prose_column("others", "the others say")};
  for (const auto* one : rows) {
    std::vector<std::string> others;
    for (const auto& finding : one->robustness->analyses)
      if (!finding.agrees) others.push_back(finding.analysis + ": " + conclusion(finding));
    table.add({text_cell(label_of(*one, names, has_one_pair)), text_cell(verdict_text(*one)),
               text_cell(fmt::format("{} of {}", one->robustness->agree,
                                     one->robustness->analyses.size())),
               text_cell(joined(others, "; "))});
  }
  return table;
}

/// The ratio of each analysis with its interval, comparison by comparison.
Chart specification_curve(const std::vector<const Comparison*>& rows, const Names& names,
                          const Findings& findings) {
  const bool has_one_pair = findings.levels.size() == 2;
  Table table;
  table.id = "specifications";
  table.title = "Ratios under each analysis";
  table.columns = {text_column("case", "case and analysis"), number_column("ratio", "ratio"),
                   number_column("low", "95 % from"),        number_column("high", "95 % to"),
                   text_column("agrees", "agrees"),          text_column("kind", "kind")};
  for (const bool with_agreement : {false, true})  // those that someone disagrees with come first
    for (const auto* one : rows) {
      const auto& analyses = one->robustness->analyses;
      if ((one->robustness->agree == analyses.size()) != with_agreement) continue;
      if (table.rows.size() + analyses.size() > most_drawn && !table.rows.empty()) continue;
      for (const auto& finding : analyses)
        if (finding.ratio)
          table.add({text_cell(label_of(*one, names, has_one_pair) + ", " + finding.analysis),
                     ratio_cell(*finding.ratio),
                     finding.ci95 ? ratio_cell((*finding.ci95)[0]) : TableCell{},
                     finding.ci95 ? ratio_cell((*finding.ci95)[1]) : TableCell{},
                     text_cell(finding.agrees ? "agrees" : "disagrees"), text_cell("case")});
    }
  Chart chart;
  chart.id = "specification-curve";
  chart.title = table.title + ", with 95 % intervals";
  chart.says = "A row for each analysis of a case: its ratio and interval, and the line at 1.";
  chart.kind = ChartKind::forest;
  chart.roles = {{"x", "ratio"}, {"low", "low"},       {"high", "high"},
                 {"y", "case"},  {"colour", "agrees"}, {"kind", "kind"}};
  chart.settings = {{"margin", findings.margin}};
  chart.titles = {{"x", "ratio"}};
  chart.tables.push_back(std::move(table));
  return chart;
}

}  // namespace

std::optional<Part> robustness_part(const Findings& findings, const Names& names) {
  std::vector<const Comparison*> rows;
  std::size_t unanimous = 0;
  for (const auto& one : findings.comparisons) {
    if (!one.robustness || one.robustness->analyses.empty()) continue;
    rows.push_back(&one);
    unanimous += one.robustness->agree == one.robustness->analyses.size();
  }
  if (rows.empty()) return std::nullopt;
  Part part{"robustness", "robustness", {}};
  part.say(fmt::format("All reasonable analyses agree in {} of {}.", unanimous,
                       counted(rows.size(), "comparison")));
  part.add(agreement_table(rows, names, findings.levels.size() == 2));
  part.add(specification_curve(rows, names, findings));
  return part;
}

}  // namespace prengdl
