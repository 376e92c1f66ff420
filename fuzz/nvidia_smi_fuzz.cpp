// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "import/nvidia_smi.h"
#include "import/run_totals.h"

/// What nvidia-smi writes in a loop: whatever the bytes, there are figures or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prengdl;
  const ForeignText source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    SmiLog log = parse_nvidia_smi(source);
    ImportedRun run;
    run.stored.run.window = Seconds{static_cast<double>(log.lines)};
    StatedJoules stated;
    if (log.has_stamps) {
      run.stored.run.begin_ns = log.columns.front().readings.front().at_ns;
      add_smi_log(run, std::move(log));
    } else {
      spread_evenly(log, run.stored.run.window);
      add_smi_log(run, std::move(log));
      stated = held_joules(run, 0, Seconds{1});
    }
    const auto begin = run.stored.run.begin_ns;
    fill_figures(run, stated, {{"epoch", "1", begin, begin + nanoseconds(Seconds{1})}});
  } catch (const Error&) {
  }
  return 0;
}
