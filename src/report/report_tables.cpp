// SPDX-License-Identifier: Apache-2.0
//
// The two formats that are tables and text alone: Markdown and CSV.
#include <fmt/core.h>

#include "report/report_escape.h"
#include "report/report_formats.h"
#include "report/table.h"

namespace prengdl {
namespace {

/// Rows behind a chart beyond these are left to the other formats: nobody reads them here.
constexpr std::size_t most_rows_behind_charts = 24;

std::string title_of(const ReportColumn& column) {
  return column.unit.empty() ? column.title : column.title + " [" + column.unit + "]";
}

std::string markdown_table(const ReportTable& table) {
  std::string out = "|";
  for (const auto& column : table.columns) out += " " + markdown_text(title_of(column)) + " |";
  out += "\n|";
  for (const auto& column : table.columns) out += column.is_number ? "---:|" : "---|";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text =
          table.columns[i].is_prose ? markdown_prose(row[i].text) : markdown_text(row[i].text);
      out += row[i].is_marked && !text.empty() ? " **" + text + "** |" : " " + text + " |";
    }
    out += "\n";
  }
  if (!table.note.empty()) out += "\n" + markdown_prose(table.note) + "\n";
  return out + "\n";
}

/// What would be a list, a heading or a quotation at the begin of a line is text.
std::string markdown_paragraph(const std::string& text) {
  std::string safe = markdown_prose(text);
  if (!safe.empty() && std::string_view("+-=").find(safe.front()) != std::string_view::npos)
    safe.insert(0, "\\");
  const auto digits = safe.find_first_not_of("0123456789");
  if (digits != 0 && digits != std::string::npos && (safe[digits] == '.' || safe[digits] == ')'))
    safe.insert(digits, "\\");
  return safe;
}

std::string markdown_text_block(const ReportText& text) {
  const std::string words = markdown_paragraph(text.text);
  switch (text.tone) {
    case ReportText::Tone::answer:
      return "**" + words + "**\n\n";
    case ReportText::Tone::caution:
      return "> " + words + "\n\n";
    default:
      return words + "\n\n";
  }
}

}  // namespace

std::string report_markdown(const Report& report) {
  std::string out = fmt::format("# {}\n\nReport by prengdl {}{}\n\n", markdown_text(report.study),
                                markdown_text(report.version),
                                report.made_at.empty() ? "" : ", " + markdown_text(report.made_at));
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    out += fmt::format("## {}. {}\n\n", i + 1, markdown_text(report.parts[i].title));
    for (const auto& block : report.parts[i].blocks) {
      if (const auto* text = std::get_if<ReportText>(&block)) {
        out += markdown_text_block(*text);
        continue;
      }
      for (const auto* table : tables_of(block)) {
        out += "### " + markdown_text(table->title) + "\n\n";
        if (std::holds_alternative<ReportChart>(block) &&
            table->rows.size() > most_rows_behind_charts)
          out += fmt::format("{} rows, in the other formats of this report (table `{}`).\n\n",
                             table->rows.size(), markdown_text(table->id));
        else
          out += markdown_table(*table);
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
      if (const auto* text = std::get_if<ReportText>(&block))
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
