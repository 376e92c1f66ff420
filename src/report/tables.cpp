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

std::string summary_markdown(const Report& report) {
  const ReportSummary& summary = report.summary;
  std::string out =
      fmt::format("# {}\n\n{} · prengdl {}{}\n\n",
                  markdown_text(badged(summary.question.empty() ? report.study : summary.question,
                                       summary.badge)),
                  markdown_text(report.study), markdown_text(report.version),
                  report.made_at.empty() ? "" : " · " + markdown_text(report.made_at));
  if (!summary.design.empty()) out += markdown_text(summary.design) + "\n\n";
  for (const auto& card : summary.cards)
    out += fmt::format("* **{}** {}\n", markdown_text(card.title), markdown_prose(card.text));
  for (const auto& fact : summary.facts)
    out += fmt::format("* {}: {}\n", markdown_text(fact.label), markdown_text(fact.text));
  if (summary.question.empty()) return out;
  out += "* " + count_of(summary.cautions) + (summary.cautions.empty() ? "\n" : ":\n");
  for (const auto& caution : summary.cautions)
    out += fmt::format("  * {}{}\n", caution.is_severe ? "**Severe:** " : "",
                       markdown_prose(caution.text));
  return out + "\n";
}

}  // namespace

std::string report_markdown(const Report& report) {
  std::string out = summary_markdown(report);
  for (const auto& part : report.parts) {
    out += "## " + markdown_text(part.title) +
           (part.tag.empty() ? "" : " (" + markdown_text(part.tag) + ")") + "\n\n";
    for (const auto& block : part.blocks) {
      if (const auto* text = std::get_if<Paragraph>(&block)) out += paragraph_markdown(*text);
      for (const auto* table : tables_of(block)) {
        out += "### " + markdown_text(badged(table->title, table->badge)) + "\n\n";
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
  const ReportSummary& summary = report.summary;
  const auto say = [&](const char* table, std::size_t row, const std::string& text) {
    out += fmt::format("summary,{},{},text,{},,,\n", table, row, cell(text));
  };
  if (!summary.question.empty()) say("question", 1, summary.question);
  for (std::size_t i = 0; i < summary.cards.size(); ++i)
    say("cards", i + 1, summary.cards[i].title + ": " + summary.cards[i].text);
  for (std::size_t i = 0; i < summary.facts.size(); ++i)
    say("facts", i + 1, summary.facts[i].label + ": " + summary.facts[i].text);
  for (std::size_t i = 0; i < summary.cautions.size(); ++i)
    say("cautions", i + 1, summary.cautions[i].text);
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
