// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "model/study.h"
#include "study/study_file.h"

// A study file is refused with a reason, or becomes a study whose cells can be named.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Includes would read this machine's files.
  if (text.find("include") != std::string::npos) return -1;
  try {
    const auto study = prengdl::read_study(text, "/nowhere/fuzz.toml");
    std::size_t cells = 1;
    for (const auto& factor : study.factors)
      cells *= std::max<std::size_t>(factor.levels.size(), 1);
    if (cells > 10'000) return 0;
    for (const auto& cell : prengdl::cells_of(study)) prengdl::name_of(study, cell);
  } catch (const prengdl::Error&) {
  }
  return 0;
}
