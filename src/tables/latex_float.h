// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tables/table.h"

namespace prengdl {

/// The table as a LaTeX float for a paper, to be read by \input. It takes one column of a
/// two-column class, or the whole width if it needs that, and it never exceeds either. A table
/// that is longer than a page continues in further floats. Marked cells are bold. It needs the
/// packages booktabs, array and graphicx, and T1 fonts. `label` is what \ref names.
std::string table_float(const Table& table, const std::string& label);

}  // namespace prengdl
