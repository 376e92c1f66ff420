// SPDX-License-Identifier: Apache-2.0
#include "print/meters.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "model/accuracy.h"
#include "print/measure.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

bool is_channel(const MeterInfo& info) { return info.counted == Counted::channel; }

std::string details(const MeterInfo& info) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (info.quantum > 0) add("steps of " + with_prefix(info.quantum, name_of(info.unit)));
  if (info.update.count() > 0) add("new every " + for_people(info.update));
  if (info.window.count() > 0) add("mean over " + for_people(info.window));
  if (info.lag.count() > 0) add(for_people(info.lag) + " late");
  if (info.range) add("wraps at " + with_prefix(static_cast<double>(*info.range) * info.step, "J"));
  return text;
}

/// Those with the same advice together, in the order in which they were found.
std::vector<std::vector<const LeftOut*>> by_advice(const std::vector<LeftOut>& left_out) {
  std::vector<std::vector<const LeftOut*>> groups;
  for (const auto& one : left_out) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.front()->advice == one.advice;
    });
    if (same == groups.end())
      groups.push_back({&one});
    else
      same->push_back(&one);
  }
  return groups;
}

/// A row for each meter and, below it, what is known about it.
Table meters_table(const FoundMeters& found, const CpuFacts& cpu) {
  Table table;
  table.columns = {text_column("domain", "domain"), text_column("meter", "meter")};
  table.has_headings = false;
  for (const auto& meter : found.meters) {
    const MeterInfo& info = meter->info();
    if (is_channel(info)) continue;
    table.add({toned_cell(info.domain, CellTone::strong),
               toned_cell(fmt::format("{} [{}]", info.name, name_of(info.quality)),
                          info.quality == Quality::model ? CellTone::caution : CellTone::plain)});
    const auto add = [&](std::string text) {
      if (!text.empty()) table.add({TableCell{}, toned_cell(std::move(text), CellTone::faint)});
    };
    add(fmt::format("{} {}: {}", name_of(info.kind), info.id, details(info)));
    add("from " + info.source);
    add(fmt::format("in the total: {}", name_of(info.counted)));
    add("accuracy: " + text_of(accuracy_of(info, &cpu)));
    add(info.note);
  }
  return table;
}

Json accuracy_json(const Accuracy& accuracy) {
  Json json{{"kind", accuracy.kind}, {"shared", name_of(accuracy.shared)}};
  if (accuracy.gain) json["gain"] = *accuracy.gain;
  if (accuracy.offset) json["offset_watts"] = accuracy.offset->value;
  if (accuracy.resolution) json["resolution"] = *accuracy.resolution;
  if (!accuracy.source.empty()) json["source"] = accuracy.source;
  if (!accuracy.note.empty()) json["note"] = accuracy.note;
  return json;
}

}  // namespace

Json meter_json(const MeterInfo& info, const CpuFacts* cpu) {
  Json json{{"id", info.id},
            {"name", info.name},
            {info.counted == Counted::channel ? "channel" : "domain", info.domain},
            {"kind", name_of(info.kind)},
            {"quality", name_of(info.quality)},
            {"source", info.source}};
  if (!name_of(info.unit).empty()) json["unit"] = name_of(info.unit);
  if (info.counted != Counted::channel) json["metered"] = name_of(info.counted);
  if (info.quantum > 0) json["quantum"] = info.quantum;
  if (info.range) json["range"] = static_cast<double>(*info.range) * info.step;
  if (info.update.count() > 0) json["update_seconds"] = info.update.count();
  if (info.window.count() > 0) json["window_seconds"] = info.window.count();
  if (info.lag.count() > 0) json["lag_seconds"] = info.lag.count();
  if (info.quality == Quality::model) json["model_range"] = {info.model_low, info.model_high};
  if (!info.note.empty()) json["note"] = info.note;
  if (!is_channel(info)) json["accuracy"] = accuracy_json(accuracy_of(info, cpu));
  return json;
}

Json left_out_json(const std::vector<LeftOut>& left_out) {
  Json list = Json::array();
  for (const auto& one : left_out) {
    Json json{{"source", one.source}, {"reason", one.reason}};
    if (!one.advice.empty()) json["advice"] = one.advice;
    list.push_back(std::move(json));
  }
  return list;
}

Json machine_json(const Machine& machine) {
  Json json = Json::object();
  for (const auto& fact : facts(machine)) json[fact.group][fact.key] = fact.value;
  return json;
}

std::string meters_json(const FoundMeters& found, const CpuFacts& cpu) {
  Json json;
  json["schema"] = "prengdl.meters/2";
  json["meters"] = Json::array();
  json["channels"] = Json::array();
  std::vector<const MeterInfo*> infos;
  infos.reserve(found.meters.size());
  for (const auto& meter : found.meters) {
    json[is_channel(meter->info()) ? "channels" : "meters"].push_back(
        meter_json(meter->info(), &cpu));
    infos.push_back(&meter->info());
  }
  json["metered"] = metered_domains(infos);
  json["left_out"] = left_out_json(found.left_out);
  return dump(json) + "\n";
}

std::string meters_text(const FoundMeters& found, const CpuFacts& cpu, const Style& style) {
  Part meters{"meters", "meters"};
  meters.add(meters_table(found, cpu));
  std::vector<std::string> channels;
  for (const auto& meter : found.meters)
    if (const auto& name = meter->info().domain;
        is_channel(meter->info()) &&
        std::find(channels.begin(), channels.end(), name) == channels.end())
      channels.push_back(name);
  if (!channels.empty()) meters.say("channels: " + joined(channels, " "));
  meters.say(coverage_line(found.meters));
  Part left_out{"left_out", "left out"};
  for (const auto& group : by_advice(found.left_out)) {
    for (const auto* one : group) left_out.say(one->source + ": " + one->reason);
    if (!group.front()->advice.empty()) left_out.note("  " + group.front()->advice);
  }
  return part_text(meters, style) + (left_out.blocks.empty() ? "" : part_text(left_out, style));
}

std::string watts_table(const Meters& meters, const Baseline& power, const Style& style) {
  constexpr std::size_t longest_name = 28, longest_bar = 30, watts_width = 10;
  const std::string modelled = " [modelled]";
  double most = 1;
  std::size_t domain_width = 0;
  std::size_t name_width = 0;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const MeterInfo& info = meters[i]->info();
    if (is_channel(info) || !is_energy(info)) continue;
    domain_width = std::max(domain_width, shown_width(info.domain));
    name_width = std::max(name_width, std::min(longest_name, shown_width(printable(info.name))));
    if (power.meters[i]) most = std::max(most, power.meters[i]->mean.value);
  }
  // The figure comes first; names and bars share what is left, the last column stays free.
  const std::size_t width = std::max<std::size_t>(std::min<std::size_t>(style.width, 120), 20) - 1;
  domain_width = std::min(domain_width, width / 4);
  const std::size_t fixed = domain_width + watts_width + 6 + modelled.size();
  const std::size_t room = width - std::min(width, fixed);
  name_width = std::min(name_width, room);
  const std::size_t bar_width = std::min(longest_bar, room - name_width);
  std::string out;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const MeterInfo& info = meters[i]->info();
    if (is_channel(info) || !is_energy(info)) continue;
    const auto cell = [](const std::string& text, std::size_t columns) {
      const auto cut = shortened(text, columns);
      return cut + std::string(columns - std::min(columns, shown_width(cut)), ' ');
    };
    std::string line = cell(info.domain, domain_width);
    if (name_width > 0) line += "  " + cell(printable(info.name), name_width);
    if (!power.meters[i]) {
      out += line + "  no reading\n";
      continue;
    }
    const double watts = power.meters[i]->mean.value;
    line += fmt::format("  {:>{}}  ", with_prefix(watts, "W"), watts_width);
    const auto bar = static_cast<std::size_t>(std::clamp(watts / most, 0.0, 1.0) *
                                              static_cast<double>(bar_width));
    for (std::size_t k = 0; k < bar; ++k) line += "█";
    out += line + (info.quality == Quality::model ? style.warn(modelled) : "") + "\n";
  }
  return out;
}

std::string watts_line(const Meters& meters, const Baseline& power) {
  std::string out;
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const MeterInfo& info = meters[i]->info();
    if (is_channel(info) || !is_energy(info)) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", info.id,
                       power.meters[i] ? with_prefix(power.meters[i]->mean.value, "W")
                                       : std::string("no reading"));
    if (info.quality == Quality::model) out += " [modelled]";
  }
  return out + "\n";
}

std::string left_out_text(const std::vector<LeftOut>& left_out, const Style& style) {
  Part part{"left_out", "meters that were left out"};
  for (const auto& group : by_advice(left_out)) {
    const LeftOut& first = *group.front();
    if (first.advice.empty()) continue;
    part.caution(first.source + ": " + first.reason);
    std::vector<std::string> others;
    for (std::size_t i = 1; i < group.size(); ++i) others.push_back(group[i]->source);
    if (!others.empty()) part.caution("also left out: " + joined(others, ", "));
    part.note(first.advice);
  }
  return part.blocks.empty() ? "" : "\n" + part_text(part, style);
}

Json flags_json(const Flags& flags) {
  Json list = Json::array();
  for (const Flag flag : flags) list.push_back(name_of(flag));
  return list;
}

}  // namespace prengdl
