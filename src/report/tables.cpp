// SPDX-License-Identifier: Apache-2.0
//
// The two formats that are tables and text alone: Markdown and CSV.
#include <fmt/core.h>

#include "report/formats.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

/// Rows behind a chart beyond these are left to the other formats: nobody reads them here.
constexpr std::size_t most_rows_behind_charts = 24;

}  // namespace

std::string report_markdown(const Report& report) {
  std::string out = fmt::format("# {}\n\nReport by prengdl {}{}\n\n", markdown_text(report.study),
                                markdown_text(report.version),
                                report.made_at.empty() ? "" : ", " + markdown_text(report.made_at));
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    out += fmt::format("## {}. {}\n\n", i + 1, markdown_text(report.parts[i].title));
    for (const auto& block : report.parts[i].blocks) {
      if (const auto* text = std::get_if<Paragraph>(&block)) out += paragraph_markdown(*text);
      for (const auto* table : tables_of(block)) {
        out += "### " + markdown_text(table->title) + "\n\n";
        if (std::holds_alternative<Chart>(block) && table->rows.size() > most_rows_behind_charts)
          out += fmt::format("{} rows, in the other formats of this report (table `{}`).\n\n",
                             table->rows.size(), markdown_text(table->id));
        else
          out += noted_markdown(*table);
      }
    }
  }
  return out;
}

std::string report_csv(const Report& report) {
  std::string out = "part,table,row,column,text,unit_of_text,value,marked\n";
  const auto cell = [](const std::string& text) { return csv_cell(visible(text)); };
  for (const auto& part : report.parts) {
    std::size_t sentence = 0;
    for (const auto& block : part.blocks) {
      if (const auto* text = std::get_if<Paragraph>(&block))
        out += fmt::format("{},texts,{},text,{},,,\n", part.id, ++sentence, cell(text->text));
      for (const auto* table : tables_of(block)) {
        const std::string head = part.id + "," + cell(table->id) + ",";
        for (std::size_t row = 0; row < table->rows.size(); ++row)
          for (std::size_t i = 0; i < table->columns.size(); ++i) {
            const auto& one = table->rows[row][i];
            out += fmt::format("{}{},{},{},{},{},{}\n", head, row + 1, cell(table->columns[i].key),
                               cell(one.text), table->columns[i].unit,
                               one.number ? fmt::format("{}", *one.number) : "",
                               one.is_marked ? "yes" : "");
          }
      }
    }
  }
  return out;
}

}  // namespace prengdl
