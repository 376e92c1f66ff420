// SPDX-License-Identifier: Apache-2.0
//
// Long names are cut in the formats that people read; a table has them in full.
#include <algorithm>

#include "report/formats.h"
#include "tables/cells.h"

namespace prengdl {

void each_text(Report& report, const std::function<void(std::string&)>& change) {
  const auto in_table = [&](Table& table) {
    change(table.title);
    change(table.note);
    for (auto& column : table.columns) change(column.title);
    for (auto& row : table.rows)
      for (auto& cell : row)
        if (!cell.number) change(cell.text);
  };
  const auto in_chart = [&](Chart& chart) {
    change(chart.title);
    change(chart.says);
    for (auto& [role, title] : chart.titles) change(title);
    for (auto& name : chart.coloured) change(name);
    for (auto& table : chart.tables) in_table(table);
    for (auto& series : chart.series)
      for (auto* name : {&series.run, &series.case_name, &series.level}) change(*name);
  };
  change(report.study);
  for (auto& level : report.levels) change(level);
  change(report.summary.question);
  change(report.summary.design);
  for (auto& card : report.summary.cards)
    for (auto* text : {&card.level, &card.title, &card.text}) change(*text);
  for (auto& fact : report.summary.facts) change(fact.text);
  for (auto& caution : report.summary.cautions) change(caution.text);
  for (auto& part : report.parts)
    for (auto& block : part.blocks) {
      if (auto* text = std::get_if<Paragraph>(&block)) change(text->text);
      if (auto* table = std::get_if<Table>(&block)) in_table(*table);
      if (auto* chart = std::get_if<Chart>(&block)) in_chart(*chart);
    }
}

void shorten_names(Report& report, const ShownNames& names) {
  if (names.empty()) return;
  each_text(report, [&](std::string& text) { text = names.within(std::move(text)); });
  Table table;
  table.id = "long-names";
  table.title = "Long names in full";
  table.columns = {text_column("here", "as shown here"), text_column("full", "in full")};
  for (const auto& [full, shown] : names.all())
    table.rows.push_back({text_cell(shown), text_cell(full)});
  const auto design = std::find_if(report.parts.begin(), report.parts.end(),
                                   [](const Part& part) { return part.id == "method"; });
  if (design != report.parts.end()) design->add(std::move(table));
}

}  // namespace prengdl
