// SPDX-License-Identifier: Apache-2.0
//
// The first screen of the page: question, cards and the picture of all cases. It is made here and
// not by the script, so that it is there at once, without JavaScript and on paper.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "report/formats.h"
#include "report/ratio_scale.h"
#include "tables/cells.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

constexpr std::size_t most_rows = 96;       // more could not be read in half a screen
constexpr std::size_t rows_of_column = 30;  // more rows make a second column
constexpr std::size_t longest_label = 30;   // characters; the rest is in its title
constexpr double height_of_rows = 432;      // pixels
constexpr double height_on_a_phone = 430;
constexpr double highest_row = 30, highest_on_a_phone = 21, lowest_row = 8.9;

/// The class that gives an element the colour of a level; "none" for no winner.
std::string colour_class(const Report& report, const std::string& level) {
  const auto found = std::find(report.levels.begin(), report.levels.end(), level);
  if (level.empty() || found == report.levels.end()) return "none";
  return fmt::format("l{}", (found - report.levels.begin()) % 8);
}

/// One row of the picture: a ratio with its interval, or a dot for each case and their mean.
struct Row {
  std::string label, text, says, colour;
  std::vector<double> dots;
  std::optional<double> mean;  // a diamond
  std::optional<std::array<double, 2>> interval;
};

std::string text_of(const Chart& chart, const std::vector<TableCell>& row, const char* role) {
  const auto* key = chart.role(role);
  return key ? row[chart.tables[0].column(*key)].text : "";
}

std::optional<double> number_of(const Chart& chart, const std::vector<TableCell>& row,
                                const char* role) {
  const auto* key = chart.role(role);
  return key ? row[chart.tables[0].column(*key)].number : std::nullopt;
}

std::vector<Row> forest_rows(const Report& report, const Chart& chart) {
  std::vector<Row> rows;
  for (const auto& cells : chart.tables[0].rows) {
    const auto ratio = number_of(chart, cells, "x");
    const auto low = number_of(chart, cells, "low"), high = number_of(chart, cells, "high");
    if (!ratio) continue;
    Row row;
    row.label = text_of(chart, cells, "y");
    row.text = text_of(chart, cells, "x");
    row.colour = colour_class(report, text_of(chart, cells, "colour"));
    row.says = cells[chart.tables[0].column("verdict")].text;
    if (low && high) {
      row.interval = {*low, *high};
      row.says += fmt::format("; 95 % interval {} to {}", text_of(chart, cells, "low"),
                              text_of(chart, cells, "high"));
    }
    if (text_of(chart, cells, "kind") == "group") {
      row.mean = ratio;
      row.colour = "group";
    } else {
      row.dots = {*ratio};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> level_rows(const Report& report, const Chart& chart) {
  std::vector<Row> rows;
  for (const auto& cells : chart.tables[1].rows) {
    Row row;
    row.label = cells[0].text;
    row.text = cells[1].text;
    row.mean = cells[1].number;
    row.colour = colour_class(report, row.label);
    for (const auto& one : chart.tables[0].rows)
      if (one[0].text == row.label && one[2].number) row.dots.push_back(*one[2].number);
    row.says = fmt::format("{} × the lowest on average, over {} cases", row.text, row.dots.size());
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string percent(double place) { return fmt::format("{:.4g}%", place); }

void put_track(const Row& row, const RatioScale& scale, double margin, std::string& out) {
  out += "<svg aria-hidden=true>";
  if (margin > 0) {
    const double from = scale.at(1 / (1 + margin)), to = scale.at(1 + margin);
    out += fmt::format("<rect class=mg x={} width={} height=\"100%\"/>", percent(from),
                       percent(to - from));
  }
  out += fmt::format("<line class=one x1={0} x2={0} y2=\"100%\"/>", percent(scale.at(1)));
  if (row.interval) {
    const auto [low, high] = *row.interval;
    out += fmt::format("<line class=ci x1={} x2={} y1=\"50%\" y2=\"50%\"/>",
                       percent(low > 0 ? scale.at(low) : 0), percent(scale.at(high)));
    // An interval that continues beyond the axis has an arrow instead of an end.
    if (!(low > 0) || scale.is_beyond(low))
      out += "<svg x=0 y=\"50%\"><path class=pt d=\"M0 0 5-4V4z\"/></svg>";
    if (scale.is_beyond(high))
      out += "<svg x=\"100%\" y=\"50%\"><path class=pt d=\"M0 0-5-4V4z\"/></svg>";
  }
  for (const double dot : row.dots)
    out += fmt::format("<circle class=pt cx={} cy=\"50%\" r=\"{}\"/>", percent(scale.at(dot)),
                       row.dots.size() > 1 ? 3 : 4);
  if (row.mean)
    out += fmt::format("<svg x={} y=\"50%\"><path class=mean d=\"M0-5 5 0 0 5-5 0z\"/></svg>",
                       percent(scale.at(*row.mean)));
  out += "</svg>";
}

/// Who is on which side of 1, above the rows.
void put_head(const Report& report, const Chart& chart, std::string& out) {
  const std::string noun =
      chart.kind == ChartKind::dots ? text_cell(chart.roles[1].second).text : "case";
  out +=
      fmt::format("<thead><tr><th scope=col><span class=hidden>{}</span></th><th scope=col>", noun);
  if (chart.kind == ChartKind::forest && report.levels.size() == 2)
    out += fmt::format(
        "<span class=sides><span class=l0 title=\"{0}\">◀ less: <bdi>{0}</bdi></span><span "
        "class=l1 title=\"{1}\">less: <bdi>{1}</bdi> ▶</span></span>",
        html_text(report.levels[0]), html_text(report.levels[1]));
  else
    out += fmt::format("<span class=sides><span>{}</span></span>", html_text(chart.title_of("x")));
  out += "</th><th scope=col class=n>ratio</th></tr></thead>";
}

void put_axis(const RatioScale& scale, bool is_narrow, std::string& out) {
  out += "<tfoot aria-hidden=true><tr><td></td><td><svg class=axis>";
  for (const double tick : scale.ticks(is_narrow ? 19 : 9))
    out += fmt::format("<text x={} y=11>{:.3g}</text>", percent(scale.at(tick)), tick);
  out += "</svg></td><td></td></tr></tfoot>";
}

void put_rows(const Report& report, const Chart& chart, const std::vector<Row>& rows,
              std::size_t from, std::size_t to, const RatioScale& scale, std::string& out) {
  std::size_t longest = 6;
  for (const auto& row : rows) longest = std::max(longest, shown_width(row.label));
  out += fmt::format(
      "<table class=forest><colgroup><col style=\"width:{}ch\"><col><col class=ratio></colgroup>",
      std::min(longest, longest_label) + 1);
  put_head(report, chart, out);
  out += "<tbody>\n";
  const double margin = chart.setting("margin").value_or(0);
  for (std::size_t i = from; i < to; ++i) {
    const Row& row = rows[i];
    out +=
        fmt::format("<tr class={} title=\"{}\"><th scope=row><bdi>{}</bdi></th><td>", row.colour,
                    html_text(row.label + ": " + row.text + "; " + row.says), html_text(row.label));
    put_track(row, scale, margin, out);
    out += fmt::format("<span class=hidden>{}</span></td><td class=n>{}</td></tr>\n",
                       html_text(row.says), html_text(row.text));
  }
  out += "</tbody>";
  put_axis(scale, to - from < rows.size(), out);
  out += "</table>\n";
}

void put_picture(const Report& report, const Chart& chart, std::string& out) {
  std::vector<Row> rows =
      chart.kind == ChartKind::dots ? level_rows(report, chart) : forest_rows(report, chart);
  if (rows.empty()) return;
  const std::size_t all = rows.size();
  if (all > most_rows) rows.resize(most_rows);
  RatioScale scale;
  for (const auto& row : rows) {
    for (const double dot : row.dots) scale.take(dot);
    if (row.mean) scale.take(*row.mean);
  }
  for (const auto& row : rows)
    if (row.interval)
      scale.take_interval(*row.interval);
    else
      for (const double dot : row.dots) scale.take_interval({dot, dot});
  const double margin = chart.setting("margin").value_or(0);
  scale.take_interval({1 / (1 + margin), 1 + margin});
  const bool is_split = rows.size() > rows_of_column;
  const std::size_t first = is_split ? (rows.size() + 1) / 2 : rows.size();
  const auto height = [](double room, std::size_t count, double highest) {
    return std::clamp(room / static_cast<double>(count), lowest_row, highest);
  };
  out += fmt::format(
      "<figure class=\"overview{}\" id=overview "
      "style=\"--large-row:{:.3g}px;--small-row:{:.3g}px\">"
      "<figcaption>{}{}</figcaption><div class=columns>\n",
      is_split ? " many" : "", height(height_of_rows, first, highest_row),
      height(height_on_a_phone, rows.size(), highest_on_a_phone), html_text(chart.title),
      all > rows.size() ? fmt::format(": the first {} of {} rows", rows.size(), all) : "");
  put_rows(report, chart, rows, 0, first, scale, out);
  if (is_split) put_rows(report, chart, rows, first, rows.size(), scale, out);
  out += "</div></figure>\n";
}

void put_facts(const ReportSummary& summary, std::string& out) {
  out += "<div class=facts>\n";
  for (const auto& fact : summary.facts)
    out += fmt::format("<p><b>{}:</b> {}</p>\n", html_text(fact.label), html_text(fact.text));
  if (summary.cautions.empty()) {
    out += "<p>" + count_of(summary.cautions) + "</p>\n</div>\n";
    return;
  }
  out += fmt::format("<details class=cautions><summary>{}</summary><ul>\n",
                     count_of(summary.cautions));
  for (const auto& one : summary.cautions)
    out += fmt::format("<li>{}{}</li>\n", one.is_severe ? "<b class=severe>Severe</b> " : "",
                       html_prose(one.text));
  out += "</ul></details>\n</div>\n";
}

}  // namespace

std::string html_badge(const std::string& badge) {
  if (badge.empty()) return "";
  const bool is_measured = badge.starts_with("measured");
  return fmt::format(" <span class=\"badge {}\">{}</span>", is_measured ? "measured" : "modelled",
                     html_text(badge));
}

void put_first_screen(const Report& report, std::string& out) {
  const ReportSummary& summary = report.summary;
  out += fmt::format(
      "<header>\n<p class=note id=made><bdi>{}</bdi> · prengdl {}{}</p>\n<div class=title>"
      "<h1>{}</h1>{}</div>\n<p class=design>{}</p>\n<div class=first>\n<div class=cards>\n",
      html_text(report.study), html_text(report.version),
      report.made_at.empty() ? "" : " · " + html_text(report.made_at.substr(0, 10)),
      html_text(summary.question.empty() ? report.study : summary.question),
      html_badge(summary.badge), html_text(summary.design));
  for (const auto& card : summary.cards)
    out +=
        fmt::format("<div class=\"card {}\"><p class=verdict>{}</p><p>{}</p></div>\n",
                    colour_class(report, card.level), html_text(card.title), html_prose(card.text));
  out += "</div>\n";
  for (const auto& part : report.parts)
    for (const auto& block : part.blocks)
      if (const auto* chart = std::get_if<Chart>(&block); chart && chart->is_overview)
        put_picture(report, *chart, out);
  out += "</div>\n";
  put_facts(summary, out);
  out += "</header>\n";
}

}  // namespace prengdl
