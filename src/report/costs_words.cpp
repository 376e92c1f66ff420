// SPDX-License-Identifier: Apache-2.0
#include "report/costs_words.h"

#include <fmt/core.h>

#include "base/text.h"
#include "model/measure.h"
#include "report/figures.h"

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

std::string unit_of_measure(const std::string& measure) { return std::string(unit_of(measure)); }

std::string one_of(const std::optional<std::string>& work) {
  if (!work) return "run";
  return printable(singular(*work));
}

std::string quality_remark(const std::optional<Quality>& quality) {
  if (quality == Quality::model) return " [modelled, not measured]";
  if (quality == Quality::virtual_machine) return " [reported by the hypervisor]";
  return "";
}

}  // namespace prengdl
