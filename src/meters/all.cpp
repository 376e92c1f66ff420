// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/limits.h"
#include "meters/patience.h"
#include "meters/sources.h"

namespace prengdl {
namespace {

void join(FoundMeters& all, FoundMeters more) {
  std::move(more.meters.begin(), more.meters.end(), std::back_inserter(all.meters));
  std::move(more.left_out.begin(), more.left_out.end(), std::back_inserter(all.left_out));
}

/// Whether anything was found that can stand in the total; rails of unknown reach cannot.
bool has_energy(const FoundMeters& found) {
  return std::any_of(found.meters.begin(), found.meters.end(), [](const auto& meter) {
    const Counted counted = meter->info().counted;
    return is_energy(meter->info()) &&
           (counted == Counted::yes || counted == Counted::alone || counted == Counted::platform);
  });
}

/// amdgpu shows through hwmon what ROCm SMI shows too: the library knows more and goes first, also
/// when it says that a GPU is not ours or has no figure.
void drop_gpus_that_rocm_knows(FoundMeters& hwmon, const FoundMeters& rocm) {
  const bool rocm_works =
      has_energy(rocm) ||
      std::any_of(rocm.left_out.begin(), rocm.left_out.end(),
                  [](const LeftOut& one) { return one.source.starts_with("rocm/"); });
  if (!rocm_works) return;
  std::erase_if(hwmon.meters, [&](const auto& meter) {
    if (meter->info().id.find("amdgpu") == std::string::npos) return false;
    hwmon.left_out.push_back({meter->info().id, "ROCm SMI reads this GPU", ""});
    return true;
  });
}

/// The node controller of a Cray counts what finer meters count too; they go first. A library that
/// knows the GPUs also knows which of them are ours.
void drop_parts_that_others_read(FoundMeters& pm_counters, const FoundMeters& others) {
  const auto reader_of = [&](const std::string& domain) -> std::string {
    for (const auto& other : others.meters)
      if (is_energy(other->info()) && other->info().counted == Counted::yes &&
          other->info().domain == domain)
        return other->info().id;
    for (const auto& one : others.left_out)
      if (domain == "gpu" && (one.source.starts_with("nvml/") || one.source.starts_with("rocm/")))
        return one.source;
    return "";
  };
  std::erase_if(pm_counters.meters, [&](const auto& meter) {
    const auto& info = meter->info();
    const std::string reader = info.counted == Counted::yes ? reader_of(info.domain) : "";
    if (!reader.empty())
      pm_counters.left_out.push_back(
          {info.id, fmt::format("{} covers the same {}", reader, info.domain), ""});
    return !reader.empty();
  });
}

/// If a driver or a bus is asked, a reading may never return.
FoundMeters patiently(FoundMeters found, const std::string& source) {
  found.meters = with_patience(std::move(found.meters), source);
  return found;
}

}  // namespace

FoundMeters find_all(const MeterSearch& search) {
  FoundMeters all = find_powercap(search);
  if (!has_energy(all)) join(all, find_perf_event(search));
  join(all, patiently(find_nvml(search), "nvml"));
  FoundMeters rocm = find_rocm(search);
  FoundMeters hwmon = find_hwmon(search);
  drop_gpus_that_rocm_knows(hwmon, rocm);
  join(all, patiently(std::move(rocm), "rocm"));
  join(all, patiently(std::move(hwmon), "hwmon"));
  FoundMeters pm_counters = find_pm_counters(search);
  drop_parts_that_others_read(pm_counters, all);
  join(all, patiently(std::move(pm_counters), "pm_counters"));
  join(all, patiently(find_battery(search), "battery"));
  join(all, find_exec(search));
  if (!has_energy(all)) join(all, find_estimate(search));
  join(all, find_cpu_channels(search));
  return all;
}

void refuse_incomplete(const FoundMeters& found) {
  for (const auto& one : found.left_out) {
    if (one.trouble == 0) continue;
    if (is_exhaustion(one.trouble))
      throw Error(fmt::format("cannot open all meters: {}: {}", one.source, one.reason),
                  exhaustion_advice(one.trouble));
    const auto family = one.source.substr(0, one.source.find('/') + 1);
    const auto sibling =
        std::find_if(found.meters.begin(), found.meters.end(), [&](const auto& meter) {
          return !one.domain.empty() && meter->info().domain == one.domain &&
                 meter->info().counted == Counted::yes && meter->info().id.starts_with(family);
        });
    if (sibling != found.meters.end())
      throw Error(fmt::format("{} can be read, but {} cannot: the total would miss its energy: {}",
                              (*sibling)->info().id, one.source, one.reason),
                  one.advice.empty() ? "see the kernel's messages: dmesg" : one.advice);
  }
}

bool may_have_library(const MeterSearch& search, const std::string& library,
                      std::initializer_list<std::string_view> traces) {
  if (library.find('/') != std::string::npos) return true;
  if (std::getenv("LD_LIBRARY_PATH"))
    return true;  // dlopen looks at ours, whatever the search says
  return std::any_of(traces.begin(), traces.end(), [&](std::string_view trace) {
    std::error_code ignored;
    return std::filesystem::exists(search.root / trace, ignored);
  });
}

}  // namespace prengdl
