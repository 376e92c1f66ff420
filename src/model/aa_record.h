// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/measure.h"
#include "model/meter_info.h"

namespace prengdl {

/// What a machine showed by one measure when one command ran under two labels.
struct AaMeasure {
  std::string measure;             // "metered", "seconds" or "cpu_seconds"
  std::optional<Quality> quality;  // of the energy
  std::size_t pairs = 0;
  double spread = 0;                    // sd of the log ratio of the two runs of a block
  std::array<double, 2> spread_ci95{};  // of that sd, for normal logs
  double run_spread = 0;                // sd of the logs of single runs of a label
  double ratio = 1;                     // first label over second: 1, except for chance
  std::array<double, 2> ci95{};
  double p = 1;
  /// The share of all ways to swap labels within blocks by which the paired t test at 5 % finds a
  /// difference. Above 5 %, its p are too small on this machine.
  double false_positives = 0;
  /// The same for runs that are not interleaved: as many in a row against as many after them, by
  /// Welch's test. Drift of the machine counts as a difference there. Nothing below six pairs.
  std::optional<double> back_to_back_false_positives;
  double detectable_ratio = 1;  // found with as many pairs, at 5 %, in 4 of 5 cases
};

struct AaMeter {
  std::string id;
  std::string domain;
  Quality quality = Quality::chip;
};

/// One command under two labels on one machine: what later claims from it are shown with.
struct AaRecord {
  std::string fingerprint;  // of the machine
  std::string at;           // wall clock, UTC
  std::string prengdl_version;
  std::vector<std::string> command;
  std::size_t pairs = 0;
  std::size_t disturbed = 0;  // of the runs
  std::vector<AaMeasure> measures;
  std::vector<AaMeter> meters;
};

/// By the name of a measure: energy of any domain is that of `metered`, CPU time of any kind that
/// of `cpu_seconds`, a latency goes by `seconds`. Nothing if the record does not have it.
inline const AaMeasure* measure_of(const AaRecord& record, const std::string& measure) {
  const MeasureKind kind = kind_of(measure);
  const std::string wanted = kind == MeasureKind::energy     ? "metered"
                             : kind == MeasureKind::cpu_time ? "cpu_seconds"
                                                             : "seconds";
  for (const auto& one : record.measures)
    if (one.measure == wanted) return &one;
  return nullptr;
}

}  // namespace prengdl
