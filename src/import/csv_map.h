// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prengdl {

/// What one column of a table is, as --map says it.
struct MappedColumn {
  enum class What {
    seconds,
    joules,
    watts,
    factor,
    metric,
    work,
    exit_code,
    started_at,
    block,
    machine,
    flags
  } what{};
  std::string name;    // of the domain, factor, metric or work
  std::string column;  // of the table
  double scale = 1;    // to seconds or joules
};

/// The columns that KEY=COLUMN,... names. Throws a UsageError for an unknown key, for one that is
/// given twice, and if there is no time or no factor.
std::vector<MappedColumn> read_csv_map(const std::vector<std::string>& texts);

bool has_column(const std::vector<MappedColumn>& map, MappedColumn::What what);

}  // namespace prengdl
