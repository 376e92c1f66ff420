// SPDX-License-Identifier: Apache-2.0
#include "analysis/region_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "analysis/embedded.h"
#include "base/csv.h"
#include "base/escaping.h"
#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "base/suggestions.h"

namespace prengdl {
namespace {

tl::unexpected<Error> table_error(const std::string& file, std::size_t line, std::size_t column,
                                  const std::string& what, const std::string& hint) {
  return failure(fmt::format("{}:{}:{}: {}", file, line, column, what), hint);
}

constexpr auto columns_hint = "it needs the columns place,value,unit,date,source";

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

/// The row of a place, the latest one unless a date is asked for.
Result<KwhFactor> row_of(const std::vector<KwhFactor>& rows, const std::string& wanted,
                         const std::string& table) {
  const auto at = wanted.find('@');
  const std::string place = upper(wanted.substr(0, at));
  const std::string date = at == std::string::npos ? "" : upper(wanted.substr(at + 1));
  const KwhFactor* found = nullptr;
  std::vector<std::string> places;
  std::vector<std::string> dates;
  for (const auto& row : rows) {
    if (std::find(places.begin(), places.end(), row.place) == places.end())
      places.push_back(row.place);
    if (upper(row.place) != place && upper(row.name) != place) continue;
    dates.push_back(row.date);
    if (date.empty() ? !found || row.date >= found->date : upper(row.date) == date) found = &row;
  }
  if (found) return *found;
  if (!dates.empty())
    return failure(fmt::format("{} has no figure of {} for {}", table, printable(date), place),
                   "it has " + joined(dates, ", "));
  const auto near = nearest(place, places);
  std::string hint = near ? fmt::format("did you mean {}? ", *near) : std::string();
  return failure(fmt::format("{} has no place '{}'", table, printable(wanted.substr(0, at))),
                 hint + "places: " + shortened(joined(places, " "), 400));
}

/// "grid.csv" or "grid.csv:DE".
Result<KwhFactor> row_of_file(const std::string& option, const std::string& unit_end) {
  std::string file = option;
  std::string place;
  const auto colon = option.rfind(':');
  if (colon != std::string::npos && !std::filesystem::exists(option)) {
    file = option.substr(0, colon);
    place = option.substr(colon + 1);
  }
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  auto rows = parse_region_table(*text, file);
  if (!rows) return tl::unexpected(rows.error());
  for (const auto& row : *rows)
    if (!row.unit.ends_with(unit_end))
      return failure(fmt::format("{}: the unit of {} is '{}'", file, row.place, row.unit),
                     fmt::format("figures must be in {}", unit_end));
  if (place.empty()) {
    const bool is_one = std::all_of(rows->begin(), rows->end(), [&](const KwhFactor& row) {
      return row.place == rows->front().place;
    });
    if (!is_one)
      return failure(fmt::format("{} has several places", file),
                     fmt::format("say which: {}:{}", file, rows->front().place));
    place = rows->front().place;
  }
  return row_of(*rows, place, file);
}

bool is_file(const std::string& option) {
  return option.find('/') != std::string::npos || option.find(".csv") != std::string::npos;
}

Result<KwhFactor> embedded_row(std::string_view table, const std::string& name,
                               const std::string& option) {
  const auto rows = parse_region_table(table, name);
  if (!rows) return tl::unexpected(rows.error());
  return row_of(*rows, option, name);
}

}  // namespace

Result<std::vector<KwhFactor>> parse_region_table(std::string_view text, const std::string& file) {
  std::vector<KwhFactor> rows;
  std::map<std::string, std::size_t, std::less<>> columns;
  const auto lines = csv_rows(text, file, {.has_comments = true});
  if (!lines) return tl::unexpected(lines.error());
  for (const auto& cells : *lines) {
    const std::size_t number = cells.front().line;
    if (columns.empty()) {
      for (std::size_t i = 0; i < cells.size(); ++i) columns[cells[i].text] = i;
      for (const char* needed : {"place", "value", "unit", "date", "source"})
        if (!columns.contains(needed))
          return table_error(file, number, 1, fmt::format("there is no column {}", needed),
                             columns_hint);
      continue;
    }
    if (cells.size() != columns.size())
      return table_error(
          file, number, cells.back().column,
          fmt::format("{} cells, but there are {} columns", cells.size(), columns.size()),
          "put a text with commas in quotes");
    const auto cell = [&](std::string_view name) -> const CsvCell& {
      static const CsvCell none;
      const auto at = columns.find(name);
      return at == columns.end() ? none : cells[at->second];
    };
    const auto value = parse_number(cell("value").text);
    if (!value || *value < 0)
      return table_error(file, number, cell("value").column,
                         fmt::format("'{}' is not a number from 0 on", cell("value").text),
                         "write digits with a decimal point");
    for (const char* needed : {"place", "unit", "date", "source"})
      if (cell(needed).text.empty())
        return table_error(file, number, cell(needed).column, fmt::format("{} is empty", needed),
                           "a figure without it cannot be reported");
    rows.push_back({*value, cell("unit").text, cell("place").text, cell("name").text,
                    cell("date").text, cell("basis").text, cell("source").text});
  }
  if (rows.empty()) return failure(fmt::format("{} has no rows", file), columns_hint);
  return rows;
}

Result<KwhFactor> carbon_factor(const std::string& option) {
  std::string_view number = trimmed(option);
  for (const std::string_view unit : {"gCO2e/kWh", "g/kWh", "g"})
    if (number.ends_with(unit)) {
      number = trimmed(number.substr(0, number.size() - unit.size()));
      break;
    }
  if (const auto value = parse_number(number)) {
    if (*value < 0)
      return failure("a kWh cannot emit less than nothing: " + printable(option),
                     "write grams of CO2 equivalent per kWh: --carbon 350");
    return KwhFactor{*value, "gCO2e/kWh", "", "", "", "", "given with --carbon"};
  }
  if (is_file(option)) return row_of_file(option, "gCO2e/kWh");
  return embedded_row(embedded::grid_intensity(), "data/grid_intensity.csv", option);
}

Result<KwhFactor> price_factor(const std::string& option) {
  std::string_view text = trimmed(option);
  if (text.ends_with("/kWh")) text.remove_suffix(4);
  const auto letters = text.find_first_not_of("0123456789.+-");
  if (const auto value = parse_number(text.substr(0, letters))) {
    const std::string currency(letters == std::string_view::npos ? std::string_view{}
                                                                 : trimmed(text.substr(letters)));
    const bool is_currency =
        currency.size() == 3 &&
        std::all_of(currency.begin(), currency.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (*value < 0 || !is_currency)
      return failure("'" + printable(option) + "' is not a price",
                     "write what a kWh costs and in which currency: --price 0.30EUR");
    return KwhFactor{*value, currency + "/kWh", "", "", "", "", "given with --price"};
  }
  if (is_file(option)) return row_of_file(option, "/kWh");
  return embedded_row(embedded::electricity_price(), "data/electricity_price.csv", option);
}

}  // namespace prengdl
