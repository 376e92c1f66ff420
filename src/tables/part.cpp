// SPDX-License-Identifier: Apache-2.0
//
// Parts, and how a terminal and Markdown show them. On a terminal, long lines are broken when they
// are shown (tables/terminal.h).
#include "tables/part.h"

#include <fmt/core.h>

#include "base/escaping.h"
#include "base/strings.h"
#include "tables/cells.h"
#include "tables/escape.h"
#include "tables/interval_chart.h"

namespace prengdl {
namespace {

/// Titles that begin with a measure ("time by factor") begin like all others.
void capitalise(std::string& title) {
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
}

void complete(Table& table) {
  scale_columns(table);
  capitalise(table.title);
}

/// A few dozen lines can be taken in at a glance; more are for the report.
constexpr std::size_t most_lines = 40;

std::string toned(const Paragraph& paragraph, const Style& style) {
  std::string text = printable(paragraph.text);
  switch (paragraph.tone) {
    case Paragraph::Tone::answer:
      return style.bold(text);
    case Paragraph::Tone::caution:
      return style.warn(text);
    case Paragraph::Tone::note:
      return style.dim(text);
    case Paragraph::Tone::plain:
      break;
  }
  return text;
}

std::string titled_table(const Table& table, const Style& style) {
  std::string out = table.title.empty() ? "" : "  " + printable(table.title) + "\n";
  out += table_text(table, style);
  if (!table.note.empty()) out += "  " + style.dim(printable(table.note)) + "\n";
  return out;
}

std::string chart_lines(const Chart& chart, const Style& style) {
  if (chart.kind != ChartKind::forest) return "";
  const Table& table = chart.tables.front();
  const auto number = [&](const auto& row, const char* role) {
    return row[table.column(*chart.role(role))].number;
  };
  IntervalChart drawing;
  drawing.margin = chart.setting("margin").value_or(0);
  for (const auto& [role, words] : chart.titles) {
    if (role == "left") drawing.sides[0] = printable(words);
    if (role == "right") drawing.sides[1] = printable(words);
  }
  const std::string* const colour = chart.role("colour");
  const std::string* const kind = chart.role("kind");
  for (const auto& row : table.rows) {
    const auto ratio = number(row, "x"), low = number(row, "low"), high = number(row, "high");
    if (!ratio) continue;
    IntervalRow line{printable(row[table.column(*chart.role("y"))].text), *ratio, {}};
    if (low && high) line.interval = {*low, *high};
    line.is_shown = colour && row[table.column(*colour)].tone == CellTone::strong;
    line.is_group = kind && row[table.column(*kind)].text == "group";
    drawing.rows.push_back(std::move(line));
  }
  if (drawing.rows.size() > most_lines)
    return "  " +
           style.dim(fmt::format("{} ratios are too many to draw here: prengdl report",
                                 drawing.rows.size())) +
           "\n";
  return interval_chart(drawing, style);
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

const std::string* Chart::role(const std::string& name) const {
  for (const auto& [one, key] : roles)
    if (one == name) return &key;
  return nullptr;
}

std::optional<double> Chart::setting(const std::string& name) const {
  for (const auto& [one, value] : settings)
    if (one == name) return value;
  return std::nullopt;
}

std::string Chart::title_of(const std::string& name) const {
  for (const auto& [axis, words] : titles)
    if (axis == name) return words;
  const auto* key = role(name);
  if (!key) return "";
  return tables.front().columns[tables.front().column(*key)].heading();
}

void Part::add(Table table) {
  if (table.rows.empty()) return;
  complete(table);
  blocks.emplace_back(std::move(table));
}

void Part::add(Chart chart) {
  if (chart.tables.empty() || chart.tables.front().rows.empty()) return;
  for (auto& table : chart.tables) {
    if (table.badge.empty()) table.badge = chart.badge;
    complete(table);
  }
  capitalise(chart.title);
  blocks.emplace_back(std::move(chart));
}

std::string part_text(const Part& part, const Style& style) {
  std::string out = style.bold(printable(part.title));
  if (!part.remark.empty()) out += style.dim("   " + printable(part.remark));
  out += "\n";
  for (const auto& block : part.blocks) {
    if (const auto* text = std::get_if<Paragraph>(&block))
      out += text->text.empty() ? "\n" : "  " + toned(*text, style) + "\n";
    if (const auto* table = std::get_if<Table>(&block)) out += titled_table(*table, style);
    if (const auto* chart = std::get_if<Chart>(&block)) out += chart_lines(*chart, style);
  }
  return out + "\n";
}

std::string paragraph_markdown(const Paragraph& text) {
  const std::string words = markdown_paragraph(text.text);
  switch (text.tone) {
    case Paragraph::Tone::answer:
      return "**" + words + "**\n\n";
    case Paragraph::Tone::caution:
      return "> " + words + "\n\n";
    default:
      return words + "\n\n";
  }
}

std::string noted_markdown(const Table& table) {
  return table_markdown(table) +
         (table.note.empty() ? "\n" : "\n" + markdown_prose(table.note) + "\n\n");
}

std::string part_markdown(const Part& part) {
  std::string out = "**" + markdown_text(part.title) + "**";
  out += (part.remark.empty() ? "" : ", " + markdown_text(part.remark)) + "\n\n";
  for (const auto& block : part.blocks) {
    if (const auto* text = std::get_if<Paragraph>(&block)) out += paragraph_markdown(*text);
    if (const auto* table = std::get_if<Table>(&block)) out += noted_markdown(*table);
  }
  return out;
}

}  // namespace prengdl
