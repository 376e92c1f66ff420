// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/foreign.h"
#include "import/imported.h"

namespace prengdl {

/// Energy of one RAPL event as `perf stat` prints it.
struct PerfEnergy {
  std::string event;             // "energy-pkg"
  std::string domain;            // "package"
  std::string of;                // "S0" with --per-socket, else empty
  std::optional<double> joules;  // nothing where perf says <not counted> or <not supported>
};

/// What one `perf stat` wrote.
struct PerfStat {
  std::string command;  // what perf says that it watched; empty in CSV
  std::vector<PerfEnergy> energies;
  std::optional<double> seconds;
  std::optional<double> user_seconds;
  std::optional<double> system_seconds;
  bool is_mean = false;                 // of the runs of -r
  std::optional<std::int64_t> repeats;  // how many, if that is stated
  std::size_t line = 1;                 // where it begins
};

/// Text or CSV (-x) of `perf stat`; one after the other where --append was used. What -I writes,
/// and what is not of perf, is refused.
std::vector<PerfStat> parse_perf_stat(const ForeignText& source);

/// Adds the meters of a perf stat to a run, and gives the joules that it states. Seconds become the
/// run's window; a file without them is refused.
std::map<std::size_t, std::optional<double>> add_perf_stat(ImportedRun& run, const PerfStat& stat,
                                                           const std::string& file);

}  // namespace prengdl
