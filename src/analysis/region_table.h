// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// What a kWh stands for in some place at some time, and who says so. One that the user gave has no
/// place and no date.
struct KwhFactor {
  double value = 0;
  std::string unit;    // "gCO2e/kWh", "EUR/kWh"
  std::string place;   // "DE"; empty: given as a number
  std::string name;    // "Germany"
  std::string date;    // "2024", "2024-S2"
  std::string basis;   // "life-cycle", "household": what kind of figure it is
  std::string source;  // "Ember Yearly Electricity Data 2025"
};

/// The rows of a table with the columns place, value, unit, date and source, and name and basis if
/// it has them; lines that start with # are comments. `file` is what it is called in errors, which
/// name line and column.
Result<std::vector<KwhFactor>> parse_region_table(std::string_view text, const std::string& file);

/// What `--carbon` asks for: a place of data/grid_intensity.csv ("DE", "DE@2023"), a number of
/// grams per kWh ("350"), or a place of the user's own table ("grid.csv:DE"; of a table with one
/// place the name of the file does).
Result<KwhFactor> carbon_factor(const std::string& option);

/// What `--price` asks for: the same with data/electricity_price.csv; a number needs its currency:
/// "0.30EUR".
Result<KwhFactor> price_factor(const std::string& option);

}  // namespace prengdl
