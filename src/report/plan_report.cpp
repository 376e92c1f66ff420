// SPDX-License-Identifier: Apache-2.0
#include "report/plan_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

std::string cell_text(const Plan& plan, const Cell& cell) {
  std::string text;
  for (std::size_t i = 0; i < plan.factors.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", plan.factors[i], printable(cell[i]));
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

std::string detectable_text(const PlanFamily& family) {
  std::string text;
  if (family.spread) text = ratio_to_detect({*family.spread, family.detectable_ratio});
  for (const auto& one : family.assumed)
    text += (text.empty() ? "" : fmt::format(",\n{:15}        ", "")) + ratio_to_detect(one);
  return "detects " + text + " (80 % power)";
}

/// What holds of a measure, without its name; the first line goes on after that.
std::string family_text(const Plan& plan, const PlanFamily& family) {
  std::string text = fmt::format("{} of {}: the smallest p must be below {:.2g}\n",
                                 counted(family.comparisons, "comparison"),
                                 counted(family.n, "pair"), family.needed_p);
  text +=
      family.can_show
          ? fmt::format("{:15}the test of the study, {}, can show a difference\n", "", plan.test)
          : fmt::format("{:15}so this design can show nothing by the test {}\n", "", plan.test);
  text += fmt::format("{:15}the rank test can reach {:.2g}", "", family.rank_smallest_p);
  text += family.rank_smallest_p <= family.needed_p
              ? "\n"
              : fmt::format(" only: it needs {} pairs\n", family.rank_needed_n);
  if (family.can_show) text += fmt::format("{:15}{}\n", "", detectable_text(family));
  if (family.margin_n)
    text += fmt::format("{:15}for the margin of {:g} % it takes {} pairs\n", "", 100 * plan.margin,
                        *family.margin_n);
  return text;
}

/// Measures of which the same can be said are named together.
std::string families_text(const Plan& plan) {
  std::vector<std::pair<std::string, std::string>> said;  // names, text
  for (const auto& family : plan.families) {
    const auto text = family_text(plan, family);
    const auto same =
        std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.second == text; });
    if (same == said.end())
      said.emplace_back(family.measure, text);
    else
      same->first += ", " + family.measure;
  }
  std::string all;
  for (const auto& [names, text] : said)
    all += names.size() <= 12 ? fmt::format("  {:<12} {}", names, text)
                              : fmt::format("  {}\n{:15}{}", names, "", text);
  return all;
}

std::string order_text(const Plan& plan, const std::vector<PlannedRun>& runs) {
  std::string text;
  for (const auto& run : runs)
    text += fmt::format("  {:>6}  block {:>4}  {}\n", run.place + 1, run.block + 1,
                        cell_text(plan, plan.cells[run.cell]));
  return text;
}

}  // namespace

std::string plan_text(const Plan& plan, bool order, const Style& style) {
  std::string text = style.bold(fmt::format("study {}", printable(plan.study)));
  if (!plan.preset.empty()) text += fmt::format(", preset {}", printable(plan.preset));
  text += fmt::format("\n  {} in {}, {}: {} and {}, {} order\n", counted(plan.cells.size(), "cell"),
                      counted(plan.units.size(), "unit"), counted(plan.blocks, "block"),
                      counted(plan.runs, "run"), counted(plan.warmups, "warm-up"),
                      word_of(plan.order_kind));
  if (plan.hours) text += fmt::format("  takes about {}", for_people(Seconds{*plan.hours * 3600}));
  if (plan.hours && plan.hours_at_most && *plan.hours_at_most > *plan.hours)
    text += fmt::format(", at most {} if the machine is slow to settle",
                        for_people(Seconds{*plan.hours_at_most * 3600}));
  if (plan.hours) text += "\n";
  if (plan.joules) text += fmt::format("  uses about {}\n", with_prefix(*plan.joules, "J"));
  if (plan.disk_bytes)
    text +=
        fmt::format("  writes about {}\n", with_prefix(static_cast<double>(*plan.disk_bytes), "B"));
  if (plan.compare.empty())
    text += "  compares nothing\n";
  else
    text += style.bold(fmt::format("what it can show about {}", printable(plan.compare))) + "\n";
  text += families_text(plan);
  if (!plan.can_show) text += style.bad("  " + plan.why_not) + "\n";
  for (const auto& note : plan.notes) text += style.warn("  " + note) + "\n";
  if (order) text += style.bold("order") + "\n" + order_text(plan, plan.order);
  return text;
}

std::string due_text(const Plan& plan, const std::vector<PlannedRun>& due,
                     const std::optional<Seconds>& time, const Style& style) {
  std::set<std::size_t> cells, blocks;
  for (const auto& run : due) {
    cells.insert(run.cell);
    blocks.insert(run.block);
  }
  if (due.empty()) return "would now make no run: all that was asked for is done\n";
  std::string text = fmt::format("would now make {} of {} runs: {} in {}", due.size(), plan.runs,
                                 counted(cells.size(), "cell"), counted(blocks.size(), "block"));
  if (time) text += fmt::format(", about {}", for_people(*time));
  return style.bold(text) + "\n" + order_text(plan, due);
}

std::string plan_json(const Plan& plan) {
  Json json;
  json["schema"] = "prengdl.plan/1";
  json["study"] = plan.study;
  if (!plan.preset.empty()) json["preset"] = plan.preset;
  if (!plan.compare.empty()) json["compare"] = plan.compare;
  json["test"] = plan.test;
  json["alpha"] = plan.alpha;
  json["margin"] = plan.margin;
  json["cells"] = Json::array();
  for (const auto& cell : plan.cells) json["cells"].push_back(cell_json(plan, cell));
  json["units"] = plan.units;
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
    if (family.detectable_ratio) one["detectable_ratio"] = *family.detectable_ratio;
    for (const auto& assumed : family.assumed)
      if (assumed.ratio)
        one["detectable_ratios"].push_back({{"spread", assumed.spread}, {"ratio", *assumed.ratio}});
    if (family.interval_factor) one["interval_factor"] = *family.interval_factor;
    if (family.margin_n) one["margin_n"] = *family.margin_n;
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
