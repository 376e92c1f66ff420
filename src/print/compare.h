// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "base/json.h"
#include "conclude/standings.h"
#include "model/comparison.h"
#include "print/words.h"
#include "tables/part.h"
#include "tables/terminal.h"

namespace prengdl {

/// A part of the report that an option of `compare` asked for: whole-life costs, carbon, ...
struct ComparePart {
  std::string key;  // in the JSON
  Json json;
  std::string text;
};

struct CompareReport {
  std::string study;
  Findings findings;
  std::vector<std::string> factors;  // without the compared one, in the study's order
  std::vector<ComparePart> parts;
  std::vector<std::string> domains = {};   // that make up the energy, for the badge of the answer
  std::vector<std::string> cautions = {};  // lines about the validity of the result
};

/// The answer, the forest plot, then tables and details.
std::string compare_text(const CompareReport& report, const Style& style);
std::string compare_json(const CompareReport& report);  // prengdl.compare/2
Json findings_json(const Findings& findings);           // its findings[], also those of `measure`
std::string compare_markdown(const CompareReport& report);
std::string findings_markdown(const CompareReport& report);  // its tables without the answer
std::string compare_csv(const CompareReport& report);        // a row per comparison

/// As the studies print it: per case the mean of each level, the cheapest marked, the ratio of each
/// to the cheapest, p of the rank test and A12, for each measure.
std::string compare_as_published(const CompareReport& report, const Style& style = {});

/// The costs as the published studies print them, a table for each phase: a row for each case and
/// measure with the mean of each level, the cheaper one marked where the verdict says so, and of
/// two levels the ratio, p and A12. `headline`: the measure that stands first.
std::vector<Table> study_tables(const Findings& findings, const Study& study,
                                const std::string& headline, const Names& names);

// What `compare` and the report show of findings, from the same cells.

/// A column of tables about comparisons, and how a comparison fills it.
struct ComparisonColumn {
  TableColumn column;
  std::function<TableCell(const Comparison&)> cell;
};

/// By the name that the CSV gives it: "n", "ratio", "p_corrected". In addition there are "pair",
/// "interval" and "conclusion", for people.
ComparisonColumn comparison_column(const std::string& name);
ComparisonColumn titled_column(const std::string& name, std::string key, std::string title);

/// A row for each comparison.
Table comparisons_table(const std::vector<ComparisonColumn>& columns,
                        const std::vector<const Comparison*>& rows);

/// The level of a factor.
ComparisonColumn factor_column(const std::string& factor);

/// Of one measure: the level of the lowest cost in each case, to which every other is set.
std::vector<Comparison> against_the_lowest(const Findings& findings, const std::string& measure);

/// Of many levels the one that stands first, which is set against all others; else nothing.
std::optional<std::string> leader_of(const Findings& findings, const std::string& measure);

/// How each of many levels stands among the others.
Table standings_table(const Standings& standings, const Names& names);

/// Several cases as one.
Table groups_table(const std::vector<GroupComparison>& groups, const Names& names);

/// The ratios of one measure with their intervals, case by case and for several as one. Of many
/// levels the lowest of each case is set against the others.
Chart ratios_chart(const Findings& findings, const std::string& measure, const Names& names);

/// What weakens these findings, a sentence for each caveat; `with_unjudged` also what few runs
/// cannot show.
std::vector<std::string> caveat_lines(const std::vector<const Comparison*>& rows,
                                      bool with_unjudged);

/// How much of the variation is between nodes: "34 % of the variation is between nodes (3 nodes;
/// 95 % interval 5 to 80 %)." Nothing if no comparison has an estimate.
std::optional<std::string> nodes_line(const std::vector<const Comparison*>& rows);

/// Which of the reasonable analyses agree, comparison by comparison; nothing if none were made.
std::optional<Part> robustness_part(const Findings& findings, const Names& names);

/// What `compare` shows besides the findings.
struct ComparePartsShown {
  bool energy_time = false;  // as text; it is always in the JSON
  bool factorial = false;
  bool lifecycle = false;
};

/// The parts that were asked for, cost against score if the runs emitted scores, and bounds if
/// there was no meter. Throws the Error of a part that was asked for and could not be made.
CompareReport compare_report(const Analysis& analysis, const Study& study,
                             const std::optional<std::string>& stated_window,
                             const ComparePartsShown& shown, const Style& style);

}  // namespace prengdl
