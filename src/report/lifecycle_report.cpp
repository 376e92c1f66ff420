// SPDX-License-Identifier: Apache-2.0
#include "report/lifecycle_report.h"

#include <fmt/core.h>

#include "base/text.h"
#include "report/compare_words.h"
#include "report/costs_words.h"
#include "report/figures.h"
#include "report/table.h"

namespace prengdl {
namespace {

using LifeOutcome = LifecyclePair::Outcome;

/// "train once, infer N times".
std::string plan_words(const LifecyclePlan& plan) {
  std::string text;
  for (const auto& phase : plan.phases) {
    text += (text.empty() ? "" : ", ") + printable(phase.level);
    if (!phase.times)
      text += " N times";
    else
      text += *phase.times == 1 ? " once" : fmt::format(" {:.6g} times", *phase.times);
  }
  return text;
}

std::string number_of(double number, const std::string& what) {
  return fmt::format("{:.4g} {}", number, what);
}

std::string stretches(const std::vector<Stretch>& set) {
  std::string text;
  for (const auto& one : set) {
    text += text.empty() ? "" : " and ";
    text += one.to ? fmt::format("{:.4g} … {:.4g}", one.from, *one.to)
                   : fmt::format("{:.4g} and more", one.from);
  }
  return text;
}

bool holds_everything(const std::vector<Stretch>& set) {
  return set.size() == 1 && set.front().from == 0 && !set.front().to;
}

/// What is said about a pair, and how sure that is.
std::string pair_words(const LifecyclePair& pair, const std::string& what) {
  std::string text;
  switch (pair.outcome) {
    case LifeOutcome::break_even:
      text = fmt::format("{} costs less up to {}, {} beyond", printable(*pair.less_before),
                         number_of(*pair.break_even, what), printable(*pair.less_after));
      break;
    case LifeOutcome::first_always:
    case LifeOutcome::second_always:
      text = fmt::format("no break-even: {} costs less for every N",
                         printable(pair.pair[pair.outcome == LifeOutcome::first_always ? 0 : 1]));
      break;
    case LifeOutcome::equal:
      text = fmt::format("no difference between {} and {}", printable(pair.pair[0]),
                         printable(pair.pair[1]));
      break;
    case LifeOutcome::not_comparable:
      return fmt::format("{} and {} are not comparable: {}", printable(pair.pair[0]),
                         printable(pair.pair[1]), printable(pair.reason));
  }
  if (!pair.reason.empty()) return text + "; no interval: " + printable(pair.reason);
  if (!pair.may_be_equal) return text;
  const auto& set = *pair.may_be_equal;
  if (holds_everything(set)) return text + "; not shown: they may cost the same at any N";
  if (pair.outcome == LifeOutcome::break_even)
    return text + fmt::format(" (95 % interval {})", stretches(set));
  if (set.empty()) return text + ", shown at 95 %";
  return text + fmt::format("; not shown: they may cost the same at N of {}", stretches(set));
}

std::string_view word_of(LifeOutcome outcome) {
  switch (outcome) {
    case LifeOutcome::break_even:
      return "break_even";
    case LifeOutcome::first_always:
      return "first_always";
    case LifeOutcome::second_always:
      return "second_always";
    case LifeOutcome::equal:
      return "equal";
    case LifeOutcome::not_comparable:
      break;
  }
  return "not_comparable";
}

Json pair_json(const LifecyclePair& pair) {
  Json json{{"pair", pair.pair}, {"outcome", word_of(pair.outcome)}};
  if (pair.break_even) json["break_even"] = *pair.break_even;
  if (pair.less_before) json["less_before"] = *pair.less_before;
  if (pair.less_after) json["less_after"] = *pair.less_after;
  if (pair.may_be_equal) {
    json["may_be_equal"] = Json::array();
    for (const auto& one : *pair.may_be_equal) {
      Json stretch{{"from", one.from}};
      if (one.to) stretch["to"] = *one.to;
      json["may_be_equal"].push_back(std::move(stretch));
    }
    json["interval"] = "95 %, Fieller";
  }
  if (pair.total) {
    json["total"]["ratio"] = pair.total->value;
    if (pair.total->ci95) json["total"]["ci95"] = *pair.total->ci95;
  }
  if (!pair.reason.empty()) json["reason"] = pair.reason;
  return json;
}

}  // namespace

std::string lifecycle_text(const Lifecycle& lifecycle, const Style& style) {
  if (lifecycle.units.empty()) return "";
  const std::string unit = unit_of_measure(lifecycle.measure);
  std::string out =
      style.bold(measure_title(printable(lifecycle.measure)) + " over a life") +
      style.dim(fmt::format("   {}: arithmetic means; 95 % intervals after Fieller, not "
                            "corrected for their number",
                            plan_words(lifecycle.plan))) +
      "\n";
  using Align = Table::Align;
  Table table({{"unit", Align::left},
               {"level", Align::left},
               {"fixed", Align::right},
               {"each", Align::right},
               {"total", Align::right},
               {"", Align::left}});
  for (const auto& one : lifecycle.units)
    for (const auto& level : one.levels)
      table.add({unit_name(one.cell), printable(level.level), figure_text(level.fixed, unit),
                 figure_text(level.each, unit) + "/" + one_of(one.per),
                 level.total ? figure_text(*level.total, unit) : "", quality_remark(one.quality)});
  out += table.text("  ", style);
  for (const auto& one : lifecycle.units)
    for (const auto& pair : one.pairs) {
      out +=
          fmt::format("  {}: {}\n", unit_name(one.cell), pair_words(pair, one_of(one.per) + "s"));
      if (pair.total)
        out += fmt::format("    total {} / {} = {}{}\n", printable(pair.pair[0]),
                           printable(pair.pair[1]), ratio_text(pair.total->value),
                           pair.total->ci95
                               ? fmt::format(" (95 % interval {})", interval_text(pair.total->ci95))
                               : "");
    }
  for (const auto& note : lifecycle.notes) out += "  " + style.dim(printable(note)) + "\n";
  return out + "\n";
}

Json lifecycle_json(const Lifecycle& lifecycle) {
  Json json{{"factor", lifecycle.plan.factor}, {"measure", lifecycle.measure}};
  json["phases"] = Json::array();
  for (std::size_t i = 0; i < lifecycle.plan.phases.size(); ++i) {
    const auto& phase = lifecycle.plan.phases[i];
    Json one{{"level", phase.level}, {"repeated", i == lifecycle.plan.repeated}};
    if (phase.times) one["times"] = *phase.times;
    json["phases"].push_back(std::move(one));
  }
  json["paired"] = lifecycle.paired;
  json["units"] = Json::array();
  for (const auto& one : lifecycle.units) {
    Json unit{{"cell", unit_json(one.cell)}, {"counts", one.per.value_or("runs")}};
    if (one.quality) unit["quality"] = name_of(*one.quality);
    unit["levels"] = Json::object();
    for (const auto& level : one.levels) {
      Json figures{{"fixed", level.fixed}, {"each", level.each}};
      if (level.total) figures["total"] = *level.total;
      unit["levels"][level.level] = std::move(figures);
    }
    unit["pairs"] = Json::array();
    for (const auto& pair : one.pairs) unit["pairs"].push_back(pair_json(pair));
    json["units"].push_back(std::move(unit));
  }
  json["notes"] = lifecycle.notes;
  return json;
}

}  // namespace prengdl
