// SPDX-License-Identifier: Apache-2.0
//
// The report for pdflatex: tables with booktabs, charts with pgfplots, nothing that Debian's
// texlive-latex-recommended and texlive-pictures do not have.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "print/words.h"
#include "report/formats.h"
#include "report/latex_plot.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

/// Rows behind a chart beyond these are left to the other formats.
constexpr std::size_t most_rows_behind_charts = 30;

/// Columns of long texts share the rest of the line; numbers and names are as wide as they are.
std::string column_types(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = shown_width(table.columns[i].title) / 2;
    for (const auto& row : table.rows) widest = std::max(widest, shown_width(row[i].text));
    widths.push_back(widest);
  }
  constexpr std::size_t long_text = 26;
  std::size_t taken = 0, wanted = 0;
  for (std::size_t i = 0; i < widths.size(); ++i)
    (widths[i] > long_text ? wanted : taken) += std::min<std::size_t>(widths[i], 90) + 2;
  // About 130 characters of \footnotesize fit on the line of a landscape page, 95 of a portrait
  // one.
  const double room = std::max(0.25, 1 - static_cast<double>(taken) / 120.0);
  std::string types;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] <= long_text)
      types += table.columns[i].is_number ? "r" : "l";
    else
      types +=
          fmt::format("p{{{:.3f}\\linewidth}}",
                      0.95 * room * static_cast<double>(std::min<std::size_t>(widths[i], 90) + 2) /
                          static_cast<double>(std::max<std::size_t>(wanted, 1)));
  }
  return types;
}

std::string latex_table(const Table& table) {
  const std::string head = joined(
      table.columns, " & ", [](const TableColumn& column) { return latex_text(column.heading()); });
  std::string out = fmt::format(
      "{{\\scriptsize\n\\begin{{longtable}}{{{}}}\n\\caption{{{}}}\\\\\n\\toprule\n{} "
      "\\\\\n\\midrule\n\\endfirsthead\n"
      "\\toprule\n{} \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n",
      column_types(table), latex_text(badged(table.title, table.badge)), head, head);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text =
          table.columns[i].is_prose ? latex_prose(row[i].text) : latex_text(row[i].text);
      out += (i == 0 ? "" : " & ") +
             (row[i].is_marked && !text.empty() ? "\\textbf{" + text + "}" : text);
    }
    out += " \\\\\n";
  }
  out += "\\end{longtable}}\n";
  if (!table.note.empty())
    out += "\\noindent{\\footnotesize " + latex_prose(sentence(table.note)) + "}\\par\\medskip\n";
  return out;
}

std::string chart_text(const Chart& chart) {
  const std::string picture = latex_picture(chart);
  std::string out;
  if (picture.empty())
    out += fmt::format(
        "\\noindent{{\\footnotesize The chart ``{}'' is in the HTML report: it is made for a "
        "screen.}}\\par\\medskip\n",
        latex_text(chart.title));
  else
    out +=
        fmt::format("\\begin{{center}}\n{}\\captionof{{figure}}{{{}. {}}}\n\\end{{center}}\n",
                    picture, latex_text(badged(chart.title, chart.badge)), latex_prose(chart.says));
  for (const auto& table : chart.tables) {
    if (table.rows.size() <= most_rows_behind_charts) out += latex_table(table);
  }
  return out;
}

std::string paragraph(const Paragraph& text) {
  const std::string words = latex_prose(text.text);
  switch (text.tone) {
    case Paragraph::Tone::answer:
      return "\\textbf{" + words + "}\n\n";
    case Paragraph::Tone::caution:
      return "\\begin{quote}\\emph{" + words + "}\\end{quote}\n";
    case Paragraph::Tone::note:
      return "{\\footnotesize " + words + "\\par}\n\n";
    case Paragraph::Tone::plain:
      break;
  }
  return words + "\n\n";
}

}  // namespace

std::string report_latex(const Report& report) {
  std::string out =
      "% Made by prengdl report; compile with "
      "pdflatex.\n\\documentclass[a4paper,10pt]{article}\n" +
      pgf::preamble() +
      "\\usepackage[margin=18mm]{geometry}\n\\usepackage{booktabs}\n\\usepackage{longtable}\n"
      "\\usepackage{array}\n\\usepackage{caption}\n"
      "\\setlength{\\tabcolsep}{3.5pt}\n\\setlength{\\LTcapwidth}{\\linewidth}\n"
      "\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{4pt}\n\\sloppy\n";
  out += fmt::format(
      "\\title{{{}}}\n\\author{{Report by prengdl "
      "{}}}\n\\date{{{}}}\n\\begin{{document}}\n\\maketitle\n",
      latex_text(report.summary.question.empty()
                     ? report.study
                     : badged(report.summary.question, report.summary.badge)),
      latex_text(report.version), latex_text(report.made_at));
  for (const auto& card : report.summary.cards)
    out += "\\textbf{" + latex_text(card.title) + "} " + latex_prose(card.text) + "\n\n";
  for (const auto& fact : report.summary.facts)
    out += latex_text(fact.label + ": " + fact.text) + "\n\n";
  for (const auto& caution : report.summary.cautions)
    out +=
        latex_prose((caution.is_severe ? "Severe caution: " : "Caution: ") + caution.text) + "\n\n";
  for (const auto& part : report.parts) {
    out += "\\section{" + latex_text(part.title) + "}\n";
    for (const auto& block : part.blocks) {
      if (const auto* text = std::get_if<Paragraph>(&block)) out += paragraph(*text);
      if (const auto* table = std::get_if<Table>(&block)) out += latex_table(*table);
      if (const auto* chart = std::get_if<Chart>(&block)) out += chart_text(*chart);
    }
  }
  return out + "\\end{document}\n";
}

}  // namespace prengdl
