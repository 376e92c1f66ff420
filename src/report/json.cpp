// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <cmath>

#include "report/formats.h"

namespace prengdl {
namespace {

std::string_view name_of(Paragraph::Tone tone) {
  switch (tone) {
    case Paragraph::Tone::plain:
      return "plain";
    case Paragraph::Tone::answer:
      return "answer";
    case Paragraph::Tone::caution:
      return "caution";
    case Paragraph::Tone::note:
      return "note";
  }
  return "";
}

/// A text, a number with its text, or nothing.
Json cell_json(const TableCell& cell) {
  if (!cell.number && !cell.is_marked) return cell.text.empty() ? Json(nullptr) : Json(cell.text);
  Json json{{"text", cell.text}};
  if (cell.number) json["value"] = *cell.number;
  if (cell.is_marked) json["marked"] = true;
  return json;
}

Json table_json(const Table& table) {
  Json json{{"id", table.id},
            {"title", table.title},
            {"columns", Json::array()},
            {"rows", Json::array()}};
  for (const auto& column : table.columns) {
    Json one{{"key", column.key}, {"title", column.title}};
    if (!column.unit.empty()) one["unit_of_text"] = column.unit;
    json["columns"].push_back(std::move(one));
  }
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const auto& cell : row) cells.push_back(cell_json(cell));
    json["rows"].push_back(std::move(cells));
  }
  if (!table.note.empty()) json["note"] = table.note;
  if (!table.badge.empty()) json["badge"] = table.badge;
  return json;
}

/// As many digits as a screen or a reader can use.
double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double factor =
      std::pow(10, digits - 1 - static_cast<int>(std::floor(std::log10(std::fabs(value)))));
  return std::round(value * factor) / factor;
}

Json series_json(const PowerSeries& series) {
  Json json{{"run", series.run},
            {"case", series.case_name},
            {"level", series.level},
            {"covers", series.covers},
            {"samples", series.samples}};
  json["seconds"] = Json::array();
  json["watts"] = Json::array();
  for (const double second : series.seconds) json["seconds"].push_back(rounded(second, 6));
  for (const double watt : series.watts) json["watts"].push_back(rounded(watt, 5));
  if (!series.low.empty()) {
    for (const double watt : series.low) json["low"].push_back(rounded(watt, 5));
    for (const double watt : series.high) json["high"].push_back(rounded(watt, 5));
  }
  json["spans"] = Json::array();
  for (const auto& span : series.spans)
    json["spans"].push_back({{"span", span.span},
                             {"name", span.name},
                             {"begin", rounded(span.begin, 6)},
                             {"end", rounded(span.end, 6)}});
  return json;
}

Json chart_json(const Chart& chart) {
  Json json{{"id", chart.id},
            {"title", chart.title},
            {"says", chart.says},
            {"kind", name_of(chart.kind)}};
  if (!chart.badge.empty()) json["badge"] = chart.badge;
  for (const auto& [role, key] : chart.roles) json["roles"][role] = key;
  for (const auto& [name, value] : chart.settings) json["settings"][name] = value;
  json["tables"] = Json::array();
  for (const auto& table : chart.tables) json["tables"].push_back(table_json(table));
  if (!chart.series.empty()) {
    json["series"] = Json::array();
    for (const auto& series : chart.series) json["series"].push_back(series_json(series));
  }
  return json;
}

Json summary_json(const ReportSummary& summary) {
  Json json{{"question", summary.question}, {"design", summary.design},
            {"badge", summary.badge},       {"cards", Json::array()},
            {"facts", Json::array()},       {"cautions", Json::array()}};
  for (const auto& card : summary.cards)
    json["cards"].push_back({{"level", card.level.empty() ? Json(nullptr) : Json(card.level)},
                             {"title", card.title},
                             {"text", card.text}});
  for (const auto& fact : summary.facts)
    json["facts"].push_back({{"label", fact.label}, {"text", fact.text}});
  for (const auto& caution : summary.cautions)
    json["cautions"].push_back({{"severe", caution.is_severe}, {"text", caution.text}});
  return json;
}

}  // namespace

std::vector<const Table*> tables_of(const Block& block) {
  std::vector<const Table*> tables;
  if (const auto* table = std::get_if<Table>(&block)) tables.push_back(table);
  if (const auto* chart = std::get_if<Chart>(&block))
    for (const auto& table : chart->tables) tables.push_back(&table);
  return tables;
}

std::string report_json(const Report& report) {
  Json json{{"schema", "prengdl.report/3"},
            {"study", report.study},
            {"prengdl_version", report.version},
            {"made_at", report.made_at},
            {"anonymous", report.is_anonymous},
            {"levels", report.levels},
            {"summary", summary_json(report.summary)},
            {"parts", Json::array()}};
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    const auto& part = report.parts[i];
    Json one{{"number", i + 1},        {"id", part.id},          {"title", part.title},
             {"tag", part.tag},        {"texts", Json::array()}, {"tables", Json::array()},
             {"charts", Json::array()}};
    for (const auto& block : part.blocks) {
      if (const auto* text = std::get_if<Paragraph>(&block))
        one["texts"].push_back({{"tone", name_of(text->tone)}, {"text", text->text}});
      if (const auto* table = std::get_if<Table>(&block))
        one["tables"].push_back(table_json(*table));
      if (const auto* chart = std::get_if<Chart>(&block))
        one["charts"].push_back(chart_json(*chart));
    }
    json["parts"].push_back(std::move(one));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prengdl
