// SPDX-License-Identifier: Apache-2.0
#include "report/meters_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "report/json.h"
#include "report/measure_report.h"
#include "report/terminal.h"

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

}  // namespace

std::string meters_json(const FoundMeters& found) {
  Json json;
  json["schema"] = "prengdl.meters/1";
  json["meters"] = Json::array();
  json["channels"] = Json::array();
  std::vector<const MeterInfo*> infos;
  infos.reserve(found.meters.size());
  for (const auto& meter : found.meters) {
    json[is_channel(meter->info()) ? "channels" : "meters"].push_back(meter_json(meter->info()));
    infos.push_back(&meter->info());
  }
  json["metered"] = metered_domains(infos);
  json["left_out"] = left_out_json(found.left_out);
  return dump(json) + "\n";
}

std::string meters_text(const FoundMeters& found, bool colour) {
  const Style style{colour};
  std::string out;
  for (const auto& meter : found.meters) {
    const MeterInfo& info = meter->info();
    if (is_channel(info)) continue;
    const std::string quality(name_of(info.quality));
    out += fmt::format(
        "{}  {}  {}\n", style.bold(fmt::format("{:<10}", info.domain)), printable(info.name),
        info.quality == Quality::model ? style.warn("[" + quality + "]") : "[" + quality + "]");
    out += style.dim(
        fmt::format("            {} {}: {}\n", name_of(info.kind), info.id, details(info)));
    out += style.dim(fmt::format("            from {}\n", printable(info.source)));
    out += style.dim(fmt::format("            in the total: {}\n", name_of(info.counted)));
    if (!info.note.empty()) out += style.dim("            " + info.note + "\n");
  }
  std::string channels;
  for (const auto& meter : found.meters)
    if (is_channel(meter->info()) && channels.find(" " + meter->info().domain) == std::string::npos)
      channels += " " + meter->info().domain;
  if (!channels.empty()) out += "channels:" + channels + "\n";
  out += coverage_line(found.meters) + "\n";
  if (!found.left_out.empty()) out += "\nleft out:\n";
  for (const auto& one : found.left_out) {
    out += fmt::format("  {}: {}\n", printable(one.source), printable(one.reason));
    if (!one.advice.empty()) out += style.dim("    " + one.advice) + "\n";
  }
  return out;
}

std::string watts_table(const Meters& meters, const Baseline& power, bool colour) {
  const Style style{colour};
  std::string out;
  double most = 1;
  for (const auto& one : power.meters)
    if (one) most = std::max(most, one->mean.value);
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const MeterInfo& info = meters[i]->info();
    if (is_channel(info) || !is_energy(info)) continue;
    if (!power.meters[i]) {
      out += fmt::format("{:<10} {:<28} no reading\n", info.domain,
                         shortened(printable(info.name), 28));
      continue;
    }
    const double watts = power.meters[i]->mean.value;
    const auto bar = static_cast<std::size_t>(std::clamp(watts / most, 0.0, 1.0) * 30);
    std::string blocks;
    for (std::size_t k = 0; k < bar; ++k) blocks += "█";
    out += fmt::format("{:<10} {:<28} {:>12}  {}{}\n", info.domain,
                       shortened(printable(info.name), 28), with_prefix(watts, "W"), blocks,
                       info.quality == Quality::model ? style.warn(" [modelled]") : "");
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

}  // namespace prengdl
