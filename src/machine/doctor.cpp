// SPDX-License-Identifier: Apache-2.0
#include "machine/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "machine/machine.h"
#include "meters/gpu_facts.h"
#include "privilege/helper.h"

namespace prengdl {
namespace {

constexpr Seconds load_sample{1};

double own_cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<GpuState> gpu_states(const MeterSearch& search) {
  std::vector<GpuState> states;
  const auto others = nvml_other_processes(search).value_or(std::vector<unsigned>{});
  for (const auto& gpu : nvml_facts(search))
    if (gpu.allocated) states.push_back({gpu.name, gpu.is_persistent, gpu.is_exclusive, others});
  for (const auto& gpu : rocm_facts(search))
    if (gpu.allocated) states.push_back({gpu.name, {}, {}, {}});
  return states;
}

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::ok:
      return "ok";
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::fail:
      return "fail";
  }
  return "";
}

DoctorInput look_around(const MeterSearch& search, const FoundMeters& found, const Machine& machine,
                        Clock& clock) {
  DoctorInput input{.root = search.root, .found = found, .machine = machine};
  const double own_before = own_cpu_seconds();
  input.earlier = read_conditions(search.root);
  const std::int64_t begin = clock.now_ns();
  clock.sleep_until(begin + nanoseconds(load_sample));
  input.later = read_conditions(search.root);
  input.apart = seconds_between(begin, clock.now_ns());
  input.own_cpu_seconds = own_cpu_seconds() - own_before;
  input.is_root = geteuid() == 0 || root_helper();
  input.gpus = gpu_states(search);
  std::error_code none;
  if (const auto space = std::filesystem::space(".", none); !none)
    input.free_bytes = space.available;
  return input;
}

std::vector<Check> diagnose(const DoctorInput& input) {
  std::vector<Check> all;
  for (auto* part : {check_meters, check_processor, check_surroundings}) {
    auto checks = part(input);
    std::move(checks.begin(), checks.end(), std::back_inserter(all));
  }
  return all;
}

Severity worst(const std::vector<Check>& checks) {
  Severity most = Severity::ok;
  for (const auto& check : checks) most = std::max(most, check.severity);
  return most;
}

}  // namespace prengdl
