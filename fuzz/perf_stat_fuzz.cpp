// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "import/perf_stat.h"
#include "import/run_totals.h"

/// Text and CSV of `perf stat`: whatever the bytes, there are figures or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prengdl;
  const ForeignText source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    for (const auto& stat : parse_perf_stat(source)) {
      ImportedRun run;
      const auto stated = add_perf_stat(run, stat, source.name);
      fill_figures(run, stated);
    }
  } catch (const Error&) {
  }
  return 0;
}
