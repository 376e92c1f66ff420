// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "cli/measure.h"
#include "cli/series_keeper.h"

namespace prengdl {

int measure_command(const std::vector<std::string>& words) {
  return measure(words,
                 [](const auto& result, Series& series, const MeterSearch& search,
                    SeriesEvents& events) -> std::function<void()> {
                   const auto keeper =
                       std::make_shared<SeriesKeeper>(result, series, search, events);
                   return [keeper] {};
                 });
}

}  // namespace prengdl
