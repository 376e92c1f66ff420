// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"

namespace prengdl {

// What a run can be compared by. Every command takes the same names; docs/reference/study-file.md
// lists them.

/// The names with a meaning of their own: the energy of all counted meters, the time, and the CPU
/// time. All others are domains or latencies.
namespace measures {
inline const std::string metered = "metered";
inline const std::string seconds = "seconds";
inline const std::string cpu_seconds = "cpu_seconds";
}  // namespace measures

enum class MeasureKind {
  energy,    // in joules: `metered`, or one domain
  time,      // `seconds`
  cpu_time,  // `cpu_seconds` = `user_seconds` + `system_seconds`; of a whole run only
  latency    // a time that the workload emits as a metric in seconds: `latency_p99`
};

/// Any name that is not one of time, CPU time or a latency is the energy of a domain.
MeasureKind kind_of(const std::string& measure);

bool is_energy_measure(const std::string& measure);

/// A time that the workload emits as a metric, in seconds: "latency_p99".
bool is_latency(const std::string& measure);

/// Whether a measure is in seconds and not in joules.
bool is_in_seconds(const std::string& measure);

/// "s" or "J".
std::string_view unit_of(const std::string& measure);

/// For people: "energy", "package energy", "time", "CPU time", "latency p99".
std::string title_of(const std::string& measure);

/// All names with a fixed meaning: `metered`, `seconds`, the CPU times and the domains of the
/// built-in meters.
const std::vector<std::string>& known_measures();

/// Whether the name is one of these, a latency, a rail ("rail:VDD_GPU") or one of `domains`: those
/// of the meters that the user named, or of the runs at hand.
bool is_known_measure(const std::string& name, const std::vector<std::string>& domains = {});

/// The next step after a name that is not known: what was probably meant, and all names.
std::string measure_advice(const std::string& name, const std::vector<std::string>& domains = {});

/// The CPU time of a whole run by the name of its measure; nothing for other measures, and where
/// the run's CPU times are not known.
std::optional<double> cpu_time_of_run(const Run& run, const std::string& measure);

}  // namespace prengdl
