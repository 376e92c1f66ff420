// SPDX-License-Identifier: Apache-2.0
//
// Part 1: the answer in words: who costs less, by how much, how sure and why.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/model_bounds.h"
#include "base/amounts.h"
#include "base/strings.h"
#include "conclude/energy_kind.h"
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

/// Which of time and power makes the difference: by their shares of the logarithm of the ratio.
/// Nothing if neither differs by itself.
std::string because(const Comparison& one) {
  if (!one.time || !one.power || (is_open(*one.time) && is_open(*one.power))) return "";
  if (is_open(*one.time)) return "power";
  if (is_open(*one.power)) return "time";
  const double time = std::log(one.time->value), power = std::log(one.power->value);
  const double whole = time + power;
  if (whole == 0) return "";
  const double share = time / whole;
  if (share > 1.1) return "time, against power";
  if (share >= 0.8) return "time";
  if (share < -0.1) return "power, against time";
  if (share <= 0.2) return "power";
  return "time and power";
}

Table answer_table(const ReportInput& input) {
  const std::string measure = headline_of(input);
  std::vector<const Comparison*> rows;
  std::set<std::string> works;
  for (const auto& one : input.findings.value->comparisons) {
    if (one.measure != measure || one.n == 0) continue;
    rows.push_back(&one);
    if (one.per) works.insert(one_of(one.per));
  }
  const auto part = [](const char* key, const char* title, std::optional<Ratio> Comparison::*of) {
    return ComparisonColumn{number_column(key, title), [of](const Comparison& one) {
                              return one.*of ? ratio_cell((one.*of)->value) : TableCell{};
                            }};
  };
  Table table = comparisons_table(
      {case_column(input),
       comparison_column("pair"),
       comparison_column("ratio"),
       comparison_column("interval"),
       titled_column("p_corrected", "p", "corrected p"),
       titled_column("conclusion", "verdict", "verdict"),
       {text_column("because", "because of"),
        [](const Comparison& one) { return text_cell(one.winner ? because(one) : ""); }},
       part("time", "time ratio", &Comparison::time),
       part("power", "power ratio", &Comparison::power)},
      rows);
  table.id = "answer";
  table.title = "Which costs less, case by case (" + titled(input, measure) + ")";
  if (!works.empty())
    table.title += ", per " + (works.size() == 1 ? *works.begin() : "unit of work");
  table.note = "Ratio = first / second, of geometric means.";
  if (!drop_if_empty(table, "time")) table.note += " It is the time ratio times the power ratio.";
  drop_if_empty(table, "power");
  drop_if_empty(table, "because");
  fold_column(table, "pair");
  return table;
}

struct Tally {
  std::map<std::string, std::vector<double>> saved;  // by winner: shares
  std::map<std::string, std::size_t> below_margin;   // of these
  std::map<std::string, std::size_t> other;          // by verdict
  std::map<std::string, std::size_t> reasons;
  std::size_t cases = 0;
};

Tally tally_of(const Findings& findings, const std::string& measure,
               const std::array<std::string, 2>& pair) {
  Tally tally;
  for (const auto& one : findings.comparisons) {
    if (one.measure != measure || one.n == 0 || one.pair != pair) continue;
    ++tally.cases;
    if (!one.winner) {
      ++tally.other[std::string(name_of(one.verdict))];
      continue;
    }
    const double ratio = one.estimate->value;
    tally.saved[*one.winner].push_back(1 - (ratio < 1 ? ratio : 1 / ratio));
    tally.below_margin[*one.winner] += one.below_margin;
    if (const auto why = because(one); !why.empty()) ++tally.reasons[why];
  }
  return tally;
}

/// "tensorflow costs less energy than pytorch in 4 of 6 cases, by 20 % to 66 %".
std::string who_words(const Tally& tally, const std::array<std::string, 2>& pair,
                      const std::string& what) {
  std::vector<std::string> clauses;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto won = tally.saved.find(pair[i]);
    if (won == tally.saved.end()) continue;
    const auto [least, most] = std::minmax_element(won->second.begin(), won->second.end());
    std::string by = won->second.size() == 1 ? percent_text(*least)
                                             : percent_text(*least) + " to " + percent_text(*most);
    if (const std::size_t below = tally.below_margin.at(pair[i]); below == won->second.size())
      by += ", below the margin";
    else if (below > 0)
      by += fmt::format(", in {} of them below the margin", below);
    clauses.push_back(
        tally.cases == 1
            ? fmt::format("{} costs less {} than {}, by {}", pair[i], what, pair[1 - i], by)
            : fmt::format("{} costs less {} than {} in {} of {}, by {}", pair[i], what, pair[1 - i],
                          won->second.size(), counted(tally.cases, "case"), by));
  }
  for (const auto& [verdict, count] : tally.other)
    clauses.push_back(tally.cases == 1 ? fmt::format("{} and {}: {}", pair[0], pair[1], verdict)
                                       : fmt::format("{} of {} are {}", count,
                                                     counted(tally.cases, "case"), verdict));
  return joined(clauses, "; ") + ".";
}

/// What one measure says of each pair; false if there is no case to compare.
bool say_pairs(const ReportInput& input, const std::string& measure, Part& part) {
  const auto& findings = *input.findings.value;
  if (findings.levels.size() >= many_levels) return say_standings(input, measure, part);
  bool any = false;
  for (std::size_t i = 0; i < findings.levels.size(); ++i)
    for (std::size_t j = i + 1; j < findings.levels.size(); ++j) {
      const std::array<std::string, 2> pair{findings.levels[i], findings.levels[j]};
      const Tally tally = tally_of(findings, measure, pair);
      if (tally.cases == 0) continue;
      any = true;
      const auto modelled = tally.other.find(std::string(name_of(Verdict::modelled)));
      if (modelled != tally.other.end() && modelled->second == tally.cases) continue;
      part.say(who_words(tally, pair, measure_title(measure)), Tone::answer);
      const auto text = joined(tally.reasons, "; ", [&](const auto& reason) {
        const auto& [why, count] = reason;
        return tally.cases == 1 ? why : fmt::format("in {} from {}", counted(count, "case"), why);
      });
      if (!text.empty())
        part.say((tally.cases == 1 ? "It comes from " : "The difference comes ") + text + ".");
    }
  return any;
}

void say_groups(const ReportInput& input, Part& part) {
  const std::string measure = headline_of(input);
  for (const auto& group : input.findings.value->groups) {
    if (group.measure != measure || group.cases < 2) continue;
    std::vector<std::string> wins;
    for (std::size_t i = 0; i < 2; ++i)
      if (group.wins[i] > 0)
        wins.push_back(
            fmt::format("{} costs less in {} of {}", group.pair[i], group.wins[i], group.cases));
    part.say(fmt::format("{}: {}; on average {} / {} = {}{}.",
                         group.group == "all" ? "All cases as one" : "Group " + group.group,
                         wins.empty() ? "no difference is shown" : listed(wins), group.pair[0],
                         group.pair[1], ratio_text(group.these_cases.value),
                         group.these_cases.ci95
                             ? " (95 % interval " + interval_text(group.these_cases.ci95) + ")"
                             : ""));
    if (const auto& like = group.cases_like_these)
      part.say(fmt::format("For cases like these the ratio is {} (95 % interval {}, over {}).",
                           ratio_text(like->ratio), interval_text(like->ci95),
                           counted(like->clusters, "level") + " of " + input.study.analysis.over));
  }
}

/// Which part of the runs the figures are of; runs without spans have no parts.
void say_window(const ReportInput& input, Part& part) {
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

void say_answer(const ReportInput& input, Part& part) {
  if (!input.findings.value) return part.caution(input.findings.why_not);
  const auto& findings = *input.findings.value;
  const std::string measure = headline_of(input);
  if (measure != input.study.analysis.primary)
    part.say(
        fmt::format("The primary measure of the study, {}, was modelled and not measured, so it "
                    "supports no conclusion. The answer is about {}.",
                    measure_title(input.study.analysis.primary), measure_title(measure)));
  if (!say_pairs(input, measure, part))
    return part.caution(fmt::format("Nothing can be compared: {}.",
                                    findings.levels.size() < 2
                                        ? "the study has one level of " + findings.compare
                                        : "no case has good runs of two levels"));
  const bool has_few_levels = findings.levels.size() < many_levels;
  if (has_few_levels) say_groups(input, part);
  say_window(input, part);
  part.say(
      fmt::format("How sure: 95 % intervals, p corrected by Holm within each measure, alpha "
                  "{:.3g}; {}. Differences below {:.3g} % are treated as negligible.",
                  findings.alpha, findings.pairing, findings.margin * 100));
  if (has_few_levels) part.add(answer_table(input));
  std::vector<const Comparison*> rows;
  for (const auto& one : findings.comparisons)
    if (one.measure == measure && one.n > 0) rows.push_back(&one);
  for (const auto& line : caveat_lines(rows, true)) part.caution(line);
}

/// What holds without a meter, whatever the machine draws.
void say_bounds(const ReportInput& input, Part& part) {
  if (!input.bounds) return;
  Table table;
  table.id = "without-a-meter";
  table.title = "Without a meter: the energy ratios that are possible under the assumed models";
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
  std::string notes;
  for (const auto& note : input.bounds->notes) {
    notes += "; " + note;
    table.note += " " + sentence(note);
  }
  if (has_many_levels)
    part.say(
        fmt::format("Without a meter: in {} of {} of energy one level costs less under the "
                    "assumed models of the machine's power; the others need a meter or more "
                    "runs{}.",
                    held, counted(input.bounds->comparisons.size(), "comparison"), notes));
  fold_column(table, "pair");
  part.add(std::move(table));
}

}  // namespace

Part answer_part(const ReportInput& input) {
  Part part{"answer", "The answer", {}};
  say_quality(input, part);
  say_answer(input, part);
  say_bounds(input, part);
  say_against(input, part);
  say_own_cost(input, part);
  return part;
}

}  // namespace prengdl
