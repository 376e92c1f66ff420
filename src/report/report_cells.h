// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "model/study.h"
#include "report/report_model.h"

namespace prengdl {

// How numbers are put: the only place, so that all formats say the same.

/// Four significant digits without an exponent where that is short: "0.01234", "12350".
std::string significant(double value, int digits = 4);

ReportCell text_cell(std::string text);
ReportCell count_cell(std::size_t count);
ReportCell number_cell(const std::optional<double>& value, int digits = 4);
ReportCell ratio_cell(double ratio);
/// The interval as one text; its ends are columns of their own only where a chart needs them.
ReportCell interval_cell(const std::optional<std::array<double, 2>>& interval);
ReportCell p_cell(const std::optional<double>& p);
ReportCell share_cell(const std::optional<double>& share);  // "12.3 %", number 0.123

/// A number whose text is made by scale_columns(), in the unit that suits its column.
ReportCell scaled_cell(const std::optional<double>& value);

ReportColumn text_column(std::string key, std::string title);
ReportColumn prose_column(std::string key, std::string title);
ReportColumn number_column(std::string key, std::string title, std::string unit = {});

/// Gives all numbers of a column with a unit one SI prefix, by the median of them, and texts in it.
void scale_columns(ReportTable& table);

/// A column that says the same in every row goes to the title: "Ratios and tests: a / b".
void fold_column(ReportTable& table, const std::string& key);

/// True if the column said nothing in any row; it is gone then.
bool drop_if_empty(ReportTable& table, const std::string& key);

/// The levels of a unit in the study's order: "ncf 32". Factors with a single level are left out.
std::string unit_label(const Study& study, const CellPattern& cell);

/// "by 23 %": what a ratio below or above 1 saves or adds.
std::string percent_text(double share);

/// "a, b and c".
std::string listed(const std::vector<std::string>& items);

}  // namespace prengdl
