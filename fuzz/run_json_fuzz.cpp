// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/run_json.h"

// Any text is a run, a part of one, a machine or an error; what was read is the same when it is
// written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prengdl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto run = run_of_json(text)) {
    const std::string written = run_json(*run);
    const auto again = run_of_json(written);
    if (!again || run_json(*again) != written) std::abort();
  }
  Run emitted;
  if (add_emitted(text, emitted)) {
    const std::string written = emitted_json(emitted.spans, emitted.metrics);
    Run again;
    if (!add_emitted(written, again) || emitted_json(again.spans, again.metrics) != written)
      std::abort();
  }
  if (const auto machine = machine_of_json(text)) {
    const std::string written = machine_json_text(*machine);
    const auto again = machine_of_json(written);
    if (!again || machine_json_text(*again) != written) std::abort();
  }
  return 0;
}
