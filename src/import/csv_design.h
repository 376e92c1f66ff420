// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/csv_table.h"
#include "import/imported.h"

namespace prengdl {

/// What a row of a table says of the design: with which runs it belongs together, and when it
/// began.
struct RowDesign {
  std::string file;
  CellPlace block_place{}, start_place{};  // where the row says so, or would
  std::string block;                       // as it is written; empty: none
  std::optional<Moment> start;
};

/// Gives the runs their blocks, attempts, start times and order; `rows` belong to `imported.runs`
/// one by one. Blocks keep their numbers if all are integers, else they are numbered in the order
/// in which they appear. The runs are put in the order of time if all have one. Throws an Error
/// that names the rows if only some have a block, or if a block holds a cell twice on a machine.
void apply_design(std::vector<RowDesign> rows, Imported& imported);

}  // namespace prengdl
