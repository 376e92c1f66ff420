// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/reading.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// How much a threat matters. `note`: good to know. `warning`: it widens or biases the figures.
/// `severe`: a figure or a comparison does not mean what it seems to; `audit` exits with 3.
enum class AuditSeverity { ok, note, warning, severe };

std::string_view name_of(AuditSeverity severity);

/// A number, numbers or a word behind a finding, by its name in `audit --json`. SI units, shares as
/// fractions.
using EvidenceValue = std::variant<double, std::vector<double>, std::string>;
using Evidence = std::vector<std::pair<std::string, EvidenceValue>>;

/// What one check found in a cell, in cells that are compared, or in the whole study. A check that
/// looked and found nothing says so with `ok`; one that had nothing to look at says nothing.
struct AuditFinding {
  std::string check;  // "drift"; stable, for scripts: docs/audit.md has a row for each
  AuditSeverity severity = AuditSeverity::ok;
  std::vector<std::pair<std::string, std::string>> where;  // factor, level; empty: the whole study
  Evidence evidence;
  std::string message;  // what is so, with its numbers
  std::string advice;   // what to do; empty where nothing need be done
};

/// The calls of one function in a profile of a cell.
struct ProfiledCalls {
  std::string file;  // "~" for a function that is written in C
  std::string function;
  double calls = 0;
};

struct CellProfile {
  Cell cell;
  std::vector<ProfiledCalls> functions;
};

using TakeReading = std::function<void(std::uint16_t meter, const Reading& reading)>;

/// All that is looked at. `samples` gives the readings of a run in the order in which they were
/// taken; without it the checks of samples are left out.
struct AuditInput {
  Study study;
  std::vector<StoredRun> runs;  // with their meters
  bool is_paired = true;        // imported runs have no blocks
  std::vector<MachineRecord> machines;
  std::vector<StudyEvent> events;
  std::vector<std::pair<std::string, std::string>> locks;  // environment, text of its lock
  std::function<std::string(const Cell&)> environment_of;  // empty text: the caller's own
  std::function<void(const StoredRun&, const TakeReading&)> samples;
  std::vector<CellProfile> profiles;
  std::optional<std::uint64_t> gpu_memory_bytes;  // of the card that the study says it used
  std::optional<Watts> gpu_power_limit;
};

/// Threats to validity that the data show by themselves, the most severe first. Reads the samples
/// of each run once. Deterministic.
std::vector<AuditFinding> audit(const AuditInput& input);

/// ok if there are none.
AuditSeverity worst(const std::vector<AuditFinding>& findings);

}  // namespace prengdl
