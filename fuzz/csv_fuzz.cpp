// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "import/csv_table.h"

/// The table behind the kinds csv, codecarbon and energibridge: every cell can be asked for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prengdl;
  const ForeignText source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    const CsvTable table(source, likely_separator(source));
    for (std::size_t row = 0; row < table.rows(); ++row)
      for (std::size_t column = 0; column < table.names().size(); ++column) {
        try {
          (void)table.number(row, column);
        } catch (const Error&) {
        }
        (void)parse_stamp(table.cell(row, column));
        (void)parse_moment(table.cell(row, column));
        (void)printed_number(table.cell(row, column));
      }
  } catch (const Error&) {
  }
  return 0;
}
