// SPDX-License-Identifier: Apache-2.0
//
// The charts as the page reads them: columns of values, written as text. A tree of JSON values for
// all points of a large study would take ten times the memory of the page.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "report/formats.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

void put_text(std::string_view text, std::string& out) {
  // Names are made visible here as in the tables; what is left of them needs few escapes.
  const std::string safe = visible(text);
  out += '"';
  for (const char c : safe) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void put_number(double value, const char* format, std::string& out) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out), fmt::runtime(format), value);
  else
    out += "null";
}

/// With so many digits after the point at most: for the many points of series, where a general
/// format would take most of the time that the page takes to write.
void put_decimal(double value, int digits, std::string& out) {
  static constexpr std::array<double, 10> powers{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  const double scaled = value * powers.at(static_cast<std::size_t>(digits));
  if (!(std::fabs(scaled) < 1e15)) return put_number(value, "{:.6g}", out);
  auto number = static_cast<std::int64_t>(std::llround(scaled));
  if (number < 0) {
    out += '-';
    number = -number;
  }
  while (digits > 0 && number % 10 == 0) {
    number /= 10;
    --digits;
  }
  std::array<char, 24> text{};
  std::size_t at = text.size();
  for (int i = 0; number > 0 || i <= digits; ++i) {
    if (i == digits && digits > 0) text.at(--at) = '.';
    text.at(--at) = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  out.append(text.data() + at, text.size() - at);
}

/// Digits after the point that leave so many significant ones of the largest.
int digits_for(const std::vector<double>& values, int significant_digits) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  return std::clamp(significant_digits - 1 - static_cast<int>(std::floor(std::log10(largest))), 0,
                    9);
}

/// "key":
void put_key(std::string_view key, std::string& out) {
  if (out.back() != '{') out += ',';
  put_text(key, out);
  out += ':';
}

template <class List, class Put>
void put_list(const List& list, std::string& out, Put&& put) {
  out += '[';
  bool is_first = true;
  for (const auto& one : list) {
    if (!is_first) out += ',';
    is_first = false;
    put(one);
  }
  out += ']';
}

/// Names that come again and again are written once: {"names":["a","b"],"at":[0,0,1]}.
void put_names(const Table& table, std::size_t column, std::string& out) {
  std::unordered_map<std::string_view, std::size_t> places;
  std::vector<std::string_view> names;
  for (const auto& row : table.rows)
    if (places.try_emplace(row[column].text, names.size()).second)
      names.push_back(row[column].text);
  if (2 * names.size() > table.rows.size()) {
    put_list(table.rows, out, [&](const auto& row) { put_text(row[column].text, out); });
    return;
  }
  out += "{\"names\":";
  put_list(names, out, [&](std::string_view name) { put_text(name, out); });
  out += ",\"at\":";
  put_list(table.rows, out,
           [&](const auto& row) { out += std::to_string(places[row[column].text]); });
  out += '}';
}

void put_heads(const Table& table, std::string& out) {
  put_list(table.columns, out, [&](const TableColumn& column) {
    out += '{';
    for (const auto& [key, text] :
         {std::pair("key", &column.key), std::pair("title", &column.title),
          std::pair("unit", &column.unit)}) {
      put_key(key, out);
      put_text(*text, out);
    }
    out += column.is_number ? ",\"number\":true}" : "}";
  });
}

void put_table(const Table& table, std::string& out) {
  out += "{\"rows\":" + std::to_string(table.rows.size()) + ",\"columns\":{";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& column = table.columns[i];
    put_key(column.key, out);
    if (!column.is_number) {
      put_names(table, i, out);
      continue;
    }
    // A text with a unit is the number in four digits, which a page can make itself.
    const bool makes_text = is_large(table) && !column.unit.empty();
    put_list(table.rows, out, [&](const auto& row) {
      if (row[i].number)
        put_number(*row[i].number, makes_text ? "{}" : "{:.7g}", out);
      else
        out += "null";
    });
    if (makes_text) continue;
    put_key(column.key + "_text", out);
    put_names(table, i, out);
  }
  out += '}';
  if (is_large(table)) {
    out += ",\"title\":";
    put_text(table.title, out);
    out += ",\"heads\":";
    put_heads(table, out);
  }
  out += '}';
}

void put_series(const PowerSeries& series, std::string& out) {
  out += '{';
  for (const auto& [key, text] :
       {std::pair("run", &series.run), std::pair("case", &series.case_name),
        std::pair("level", &series.level)}) {
    put_key(key, out);
    put_text(*text, out);
  }
  out += ",\"seconds\":";
  const int second_digits = digits_for(series.seconds, 6),
            watt_digits = digits_for(series.watts, 5);
  put_list(series.seconds, out, [&](double value) { put_decimal(value, second_digits, out); });
  out += ",\"watts\":";
  put_list(series.watts, out, [&](double value) { put_decimal(value, watt_digits, out); });
  for (const auto& [key, values] :
       {std::pair("low", &series.low), std::pair("high", &series.high)}) {
    put_key(key, out);
    put_list(*values, out, [&](double value) { put_decimal(value, watt_digits, out); });
  }
  out += ",\"spans\":";
  put_list(series.spans, out, [&](const PowerSeries::Span& span) {
    out += '{';
    put_key("span", out);
    put_text(span.span, out);
    put_key("name", out);
    put_text(span.name, out);
    out += fmt::format(",\"begin\":{:.6g},\"end\":{:.6g}}}", span.begin, span.end);
  });
  out += '}';
}

void put_chart(const Chart& chart, std::string& out) {
  out += '{';
  for (const auto& [key, text] : {std::pair("id", std::string_view(chart.id)),
                                  std::pair("title", std::string_view(chart.title)),
                                  std::pair("kind", name_of(chart.kind))}) {
    put_key(key, out);
    put_text(text, out);
  }
  out += ",\"roles\":{";
  for (const auto& [role, key] : chart.roles) {
    put_key(role, out);
    put_text(key, out);
  }
  out += "},\"titles\":{";
  for (const auto& [role, key] : chart.roles) {
    put_key(role, out);
    put_text(chart.title_of(role), out);
  }
  for (const auto& [role, title] : chart.titles) {
    if (chart.role(role)) continue;
    put_key(role, out);
    put_text(title, out);
  }
  out += "},\"settings\":{";
  for (const auto& [name, value] : chart.settings) {
    put_key(name, out);
    put_number(value, "{}", out);
  }
  out += "},\"coloured\":";
  put_list(chart.coloured, out, [&](const std::string& name) { put_text(name, out); });
  out += ",\"tables\":";
  put_list(chart.tables, out, [&](const Table& table) { put_table(table, out); });
  out += ",\"series\":";
  put_list(chart.series, out, [&](const PowerSeries& series) { put_series(series, out); });
  out += '}';
}

}  // namespace

bool is_large(const Table& table) { return table.rows.size() > 1500; }

std::string charts_json(const Report& report) {
  std::string out = "{\"levels\":";
  put_list(report.levels, out, [&](const std::string& level) { put_text(level, out); });
  out += ",\"charts\":[";
  for (const auto& part : report.parts)
    for (const auto& block : part.blocks)
      if (const auto* chart = std::get_if<Chart>(&block); chart && !chart->is_overview) {
        if (out.back() != '[') out += ',';
        put_chart(*chart, out);
      }
  return out + "]}";
}

}  // namespace prengdl
