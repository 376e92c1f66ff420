// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "import/hyperfine.h"

/// JSON of hyperfine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prengdl;
  const ForeignText source{"fuzz", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    parse_hyperfine(source);
  } catch (const Error&) {
  }
  return 0;
}
