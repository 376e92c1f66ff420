// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/amounts.h"
#include "base/json.h"
#include "print/study.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

std::string cell_text(const Plan& plan, const Cell& cell) {
  std::string text;
  for (std::size_t i = 0; i < plan.factors.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", plan.factors[i], cell[i]);
  return text;
}

Json cell_json(const Plan& plan, const Cell& cell) {
  Json json = Json::object();
  for (std::size_t i = 0; i < plan.factors.size(); ++i) json[plan.factors[i]] = cell[i];
  return json;
}

std::string_view word_of(Order order) {
  switch (order) {
    case Order::adjacent:
      return "adjacent";
    case Order::shuffled:
      return "shuffled";
    case Order::as_written:
      break;
  }
  return "as-written";
}

/// "a ratio of 1.03 at a spread of 1 %": what the size of the design is good for.
std::string ratio_to_detect(const Detectable& one) {
  // Nobody plans a study to find that one level costs a hundred times as much.
  const bool is_useful = one.ratio && *one.ratio < 100;
  return fmt::format(
      "{} at a spread of {:.2g} %",
      is_useful ? fmt::format("a ratio of {:.4g}", *one.ratio) : "no ratio below 100",
      100 * one.spread);
}

std::string detectable_text(const Plan& plan, const PlanFamily& family) {
  std::string text;
  if (family.planned_spread)
    text = ratio_to_detect({*family.planned_spread, family.detectable_ratio, {}});
  for (const auto& one : family.assumed) text += (text.empty() ? "" : ", ") + ratio_to_detect(one);
  return fmt::format("detects {} ({:g} % power)", text, 100 * plan.power);
}

std::string pairs_text(const std::optional<std::size_t>& pairs) {
  return pairs ? fmt::format("{} pairs", *pairs) : "more than 100,000 pairs";
}

/// What it takes to show that a ratio is within the margin.
std::string equivalence_text(const Plan& plan, const PlanFamily& family) {
  std::string runs;
  if (family.spread) runs = pairs_text(family.equivalent_n.n);
  for (const auto& one : family.assumed)
    runs += fmt::format("{}{} at a spread of {:.2g} %", runs.empty() ? "" : ", ",
                        pairs_text(one.equivalent_n), 100 * one.spread);
  return fmt::format(
      "showing \"equivalent\" within {:g} % takes {} (true ratio {:g}, {:g} % power)",
      100 * plan.margin, runs, plan.true_ratio, 100 * plan.power);
}

/// That the plan allows for what a pilot does not know of its own spread.
std::string estimate_text(const Plan& plan, const PlanFamily& family) {
  auto text = fmt::format(
      "planned with a spread of {:.2g} %, the upper 80 % confidence limit of the estimated {:.2g} "
      "%",
      100 * *family.planned_spread, 100 * *family.spread);
  if (plan.margin > 0)
    text += fmt::format("; the estimate itself gives {} and {}",
                        pairs_text(family.margin_n.at_estimate),
                        pairs_text(family.equivalent_n.at_estimate));
  return text;
}

/// What holds of a measure, without its name; the first continues after that.
std::vector<std::string> family_lines(const Plan& plan, const PlanFamily& family) {
  std::vector<std::string> lines{fmt::format("{} of {}: the smallest p must be below {:.2g}",
                                             counted(family.comparisons, "comparison"),
                                             counted(family.n, "pair"), family.needed_p)};
  lines.push_back(
      family.can_show
          ? fmt::format("the test of the study, {}, can show a difference", plan.test)
          : fmt::format("so this design cannot show anything with the test {}", plan.test));
  lines.push_back(fmt::format("the rank test can reach {:.2g}", family.rank_smallest_p));
  if (family.rank_smallest_p > family.needed_p)
    lines.back() += fmt::format(" only: it needs {} pairs", family.rank_needed_n);
  if (family.can_show) lines.push_back(detectable_text(plan, family));
  if (family.margin_n.n)
    lines.push_back(fmt::format("detecting a difference of the margin, {:g} %, takes {} pairs",
                                100 * plan.margin, *family.margin_n.n));
  if (plan.margin > 0) lines.push_back(equivalence_text(plan, family));
  if (family.planned_spread != family.spread) lines.push_back(estimate_text(plan, family));
  return lines;
}

/// Measures of which the same can be said are named together.
Part families_part(const Plan& plan) {
  Part part{"families", "what it can show about " + plan.compare};
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // names, lines
  for (const auto& family : plan.families) {
    const auto lines = family_lines(plan, family);
    const auto same = std::find_if(said.begin(), said.end(),
                                   [&](const auto& one) { return one.second == lines; });
    if (same == said.end())
      said.emplace_back(family.measure, lines);
    else
      same->first += ", " + family.measure;
  }
  for (const auto& [names, lines] : said)
    for (std::size_t i = 0; i < lines.size(); ++i)
      part.say(i == 0 ? names + ": " + lines[i] : "  " + lines[i]);
  return part;
}

Part design_part(const Plan& plan) {
  Part part{"study", "study " + plan.study};
  if (!plan.preset.empty()) part.remark = "preset " + plan.preset;
  part.say(fmt::format("{} in {}, {}: {} and {}, {} order", counted(plan.cells.size(), "cell"),
                       counted(plan.cases.size(), "case"), counted(plan.blocks, "block"),
                       counted(plan.runs, "run"), counted(plan.warmups, "warm-up"),
                       word_of(plan.order_kind)));
  if (plan.hours) {
    std::string text = "takes about " + for_people(Seconds{*plan.hours * 3600});
    if (plan.hours_at_most && *plan.hours_at_most > *plan.hours)
      text += fmt::format(", at most {} if the machine is slow to settle",
                          for_people(Seconds{*plan.hours_at_most * 3600}));
    part.say(text);
  }
  if (plan.joules) part.say("uses about " + with_prefix(*plan.joules, "J"));
  if (plan.disk_bytes)
    part.say("writes about " + with_prefix(static_cast<double>(*plan.disk_bytes), "B"));
  if (plan.compare.empty()) part.say("compares nothing");
  return part;
}

Table order_table(const Plan& plan, const std::vector<PlannedRun>& runs) {
  Table table;
  table.columns = {number_column("place", "run"), number_column("block", "block"),
                   text_column("cell", "cell")};
  for (const auto& run : runs)
    table.add({count_cell(run.place + 1), count_cell(run.block + 1),
               text_cell(cell_text(plan, plan.cells[run.cell]))});
  return table;
}

}  // namespace

std::string plan_text(const Plan& plan, bool order, const Style& style) {
  Part design = design_part(plan);
  Part families = families_part(plan);
  Part& last = plan.compare.empty() ? design : families;
  if (!plan.can_show && !plan.why_not.empty()) last.caution(plan.why_not);
  for (const auto& note : plan.notes) last.caution(note);
  std::string text = part_text(design, style);
  if (!plan.compare.empty()) text += part_text(families, style);
  if (order) {
    Part part{"order", "order"};
    part.add(order_table(plan, plan.order));
    text += part_text(part, style);
  }
  text.pop_back();  // the line behind the last part
  return text;
}

std::string due_text(const Plan& plan, const std::vector<PlannedRun>& due,
                     const std::optional<Seconds>& time, const Style& style) {
  std::set<std::size_t> cells, blocks;
  for (const auto& run : due) {
    cells.insert(run.cell);
    blocks.insert(run.block);
  }
  if (due.empty()) return "no run is due: everything asked for is done\n";
  Part part{"due", fmt::format("{} of {} runs are due: {} in {}", due.size(), plan.runs,
                               counted(cells.size(), "cell"), counted(blocks.size(), "block"))};
  if (time) part.title += ", about " + for_people(*time);
  part.add(order_table(plan, due));
  std::string text = part_text(part, style);
  text.pop_back();
  return text;
}

std::string plan_json(const Plan& plan) {
  Json json;
  json["schema"] = "prengdl.plan/2";
  json["study"] = plan.study;
  if (!plan.preset.empty()) json["preset"] = plan.preset;
  if (!plan.compare.empty()) json["compare"] = plan.compare;
  json["test"] = plan.test;
  json["alpha"] = plan.alpha;
  json["margin"] = plan.margin;
  json["power"] = plan.power;
  json["true_ratio"] = plan.true_ratio;
  json["cells"] = Json::array();
  for (const auto& cell : plan.cells) json["cells"].push_back(cell_json(plan, cell));
  json["cases"] = plan.cases;
  json["blocks"] = plan.blocks;
  json["runs"] = plan.runs;
  json["warmups"] = plan.warmups;
  json["order_kind"] = word_of(plan.order_kind);
  Json order = Json::array();
  for (const auto& run : plan.order)
    order.push_back({{"place", run.place},
                     {"block", run.block},
                     {"seed", run.seed},
                     {"cell", cell_json(plan, plan.cells[run.cell])}});
  json["order"] = std::move(order);
  json["families"] = Json::array();
  for (const auto& family : plan.families) {
    Json one{{"measure", family.measure},
             {"family", family.is_primary ? "primary" : "secondary"},
             {"comparisons", family.comparisons},
             {"n", family.n},
             {"needed_p", family.needed_p},
             {"rank_smallest_p", family.rank_smallest_p},
             {"rank_needed_n", family.rank_needed_n},
             {"needed_n", family.needed_n},
             {"can_show", family.can_show}};
    if (family.spread) one["spread"] = *family.spread;
    if (family.planned_spread) one["planned_spread"] = *family.planned_spread;
    if (family.detectable_ratio) one["detectable_ratio"] = *family.detectable_ratio;
    for (const auto& assumed : family.assumed) {
      if (assumed.ratio)
        one["detectable_ratios"].push_back({{"spread", assumed.spread}, {"ratio", *assumed.ratio}});
      if (assumed.equivalent_n)
        one["equivalent_ns"].push_back({{"spread", assumed.spread}, {"n", *assumed.equivalent_n}});
    }
    if (family.interval_factor) one["interval_factor"] = *family.interval_factor;
    const auto add_runs = [&](const std::string& key, const PlannedRuns& runs) {
      if (runs.n) one[key] = *runs.n;
      if (runs.at_estimate) one[key + "_at_estimate"] = *runs.at_estimate;
    };
    add_runs("margin_n", family.margin_n);
    add_runs("equivalent_n", family.equivalent_n);
    json["families"].push_back(std::move(one));
  }
  json["can_show"] = plan.can_show;
  json["too_few_runs"] = plan.has_too_few_runs;
  if (!plan.why_not.empty()) json["why_not"] = plan.why_not;
  if (plan.hours) json["hours"] = *plan.hours;
  if (plan.hours_at_most) json["hours_at_most"] = *plan.hours_at_most;
  if (plan.joules) json["joules"] = *plan.joules;
  if (plan.disk_bytes) json["disk_bytes"] = *plan.disk_bytes;
  json["notes"] = plan.notes;
  return dump(json);
}

}  // namespace prengdl
