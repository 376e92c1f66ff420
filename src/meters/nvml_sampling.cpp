// SPDX-License-Identifier: Apache-2.0
#include "meters/nvml_sampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

enum Column {
  architecture,
  from,
  to,
  energy_counter,
  energy_update,
  power_update,
  usage_window,
  instant_window,
  lag,
  sampled_share,
  source,
  column_count
};

struct Row {
  CsvRow cells;
  int first{};
  int last{};
  std::string_view operator[](Column column) const { return cells[column].text; }
};

/// "8.6" as 8006, so that 12.1 comes after 8.9; -1 when it is none.
int capability(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 2) return -1;
  const auto major = parse_integer(parts[0]).value_or(-1);
  const auto minor = parse_integer(parts[1]).value_or(-1);
  return major < 0 || minor < 0 ? -1 : static_cast<int>(major * 1000 + minor);
}

std::vector<Row> rows_of(std::string_view table) {
  auto lines = csv_rows(table, "nvml_sampling.csv", {.has_comments = true});
  if (!lines) throw Error(lines.error());
  std::vector<Row> rows;
  for (auto& cells : *lines) {
    if (cells.front().text == "architecture") continue;  // the names of the columns
    const auto line = cells.front().line;
    Row row{std::move(cells), -1, -1};
    if (row.cells.size() == column_count) {
      row.first = capability(row[from]);
      row.last = capability(row[to]);
    }
    if (row.first < 0 || row.last < 0 || row[source].empty())
      throw Error(fmt::format("nvml_sampling.csv:{}: not a row of the table", line));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw Error("nvml_sampling.csv has no rows");
  return rows;
}

std::optional<double> number(const Row& row, Column column) {
  if (row[column].empty()) return std::nullopt;
  const auto value = parse_number(row[column]);
  if (!value || *value < 0)
    throw Error(fmt::format("nvml_sampling.csv: \"{}\" in the row of {} is not a number",
                            row[column], row[architecture]));
  return value;
}

}  // namespace

NvmlSampling nvml_sampling(std::string_view table, int major, int minor) {
  const auto rows = rows_of(table);
  const int wanted = major * 1000 + minor;
  const auto fitting = std::find_if(rows.begin(), rows.end(), [&](const Row& each) {
    return each.first <= wanted && wanted <= each.last;
  });
  const Row& row = fitting == rows.end() ? rows.back() : *fitting;

  const auto milliseconds = [&](Column column) {
    const auto own = number(row, column);
    return Seconds{(own ? *own : number(rows.back(), column).value_or(0)) / 1000};
  };
  NvmlSampling sampling;
  sampling.architecture = row[architecture];
  if (!row[energy_counter].empty()) sampling.energy_counter = row[energy_counter] == "yes";
  sampling.energy_update = milliseconds(energy_update);
  sampling.power_update = milliseconds(power_update);
  sampling.usage_window = milliseconds(usage_window);
  sampling.instant_window = milliseconds(instant_window);
  sampling.lag = milliseconds(lag);
  sampling.sampled_share = number(row, sampled_share);
  return sampling;
}

}  // namespace prengdl
