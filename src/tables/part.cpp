// SPDX-License-Identifier: Apache-2.0
//
// Parts, and how a terminal and Markdown show them. On a terminal, long lines are broken when they
// are shown (tables/terminal.h).
#include "tables/part.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/escaping.h"
#include "base/strings.h"
#include "tables/cells.h"
#include "tables/escape.h"

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
  std::vector<IntervalRow> lines;
  for (const auto& row : table.rows) {
    const auto low = number(row, "low"), high = number(row, "high");
    if (!low || !high) continue;
    lines.push_back({printable(row[table.column(*chart.role("y"))].text),
                     number(row, "x").value_or(1), std::array{*low, *high}});
  }
  if (lines.size() > most_lines) return "";
  return interval_chart(lines, chart.setting("margin").value_or(0), style);
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

constexpr int half = 24;                       // columns on either side of 1
constexpr double widest_scale = 100;           // a scale beyond this shows nothing
constexpr double narrowest = 1.1;              // nor does one below
constexpr std::size_t longest_row_label = 32;  // of a label

/// The scale's end that shows most of the intervals: the next of 1.1, 1.25, 1.5, 2, 3, 5, 10, ...
double scale_of(const std::vector<IntervalRow>& rows) {
  double needed = narrowest;
  for (const auto& row : rows) {
    const auto ends = row.interval.value_or(std::array{row.ratio, row.ratio});
    for (const double end : {ends[0], ends[1]})
      if (end > 0 && std::isfinite(end)) needed = std::max(needed, std::max(end, 1 / end));
  }
  for (const double end : {1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0})
    if (needed <= end) return end;
  return widest_scale;
}

class RatioScale {
 public:
  explicit RatioScale(double end) : end_(end) {}
  /// 0 to 2 half for what lies on the scale, outside otherwise.
  int column(double ratio) const {
    if (!(ratio > 0)) return -1;
    return half + static_cast<int>(std::lround(half * std::log(ratio) / std::log(end_)));
  }
  std::string axis() const {
    const std::string low = fmt::format("{:.3g}", 1 / end_);
    const std::string high = fmt::format("{:.3g}", end_);
    std::string line = low + std::string(half - low.size(), ' ') + "1";
    return line + std::string(half - high.size(), ' ') + high;
  }

 private:
  double end_;
};

std::string line_of(const IntervalRow& row, const RatioScale& scale, double margin) {
  std::vector<std::string> cells(2 * half + 1, " ");
  const int shaded = scale.column(1 / (1 - margin)) - half;
  for (int i = half - shaded; i <= half + shaded; ++i)
    if (i >= 0 && i <= 2 * half) cells[static_cast<std::size_t>(i)] = "░";
  cells[half] = "│";
  const auto put = [&](int column, const char* sign) {
    cells[static_cast<std::size_t>(std::clamp(column, 0, 2 * half))] = sign;
  };
  if (row.interval) {
    const int from = scale.column((*row.interval)[0]);
    const int to = scale.column((*row.interval)[1]);
    for (int i = std::max(from, 0); i <= std::min(to, 2 * half); ++i) put(i, "─");
    put(from, from < 0 ? "<" : "├");
    put(to, to > 2 * half ? ">" : "┤");
  }
  put(scale.column(row.ratio), "●");
  std::string text;
  for (const auto& cell : cells) text += cell;
  return text.substr(0, text.find_last_not_of(' ') + 1);
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
  for (auto& table : chart.tables) complete(table);
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

std::string interval_chart(const std::vector<IntervalRow>& rows, double margin,
                           const Style& style) {
  // Two columns in front, two between, and the chart itself.
  constexpr std::size_t taken = 2 + 2 + 2 * half + 1;
  constexpr std::size_t shortest_row_label = 8;
  if (rows.empty() || style.width < taken + shortest_row_label) return "";
  const std::size_t longest = std::min(longest_row_label, style.width - taken);
  const RatioScale scale(scale_of(rows));
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, std::min(longest, shown_width(row.label)));
  std::string out = "  " + std::string(width + 2, ' ') + style.dim(scale.axis()) + "\n";
  for (const auto& row : rows) {
    const std::string label = shortened(row.label, longest);
    const std::size_t missing = width - std::min(width, shown_width(label));
    out += "  " + label + std::string(missing + 2, ' ') + line_of(row, scale, margin) + "\n";
  }
  return out;
}

}  // namespace prengdl
