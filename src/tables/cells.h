// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tables/table.h"

namespace prengdl {

// How numbers are put: the only place, so that all formats say the same.

/// Four significant digits without an exponent where that is short: "0.01234", "12350".
std::string significant(double value, int digits = 4);

/// "327.0 kJ", "798.0 ms", "41 min 56 s": seconds as people read them, all else with a prefix.
std::string figure_text(double value, std::string_view unit);

std::string ratio_text(double ratio);  // "1.168"
std::string interval_text(const std::optional<std::array<double, 2>>& interval);
std::string p_text(const std::optional<double>& p);  // "0.013", "< 0.0001", ""

/// "23 %", "4.5 %", "99.8 %": what a ratio below or above 1 saves or adds.
std::string percent_text(double share);

TableCell text_cell(std::string text);
TableCell toned_cell(std::string text, CellTone tone);
TableCell count_cell(std::size_t count);
TableCell number_cell(const std::optional<double>& value, int digits = 4);
TableCell ratio_cell(double ratio);
/// The interval as one text; its ends are columns of their own only where a chart needs them.
TableCell interval_cell(const std::optional<std::array<double, 2>>& interval);
TableCell p_cell(const std::optional<double>& p);
TableCell share_cell(const std::optional<double>& share);  // "12.3 %", number 0.123

/// A number whose text is made by scale_columns(), in the unit that suits its column.
TableCell scaled_cell(const std::optional<double>& value);

TableColumn text_column(std::string key, std::string title);
TableColumn prose_column(std::string key, std::string title);
TableColumn interval_column();  // of interval_cell()
TableColumn number_column(std::string key, std::string title, std::string unit = {});

/// Gives all numbers of a column with a unit one SI prefix, by the median of them, and texts in it.
void scale_columns(Table& table);

/// A number in a unit that scale_columns() made of `unit`: "1.25" of 1250, "J" and "kJ".
std::string in_unit(double value, const std::string& unit, const std::string& scaled);

/// A column that says the same in every row goes to the title: "Ratios and tests: a / b".
void fold_column(Table& table, const std::string& key);

void drop_column(Table& table, const std::string& key);

/// True if the column said nothing in any row; it is gone then.
bool drop_if_empty(Table& table, const std::string& key);

}  // namespace prengdl
