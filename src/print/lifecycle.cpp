// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/strings.h"
#include "print/costs.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

using LifeOutcome = LifecyclePair::Outcome;

/// "train once, infer N times".
std::string plan_words(const LifecyclePlan& plan) {
  return joined(plan.phases, ", ", [](const auto& phase) {
    if (!phase.times) return phase.level + " N times";
    return phase.level + (*phase.times == 1 ? " once" : fmt::format(" {:.6g} times", *phase.times));
  });
}

std::string number_of(double number, const std::string& what) {
  return fmt::format("{:.4g} {}", number, what);
}

std::string stretches(const std::vector<Stretch>& set) {
  return joined(set, " and ", [](const Stretch& one) {
    return one.to ? fmt::format("{:.4g} … {:.4g}", one.from, *one.to)
                  : fmt::format("{:.4g} and more", one.from);
  });
}

bool holds_everything(const std::vector<Stretch>& set) {
  return set.size() == 1 && set.front().from == 0 && !set.front().to;
}

/// What is said about a pair, and how sure that is.
std::string pair_words(const LifecyclePair& pair, const std::string& what) {
  std::string text;
  switch (pair.outcome) {
    case LifeOutcome::break_even:
      text = fmt::format("{} costs less up to {}, {} beyond", *pair.less_before,
                         number_of(*pair.break_even, what), *pair.less_after);
      break;
    case LifeOutcome::first_always:
    case LifeOutcome::second_always:
      text = fmt::format("no break-even: {} costs less for every N",
                         pair.pair[pair.outcome == LifeOutcome::first_always ? 0 : 1]);
      break;
    case LifeOutcome::equal:
      text = fmt::format("no difference between {} and {}", pair.pair[0], pair.pair[1]);
      break;
    case LifeOutcome::not_comparable:
      return fmt::format("{} and {} are not comparable: {}", pair.pair[0], pair.pair[1],
                         pair.reason);
  }
  if (!pair.reason.empty()) return text + "; no interval: " + pair.reason;
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

Table lives_table(const Lifecycle& lifecycle, const Names& names) {
  const std::string unit = unit_of_measure(lifecycle.measure);
  Table table;
  table.id = "lives";
  table.columns = {text_column("case", "case"),          text_column("level", names.compared),
                   number_column("fixed", "once", unit), number_column("each", "each time", unit),
                   text_column("counts", "N counts"),    number_column("total", "total", unit)};
  for (const auto& one : lifecycle.cases)
    for (const auto& level : one.levels)
      table.add({text_cell(names.of_case(one.cell)), text_cell(level.level),
                 scaled_cell(level.fixed), scaled_cell(level.each),
                 text_cell(one_of(one.per) + "s"), scaled_cell(level.total)});
  drop_if_empty(table, "total");
  return table;
}

std::string lifecycle_text(const Lifecycle& lifecycle, const Style& style) {
  if (lifecycle.cases.empty()) return "";
  Part part{"lifecycle", measure_title(lifecycle.measure) + " over a life", {}};
  part.remark = plan_words(lifecycle.plan);
  for (const auto& one : lifecycle.cases)
    if (const auto remark = quality_remark(one.quality); !remark.empty()) {
      part.remark += remark;
      break;
    }
  part.add(lives_table(lifecycle, {}));
  for (const auto& one : lifecycle.cases)
    for (const auto& pair : one.pairs) {
      part.say(case_name(one.cell) + ": " + pair_words(pair, one_of(one.per) + "s"));
      if (pair.total)
        part.say(fmt::format(
            "  total {} = {}{}", pair_name(pair.pair), ratio_text(pair.total->value),
            pair.total->ci95 ? fmt::format(" (95 % interval {})", interval_text(pair.total->ci95))
                             : ""));
    }
  part.note("Arithmetic means; 95 % intervals after Fieller, not corrected for their number.");
  for (const auto& note : lifecycle.notes) part.note(sentence(note));
  return part_text(part, style);
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
  json["cases"] = Json::array();
  for (const auto& one : lifecycle.cases) {
    Json one_case{{"cell", case_json(one.cell)}, {"counts", one.per.value_or("runs")}};
    if (one.quality) one_case["quality"] = name_of(*one.quality);
    one_case["levels"] = Json::object();
    for (const auto& level : one.levels) {
      Json figures{{"fixed", level.fixed}, {"each", level.each}};
      if (level.total) figures["total"] = *level.total;
      one_case["levels"][level.level] = std::move(figures);
    }
    one_case["pairs"] = Json::array();
    for (const auto& pair : one.pairs) one_case["pairs"].push_back(pair_json(pair));
    json["cases"].push_back(std::move(one_case));
  }
  json["notes"] = lifecycle.notes;
  return json;
}

}  // namespace prengdl
