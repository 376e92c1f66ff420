// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// Whether the cost of a change is above a limit. `fail` was shown to be above, `pass` was shown
/// not to be; each is wrong in at most a share alpha of the cases (docs/reference/gate.md).
enum class GateVerdict { pass, fail, cannot_tell };

std::string_view name_of(GateVerdict verdict);  // "cannot tell"
int exit_code(GateVerdict verdict);             // 0, 3, 4

/// "package + dram", or "nothing".
std::string covered_text(const std::vector<std::string>& domains);

/// One of the two that are tested against each other.
struct GateSide {
  std::string label;
  std::vector<std::string> machines;  // fingerprints of all machines that its runs come from
  std::vector<std::string> covers;    // the domains in `metered`
  std::size_t runs = 0;               // that were made
  std::size_t failed = 0;             // of these
};

/// A figure of the runs of both; where paired, base[i] and candidate[i] belong to one block.
struct GateMeasure {
  std::string name;  // model/measure.h
  std::vector<double> base;
  std::vector<double> candidate;
  bool modelled = false;
};

struct GateInput {
  GateSide base;
  GateSide candidate;
  std::vector<GateMeasure> measures;
  std::string primary = "metered";
  bool paired = true;  // measured alternately on one occasion; else each side is an occasion
  /// Not paired: the standard deviation of log costs between occasions. Nothing if it is not known,
  /// and then there is no verdict. A number from the user or from a history of results.
  std::optional<double> between;
  double limit = 1.03;  // of candidate over base
  double alpha = 0.05;
  std::vector<std::string> notes;  // what a reader should know of the runs
};

struct GateEstimate {
  std::string measure;
  std::array<std::size_t, 2> n{};  // base, candidate; equal where paired
  std::array<std::optional<double>, 2> geometric_means;
  std::optional<double> ratio;                // candidate over base
  std::optional<std::array<double, 2>> ci95;  // with the spread between occasions
};

/// What it would probably take to decide.
struct RunsNeeded {
  std::size_t of_each = 0;                  // runs of each side, from the start
  std::array<std::size_t, 2> additional{};  // beyond those of base and of candidate
};

struct GateResult {
  GateVerdict verdict = GateVerdict::cannot_tell;
  std::string reason;  // one sentence
  std::string advice;  // what to do next; empty if decided
  std::string base;    // labels
  std::string candidate;
  bool paired = true;
  std::optional<double> between;  // as in GateInput
  double limit = 1;
  double alpha = 0.05;
  GateEstimate tested;
  std::vector<GateEstimate> beside;  // for information, not tested
  std::optional<double> p_above;
  std::optional<double> p_within;
  std::optional<double> at_least;  // one-sided bounds of the ratio, level 1 - alpha each
  std::optional<double> at_most;
  std::optional<RunsNeeded> needed;  // absent where decided, and where no sensible number would do
  std::vector<std::string> notes;
};

/// Throws where the two cannot be compared at all: other machines, other domains. Too few runs,
/// runs without spread or without a figure, and different occasions of which the spread is not
/// known give `cannot_tell` with the reason. Modelled energy is never tested: seconds are, and a
/// note says so.
GateResult judge(const GateInput& input);

/// "+3%", "3 %", "0%", "-5%" as the ratio that is the limit.
Result<double> parse_limit(std::string_view text);

/// "2%" as a standard deviation of logs, 0.02. Refuses zero: occasions always differ.
Result<double> parse_between(std::string_view text);

/// "+3 %": a ratio as a change.
std::string percent_change(double ratio);

}  // namespace prengdl
