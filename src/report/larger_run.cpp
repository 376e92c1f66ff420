// SPDX-License-Identifier: Apache-2.0
//
// "What would a larger run cost?": training costs once, inference again and again, so from which N
// on is which level cheaper.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "print/costs.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

std::string pair_words(const LifecyclePair& pair, const std::string& what) {
  using Outcome = LifecyclePair::Outcome;
  switch (pair.outcome) {
    case Outcome::break_even:
      return fmt::format("{} up to {} {}, {} beyond", *pair.less_before,
                         significant(*pair.break_even), what, *pair.less_after);
    case Outcome::first_always:
    case Outcome::second_always:
      return pair.pair[pair.outcome == Outcome::first_always ? 0 : 1] + " for every N";
    case Outcome::equal:
      return "no difference";
    case Outcome::not_comparable:
      break;
  }
  return "not comparable: " + pair.reason;
}

std::string equal_words(const LifecyclePair& pair) {
  if (!pair.may_be_equal) return "";
  const auto& all = *pair.may_be_equal;
  if (all.size() == 1 && all.front().from <= 0 && !all.front().to)
    return "every N: no difference is shown";
  if (all.empty()) return "at no N";
  return joined(all, " and ", [](const Stretch& one) {
    return significant(one.from) + (one.to ? " … " + significant(*one.to) : " and more");
  });
}

Table break_even_table(const ReportInput& input, const Lifecycle& life) {
  Table table;
  table.id = "break-even";
  table.title = "Break-even: which costs less, and up to which N";
  table.badge = badge_of(input, life.measure);
  table.columns = {text_column("case", "case"), text_column("pair", "pair"),
                   text_column("less", "costs less"), number_column("break_even", "break-even N"),
                   text_column("interval", "may cost the same at (95 %)")};
  for (const auto& one : life.cases)
    for (const auto& pair : one.pairs)
      table.rows.push_back({text_cell(case_label(input.study, one.cell)),
                            text_cell(pair_name(pair.pair)),
                            text_cell(pair_words(pair, one_of(one.per) + "s") +
                                      (one.quality == Quality::model ? " (by the model)" : "")),
                            number_cell(pair.break_even), text_cell(equal_words(pair))});
  table.note =
      "From arithmetic means, because costs add up. Intervals are Fieller's, without a correction "
      "for several comparisons.";
  fold_column(table, "pair");
  return table;
}

Chart life_chart(const ReportInput& input, const Lifecycle& life) {
  Table table;
  table.id = "life-lines";
  table.title = "Cost of one training and N inferences";
  table.badge = badge_of(input, life.measure);
  table.columns = {
      text_column("case", "case"), text_column("level", input.study.analysis.compare),
      number_column("n", "N"),
      number_column("cost", titled(input, life.measure), unit_of_measure(life.measure))};
  for (const auto& one : life.cases) {
    double far = 10;
    for (const auto& pair : one.pairs)
      if (pair.break_even && *pair.break_even > 0) far = std::max(far, 3 * *pair.break_even);
    // Where lives never meet, N is drawn until the repeated phase costs as much as the other.
    for (const auto& level : one.levels)
      if (level.each > 0 && far == 10) far = std::max(far, level.fixed / level.each);
    for (const auto& level : one.levels)
      for (int i = 0; i <= 20; ++i) {
        const double n = far * i / 20;
        table.rows.push_back({text_cell(case_label(input.study, one.cell)), text_cell(level.level),
                              number_cell(n), scaled_cell(level.fixed + n * level.each)});
      }
  }
  Chart chart;
  chart.id = "life";
  chart.title = "Cost of one training and N inferences";
  chart.badge = table.badge;
  chart.says = "A panel for each case. Where the lines cross, both levels have cost the same.";
  chart.kind = ChartKind::lines;
  chart.roles = {{"x", "n"}, {"y", "cost"}, {"colour", "level"}, {"facet", "case"}};
  chart.settings = {{"own_axes", 1}};
  chart.tables.push_back(std::move(table));
  return chart;
}

}  // namespace

Part larger_run_part(const ReportInput& input) {
  Part part{"larger", "What would a larger run cost?", {}};
  if (!input.lifecycle.value) {
    part.absent = sentence(input.lifecycle.why_not);
    return part;
  }
  const auto& life = *input.lifecycle.value;
  if (life.cases.empty()) {
    part.absent = "No case has runs of both training and inference.";
    return part;
  }
  part.add(life_chart(input, life));
  part.add(break_even_table(input, life));
  Table lives = lives_table(life, names_of(input));
  lives.title = measure_title(life.measure) + " of training and inference";
  lives.badge = badge_of(input, life.measure);
  part.add(std::move(lives));
  for (const auto& note : life.notes) part.note(sentence(note));
  return part;
}

}  // namespace prengdl
