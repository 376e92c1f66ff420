// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/units.h"
#include "meters/sources.h"
#include "model/machine.h"

namespace prengdl {

enum class Severity { ok, note, warning, fail };

std::string_view name_of(Severity severity);

/// One thing that was checked. docs/reference/doctor.md has a row for each name.
struct Check {
  std::string name;  // "governor"; stable, for scripts
  Severity severity = Severity::ok;
  std::string finding;  // what is so, and why it matters
  std::string remedy;   // what to do; empty if there is nothing to do
  std::string fix;      // id of a Fix that does it, or empty
};

/// What a GPU's library reported; what it does not report is missing.
struct GpuState {
  std::string name;
  std::optional<bool> is_persistent;
  std::optional<bool> is_exclusive;
  std::vector<unsigned> other_processes;
};

/// All that the checks look at besides files below `root`. References must outlive the call.
struct DoctorInput {
  std::filesystem::path root;
  const FoundMeters& found;
  const Machine& machine;
  Conditions earlier{};  // two snapshots while prengdl itself rests
  Conditions later{};
  Seconds apart{};           // between them; 0 when no sample was taken
  double own_cpu_seconds{};  // of prengdl between them
  bool is_root = false;
  std::vector<GpuState> gpus{};
  std::optional<std::uint64_t> free_bytes{};  // where results will be written
};

/// Looks at the machine for a second, while prengdl itself rests. Results go to the working
/// directory.
DoctorInput look_around(const MeterSearch& search, const FoundMeters& found, const Machine& machine,
                        Clock& clock);

/// All checks in the order in which they are best read. What a machine does not have is not listed.
std::vector<Check> diagnose(const DoctorInput& input);

/// The three parts of diagnose.
std::vector<Check> check_meters(const DoctorInput& input);
std::vector<Check> check_processor(const DoctorInput& input);
std::vector<Check> check_surroundings(const DoctorInput& input);

/// The worst of them; ok if there are none.
Severity worst(const std::vector<Check>& checks);

}  // namespace prengdl
