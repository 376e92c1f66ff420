// SPDX-License-Identifier: Apache-2.0
#include "meters/gpu_facts.h"

#include <algorithm>

namespace prengdl {

bool mentions(const FoundMeters& found, std::string_view source) {
  const auto is_of = [&](const std::string& id) { return id.starts_with(source); };
  return std::any_of(found.meters.begin(), found.meters.end(),
                     [&](const auto& meter) { return is_of(meter->info().id); }) ||
         std::any_of(found.left_out.begin(), found.left_out.end(),
                     [&](const LeftOut& one) { return is_of(one.source); });
}

std::function<std::vector<unsigned>()> gpu_watch(const MeterSearch& search,
                                                 const FoundMeters& found) {
  if (!mentions(found, "nvml")) return nullptr;
  return [&search] { return nvml_other_processes(search).value_or(std::vector<unsigned>{}); };
}

}  // namespace prengdl
