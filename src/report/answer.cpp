// SPDX-License-Identifier: Apache-2.0
//
// "What costs less?": the answer in words and as a table, then what every level costs.
#include "print/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "model/measure.h"
#include "print/compare.h"
#include "print/words.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

using Tone = Paragraph::Tone;

/// Whether an interval leaves open on which side of 1 a ratio lies.
bool is_open(const Ratio& ratio) {
  return !ratio.ci95 || ((*ratio.ci95)[0] <= 1 && (*ratio.ci95)[1] >= 1);
}

ComparisonColumn detail(ComparisonColumn column) {
  column.column.is_detail = true;
  return column;
}

/// What a level costs, with the unit that suits it.
ComparisonColumn cost_column(std::size_t place, std::string title) {
  const std::string key = place == 0 ? "first" : "second";
  return {number_column(key, std::move(title)), [place](const Comparison& one) {
            const LevelFigures& level = one.levels[place];
            if (level.n == 0) return TableCell{};
            const double cost = level.geomean.value_or(level.mean);
            return TableCell{figure_text(cost, unit_of_measure(one.measure)), cost,
                             one.winner == level.level};
          }};
}

ComparisonColumn ratio_part(const char* key, const char* title,
                            std::optional<Ratio> Comparison::*of) {
  return {number_column(key, title), [of](const Comparison& one) {
            return one.*of ? ratio_cell((one.*of)->value) : TableCell{};
          }};
}

/// The case, what the levels cost, their ratio and the verdict; the rest on demand.
Table answer_table(const ReportInput& input) {
  const std::string measure = headline_of(input);
  std::vector<const Comparison*> rows;
  std::set<std::string> works;
  for (const auto& one : input.findings.value->comparisons) {
    if (one.measure != measure || one.n == 0) continue;
    rows.push_back(&one);
    if (one.per) works.insert(one_of(one.per));
  }
  const auto& levels = input.findings.value->levels;
  const bool has_one_pair = levels.size() == 2;
  ComparisonColumn ratio = comparison_column("ratio");
  ratio.cell = [](const Comparison& one) {
    if (!one.estimate) return TableCell{};
    TableCell cell = ratio_cell(one.estimate->value);
    cell.interval = one.estimate->ci95;
    return cell;
  };
  Table table = comparisons_table(
      {case_column(input), comparison_column("pair"),
       cost_column(0, has_one_pair ? levels[0] : "first"),
       cost_column(1, has_one_pair ? levels[1] : "second"), std::move(ratio),
       comparison_column("interval"), titled_column("conclusion", "verdict", "verdict"),
       detail(comparison_column("n")), detail(titled_column("p_corrected", "p", "corrected p")),
       detail({text_column("because", "because of"),
               [](const Comparison& one) { return text_cell(one.winner ? because(one) : ""); }}),
       detail(ratio_part("time", "time ratio", &Comparison::time)),
       detail(ratio_part("power", "power ratio", &Comparison::power))},
      rows);
  table.id = "answer";
  table.title = sentence(cost_noun(input));
  table.title.pop_back();
  table.title += ", case by case";
  if (works.size() > 1) table.title += " (per unit of work)";
  table.badge = badge_of(input, measure);
  table.note = "Costs are geometric means over runs. The ratio is first / second.";
  if (!drop_if_empty(table, "time"))
    table.note += " The ratio is the time ratio times the power ratio.";
  drop_if_empty(table, "power");
  drop_if_empty(table, "because");
  fold_column(table, "pair");
  return table;
}

/// What the differences between two levels come from: "run time in 4 cases; power in 1 case".
std::string reasons_of(const Findings& findings, const std::string& measure,
                       const std::array<std::string, 2>& pair) {
  std::map<std::string, std::size_t> reasons;
  std::size_t cases = 0;
  for (const auto& one : findings.comparisons) {
    if (one.measure != measure || one.n == 0 || one.pair != pair) continue;
    ++cases;
    if (const auto why = one.winner ? because(one) : ""; !why.empty()) ++reasons[why];
  }
  return joined(reasons, "; ", [&](const auto& reason) {
    const auto& [why, count] = reason;
    return cases == 1 ? why : fmt::format("{} in {}", why, counted(count, "case"));
  });
}

/// What one measure says of each pair; false if there is no case to compare.
bool say_pairs(const ReportInput& input, const std::string& measure, Part& part) {
  const auto& findings = *input.findings.value;
  if (findings.levels.size() >= many_levels) return say_standings(input, measure, part);
  bool any = false;
  for (std::size_t i = 0; i < findings.levels.size(); ++i)
    for (std::size_t j = i + 1; j < findings.levels.size(); ++j) {
      const std::array<std::string, 2> pair{findings.levels[i], findings.levels[j]};
      const std::string sentences = pair_sentence(findings, measure, pair, names_of(input));
      if (sentences.empty()) continue;
      any = true;
      part.say(sentences, Tone::answer);
      if (const auto reasons = reasons_of(findings, measure, pair); !reasons.empty())
        part.say("The difference comes from " + reasons + ".");
    }
  return any;
}

void say_groups(const ReportInput& input, Part& part) {
  const std::string measure = headline_of(input);
  const char* verb = is_in_seconds(measure) ? "took" : "used";
  for (const auto& group : input.findings.value->groups) {
    if (group.measure != measure || group.cases < 2) continue;
    part.say(fmt::format(
        "{}, {} {} {} times the {} of {}{}.",
        group.group == "all" ? "On average over all cases"
                             : "On average over the group " + group.group,
        group.pair[0], verb, ratio_text(group.these_cases.value), cost_noun(input), group.pair[1],
        group.these_cases.ci95 ? " (95 % interval " + interval_text(group.these_cases.ci95) + ")"
                               : ""));
    if (const auto& like = group.cases_like_these)
      part.say(
          fmt::format("For cases like these the ratio is {} (95 % interval {}, over {} of {}).",
                      ratio_text(like->ratio), interval_text(like->ci95),
                      counted(like->clusters, "level"), input.study.analysis.over));
  }
}

void say_answer(const ReportInput& input, Part& part) {
  const auto& findings = *input.findings.value;
  const std::string measure = headline_of(input);
  if (!say_pairs(input, measure, part))
    return part.say(fmt::format("Nothing can be compared: {}.",
                                findings.levels.size() < 2
                                    ? "the study has one level of " + findings.compare
                                    : "no case has good runs of two levels"));
  part.add(overview_chart(input));
  if (findings.levels.size() >= many_levels) return;
  part.add(answer_table(input));
  say_groups(input, part);
}

}  // namespace

std::string because(const Comparison& one) {
  if (!one.time || !one.power || (is_open(*one.time) && is_open(*one.power))) return "";
  if (is_open(*one.time)) return "power";
  if (is_open(*one.power)) return "run time";
  const double time = std::log(one.time->value), power = std::log(one.power->value);
  const double whole = time + power;
  if (whole == 0) return "";
  const double share = time / whole;
  if (share > 1.1) return "run time, partly offset by power";
  if (share >= 0.8) return "run time";
  if (share < -0.1) return "power, partly offset by run time";
  if (share <= 0.2) return "power";
  return "run time and power";
}

Part answer_part(const ReportInput& input) {
  Part part{"answer", "What costs less?", {}};
  part.tag = "RQ1";
  if (input.levels.size() < 2) part.title = "What does it cost?";
  if (input.findings.value) say_answer(input, part);
  add_costs(input, part);
  return part;
}

}  // namespace prengdl
