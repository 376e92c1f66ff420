// SPDX-License-Identifier: Apache-2.0
//
// The report as one page that asks for nothing: style, script and data are in it, and its policy
// forbids any request. Texts and tables are there without the script, which draws the charts, sorts
// tables and changes the theme.
#include <fmt/core.h>

#include "base/strings.h"
#include "report/embedded.h"
#include "report/formats.h"
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

void put_cell(const TableCell& cell, const TableColumn& column, std::string& out) {
  const bool is_number = column.is_number;
  out += is_number ? "<td class=n" : cell.text.size() > longest_unbroken ? "<td class=w" : "<td";
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
  out += "</td>";
}

void put_html_table(const Table& table, std::string& out) {
  const bool is_long = table.rows.size() > most_rows_at_once;
  out += fmt::format(
      "<div class=\"scroll{}\" tabindex=0 role=region aria-label=\"{}\"><table id=\"t-{}\" "
      "class=\"{}\">",
      is_long ? " long" : "", html_text(table.title), anchor(table.id),
      table.id == "study-file" ? "code" : "sortable");
  out += "<caption>" + html_text(table.title) + "</caption><thead><tr>";
  for (const auto& column : table.columns) {
    out += column.is_number ? "<th scope=col class=n>" : "<th scope=col>";
    out += html_text(column.title);
    if (!column.unit.empty()) out += " <span class=unit>[" + html_text(column.unit) + "]</span>";
    out += "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) put_cell(row[i], table.columns[i], out);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (!table.note.empty()) out += "<p class=note>" + html_prose(table.note) + "</p>\n";
}

void put_html_chart(const Chart& chart, std::string& out) {
  const std::string id = anchor(chart.id);
  out += fmt::format(
      "<figure class=chart id=\"c-{}\" data-chart=\"{}\"><figcaption id=\"l-{}\">{}</figcaption>\n",
      id, html_text(chart.id), id, html_text(chart.title));
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
          "<noscript><p>This table is long; it needs JavaScript, or is in the report as CSV or "
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

void put_part(const Part& part, std::size_t number, std::string& out) {
  out += fmt::format(
      "<section id=\"{}\" aria-labelledby=\"h-{}\"><h2 id=\"h-{}\"><span class=number>{}</span> "
      "{}</h2>\n",
      part.id, part.id, part.id, number, html_text(part.title));
  for (const auto& block : part.blocks) {
    if (const auto* text = std::get_if<Paragraph>(&block)) put_text(*text, out);
    if (const auto* table = std::get_if<Table>(&block)) put_html_table(*table, out);
    if (const auto* chart = std::get_if<Chart>(&block)) put_html_chart(*chart, out);
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
      "<meta name=generator content=\"prengdl {}\">\n<title>{}: energy and time</title>\n<style>\n",
      policy, html_text(report.version), html_text(report.study));
  out += embedded::report_style();
  out += "\n</style>\n</head>\n<body>\n<a class=skip href=\"#answer\">Skip to the answer</a>\n";
  out += fmt::format(
      "<header><h1><bdi>{}</bdi></h1><p class=note>Report by prengdl {}{}</p></header>\n<nav "
      "aria-label=Parts><ol>\n",
      html_text(report.study), html_text(report.version),
      report.made_at.empty() ? "" : ", " + html_text(report.made_at));
  for (const auto& part : report.parts)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", part.id, html_text(part.title));
  out += "</ol></nav>\n<main>\n";
  out += has_script ? "<noscript><p class=caution>The charts need JavaScript. All of their figures "
                      "are in the tables below them.</p></noscript>\n"
                    : "<p class=caution>This prengdl was built without charts. All of their "
                      "figures are in the tables.</p>\n";
  for (std::size_t i = 0; i < report.parts.size(); ++i) put_part(report.parts[i], i + 1, out);
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
