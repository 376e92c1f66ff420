// SPDX-License-Identifier: Apache-2.0
#include "report/report_model.h"

#include "base/error.h"
#include "report/report_cells.h"

namespace prengdl {
namespace {

/// Titles that begin with a measure ("time by factor") begin like all others.
void capitalise(std::string& title) {
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
}

void complete(ReportTable& table) {
  scale_columns(table);
  capitalise(table.title);
}

}  // namespace

std::string_view name_of(ChartKind kind) {
  switch (kind) {
    case ChartKind::dots:
      return "dots";
    case ChartKind::forest:
      return "forest";
    case ChartKind::bubble:
      return "bubble";
    case ChartKind::lines:
      return "lines";
    case ChartKind::sweep:
      return "sweep";
    case ChartKind::heat:
      return "heat";
    case ChartKind::bars:
      return "bars";
    case ChartKind::scatter:
      return "scatter";
    case ChartKind::power:
      return "power";
    case ChartKind::flame:
      return "flame";
    case ChartKind::call_graph:
      return "call_graph";
    case ChartKind::order:
      return "order";
  }
  return "";
}

std::size_t ReportTable::column(const std::string& key) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].key == key) return i;
  throw Error("the table " + id + " has no column " + key);
}

const std::string* ReportChart::role(const std::string& name) const {
  for (const auto& [one, key] : roles)
    if (one == name) return &key;
  return nullptr;
}

std::optional<double> ReportChart::setting(const std::string& name) const {
  for (const auto& [one, value] : settings)
    if (one == name) return value;
  return std::nullopt;
}

std::string ReportChart::title_of(const std::string& name) const {
  for (const auto& [axis, words] : titles)
    if (axis == name) return words;
  const auto* key = role(name);
  if (!key) return "";
  const auto& column = tables.front().columns[tables.front().column(*key)];
  return column.unit.empty() ? column.title : column.title + " [" + column.unit + "]";
}

void ReportPart::add(ReportTable table) {
  if (table.rows.empty()) return;
  complete(table);
  blocks.emplace_back(std::move(table));
}

void ReportPart::add(ReportChart chart) {
  if (chart.tables.empty() || chart.tables.front().rows.empty()) return;
  for (auto& table : chart.tables) complete(table);
  capitalise(chart.title);
  blocks.emplace_back(std::move(chart));
}

}  // namespace prengdl
