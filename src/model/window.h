// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/measure.h"
#include "model/run.h"

namespace prengdl {

/// Which part of a run is compared: the whole, or the spans of a kind, of which names that are
/// numbers can be chosen: "run", "train", "epoch>1", "epoch<=3", "epoch=2"; "train|infer" are the
/// spans of either kind, for studies whose cells do one or the other.
struct Window {
  enum class Which { all, equal, less, less_or_equal, greater, greater_or_equal };
  std::vector<std::string> spans;  // kinds; empty: the run
  Which which = Which::all;
  double number = 0;
};

Result<Window> parse_window(const std::string& text);

bool is_in(const Window& window, const Span& span);

/// The value of a metric that the run emitted last.
std::optional<double> final_metric(const Run& run, const std::string& name);

/// The run's figure by the name of a measure (model/measure.h) in the window: the sum over its
/// spans. A latency is always of the whole run. Nothing if it was not measured, as the CPU time of
/// spans; if one of the spans has no figure; or if spans of the window overlap, whose sum would
/// count a stretch twice.
std::optional<double> value_in(const Run& run, const Window& window, const std::string& measure);

/// What the energy in `measure` is worth; nothing for seconds or where there is none.
std::optional<Quality> quality_in(const Run& run, const std::string& measure);

/// A figure of a whole run by the name of its measure; nothing where it was not
/// measured.
std::optional<double> value_of(const Run& run, const std::string& measure);

/// The values of all runs that have one.
std::vector<double> values_of(const std::vector<Run>& runs, const std::string& measure);

}  // namespace prengdl
