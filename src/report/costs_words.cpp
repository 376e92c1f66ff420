// SPDX-License-Identifier: Apache-2.0
#include "report/costs_words.h"

#include <fmt/core.h>

#include "base/text.h"
#include "model/window.h"

namespace prengdl {

std::string unit_name(const CellPattern& cell) {
  std::string name;
  for (const auto& [factor, level] : cell)
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", printable(factor), printable(level));
  return name.empty() ? "all runs" : name;
}

Json unit_json(const CellPattern& cell) {
  Json json = Json::object();
  for (const auto& [factor, level] : cell) json[factor] = level;
  return json;
}

std::string unit_of_measure(const std::string& measure) {
  return is_in_seconds(measure) ? "s" : "J";
}

std::string one_of(const std::optional<std::string>& work) {
  if (!work) return "run";
  const bool is_plural = work->size() > 1 && work->ends_with('s') && !work->ends_with("ss");
  return printable(is_plural ? work->substr(0, work->size() - 1) : *work);
}

std::string quality_remark(const std::optional<Quality>& quality) {
  if (quality == Quality::model) return " [modelled, not measured]";
  if (quality == Quality::virtual_machine) return " [told by the hypervisor]";
  return "";
}

}  // namespace prengdl
