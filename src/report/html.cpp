// SPDX-License-Identifier: Apache-2.0
//
// The report as one page that asks for nothing: style, script and data are in it, and its policy
// forbids any request. Texts and tables are there without the script, which draws the charts, sorts
// tables and changes the theme.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "report/embedded.h"
#include "report/formats.h"
#include "report/ratio_scale.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

/// Longer texts may break over lines, shorter ones stay in one piece.
constexpr std::size_t longest_unbroken = 32;

/// Longer tables scroll within the page.
constexpr std::size_t most_rows_at_once = 30;

/// As the value of an attribute that links lead to: letters, digits and dashes.
std::string anchor(const std::string& id) {
  std::string safe;
  for (const char c : id) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-';
    safe += is_plain ? std::string(1, c) : fmt::format("_{:02x}", static_cast<unsigned char>(c));
  }
  return safe;
}

/// Text of several lines, which stay lines.
std::string html_lines(std::string_view text) {
  std::string out;
  for (const auto line : split(text, '\n')) out += html_text(line) + "\n";
  return out;
}

/// Where the intervals of a column lie.
std::optional<RatioScale> scale_of(const Table& table, std::size_t column) {
  RatioScale scale;
  bool has_interval = false;
  for (const auto& row : table.rows)
    if (row[column].number) scale.take(*row[column].number);
  for (const auto& row : table.rows)
    if (row[column].interval) {
      scale.take_interval(*row[column].interval);
      has_interval = true;
    } else if (row[column].number) {
      scale.take_interval({*row[column].number, *row[column].number});
    }
  return has_interval ? std::optional(scale) : std::nullopt;
}

/// A ratio with its interval in the width of a word.
void put_bar(const TableCell& cell, const RatioScale& scale, std::string& out) {
  if (!cell.number || !(*cell.number > 0)) return;
  out += fmt::format(
      "<svg class=bar aria-hidden=true><line class=one x1=\"{0:.4g}%\" x2=\"{0:.4g}%\" "
      "y2=\"100%\"/>",
      scale.at(1));
  if (cell.interval)
    out += fmt::format("<line class=ci x1=\"{:.4g}%\" x2=\"{:.4g}%\" y1=\"50%\" y2=\"50%\"/>",
                       (*cell.interval)[0] > 0 ? scale.at((*cell.interval)[0]) : 0,
                       scale.at((*cell.interval)[1]));
  out += fmt::format("<circle cx=\"{:.4g}%\" cy=\"50%\" r=3 /></svg>", scale.at(*cell.number));
}

void put_cell(const TableCell& cell, const TableColumn& column,
              const std::optional<RatioScale>& scale, std::string& out) {
  const bool is_number = column.is_number;
  std::string kind = is_number ? "n" : cell.text.size() > longest_unbroken ? "w" : "";
  if (column.is_detail) kind += kind.empty() ? "more" : " more";
  out += kind.empty() ? "<td" : "<td class=\"" + kind + "\"";
  // What the column is sorted by; the text is rounded and may have a unit.
  if (cell.number) out += fmt::format(" data-v=\"{}\"", *cell.number);
  out += ">";
  const std::string text = column.is_prose ? html_prose(cell.text) : html_text(cell.text);
  if (cell.is_marked && !text.empty())
    out += "<strong>" + text + "</strong>";
  else if (is_number)
    out += text;
  else
    out += "<bdi>" + text + "</bdi>";
  if (scale) put_bar(cell, *scale, out);
  out += "</td>";
}

void put_html_table(const Table& table, std::string& out) {
  const bool is_long = table.rows.size() > most_rows_at_once;
  const auto more = std::count_if(table.columns.begin(), table.columns.end(),
                                  [](const auto& column) { return column.is_detail; });
  std::vector<std::optional<RatioScale>> scales;
  for (std::size_t i = 0; i < table.columns.size(); ++i) scales.push_back(scale_of(table, i));
  if (more > 0)
    out += fmt::format(
        "<div class=unfolds><input type=checkbox class=more-columns id=\"m-{0}\"><label "
        "for=\"m-{0}\">Show {1} more column{2}</label>",
        anchor(table.id), more, more == 1 ? "" : "s");
  out += fmt::format(
      "<div class=\"scroll{}\" tabindex=0 role=region aria-label=\"{}\"><table id=\"t-{}\" "
      "class=\"{}\">",
      is_long ? " long" : "", html_text(table.title), anchor(table.id),
      table.id == "study-file" ? "code" : "sortable");
  out += "<caption>" + html_text(table.title) + html_badge(table.badge) + "</caption><thead><tr>";
  for (const auto& column : table.columns) {
    out += fmt::format("<th scope=col class=\"{}{}\">", column.is_number ? "n" : "",
                       column.is_detail ? " more" : "");
    out += html_text(column.title);
    if (!column.unit.empty()) out += " <span class=unit>[" + html_text(column.unit) + "]</span>";
    out += "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) put_cell(row[i], table.columns[i], scales[i], out);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (more > 0) out += "</div>\n";
  const bool has_bars = std::any_of(scales.begin(), scales.end(),
                                    [](const auto& scale) { return scale.has_value(); });
  if (!table.note.empty() || has_bars)
    out += "<p class=note>" + html_prose(table.note) +
           (has_bars ? " Bars show 95 % intervals, and their line is at 1." : "") + "</p>\n";
}

void put_html_chart(const Chart& chart, std::string& out) {
  const std::string id = anchor(chart.id);
  out += fmt::format(
      "<figure class=chart id=\"c-{}\" data-chart=\"{}\"><figcaption><span "
      "id=\"l-{}\">{}</span>{}</figcaption>\n",
      id, html_text(chart.id), id, html_text(chart.title), html_badge(chart.badge));
  out += fmt::format(
      "<p class=note id=\"d-{}\">{}</p>\n<div class=plot role=img aria-labelledby=\"l-{}\" "
      "aria-describedby=\"d-{}\"></div>\n",
      id, html_prose(chart.says), id, id);
  for (std::size_t i = 0; i < chart.tables.size(); ++i) {
    const auto& table = chart.tables[i];
    const bool is_made_later = is_large(table) && !embedded::report_script().empty();
    out += fmt::format("<details{}><summary>Table: {} ({} rows)</summary>\n",
                       is_made_later ? fmt::format(" data-table={}", i) : "",
                       html_text(table.title), table.rows.size());
    if (is_made_later)
      out +=
          "<noscript><p>This long table needs JavaScript. It is also in the report as CSV or "
          "JSON.</p></noscript>";
    else
      put_html_table(table, out);
    out += "</details>\n";
  }
  out += "</figure>\n";
}

void put_text(const Paragraph& text, std::string& out) {
  const char* kind = "";
  if (text.tone == Paragraph::Tone::answer) kind = " class=answer";
  if (text.tone == Paragraph::Tone::caution) kind = " class=caution";
  if (text.tone == Paragraph::Tone::note) kind = " class=note";
  out += fmt::format("<p{}>{}</p>\n", kind, html_prose(text.text));
}

/// `has_cards`: those of the first screen give the answer, so the part does not repeat it.
void put_part(const Part& part, bool has_cards, std::string& out) {
  out += fmt::format("<section id=\"{0}\" aria-labelledby=\"h-{0}\"><h2 id=\"h-{0}\">{1}{2}</h2>\n",
                     part.id, html_text(part.title),
                     part.tag.empty() ? "" : " <span class=tag>" + html_text(part.tag) + "</span>");
  for (const auto& block : part.blocks) {
    if (const auto* text = std::get_if<Paragraph>(&block);
        text && !(has_cards && text->tone == Paragraph::Tone::answer))
      put_text(*text, out);
    if (const auto* table = std::get_if<Table>(&block)) {
      if (table->is_folded)
        out += fmt::format("<details class=folded><summary>Table: {} ({} rows)</summary>\n",
                           html_text(table->title), table->rows.size());
      put_html_table(*table, out);
      if (table->is_folded) out += "</details>\n";
    }
    if (const auto* chart = std::get_if<Chart>(&block); chart && !chart->is_overview)
      put_html_chart(*chart, out);
  }
  out += "</section>\n";
}

}  // namespace

std::string report_html(const Report& report) {
  const bool has_script = !embedded::report_script().empty();
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; base-uri "
      "'none'; form-action 'none'",
      has_script ? "'" + std::string(embedded::report_script_hash()) + "'" : "'none'");
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta "
      "http-equiv=Content-Security-Policy content=\"{}\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<meta name=referrer "
      "content=no-referrer>\n"
      "<meta name=generator content=\"prengdl {}\">\n<title>{}</title>\n<style>\n",
      policy, html_text(report.version),
      html_text(report.summary.question.empty() ? report.study : report.summary.question));
  out += embedded::report_style();
  out += "\n</style>\n</head>\n<body>\n<a class=skip href=\"#answer\">Skip to the answer</a>\n";
  put_first_screen(report, out);
  out += "<nav aria-label=Questions><ul>\n";
  for (const auto& part : report.parts)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", part.id, html_text(part.title));
  out += "</ul></nav>\n<main>\n";
  out += has_script ? "<noscript><p class=caution>The other charts need JavaScript. Their figures "
                      "are in the tables below them.</p></noscript>\n"
                    : "<p class=caution>This prengdl was built without charts. Their figures are "
                      "in the tables.</p>\n";
  for (const auto& part : report.parts) put_part(part, report.levels.size() == 2, out);
  out += "</main>\n";
  if (has_script)
    out += "<footer><details><summary>Licences of the code in this page</summary><pre>" +
           html_lines(embedded::report_licences()) + "</pre></details></footer>\n";
  if (has_script) {
    out += "<script type=\"application/json\" id=charts>" + script_json(charts_json(report)) +
           "</script>\n<script>";
    out += embedded::report_script();
    out += "</script>\n";
  }
  return out + "</body>\n</html>\n";
}

}  // namespace prengdl
