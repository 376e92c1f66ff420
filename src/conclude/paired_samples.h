// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/window.h"

namespace prengdl {

/// What a run cost by some measure; nothing where it has no figure.
using ValueOf = std::function<std::optional<double>(const Run&)>;

/// The figures of two levels, machine by machine and in the order in which the runs were made.
/// Paired: the first of `a` belongs to the first of `b`, and so on.
struct TwoSamples {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<std::string> machines_a;  // where each was measured
  std::vector<std::string> machines_b;
};

/// Runs of one machine and block belong together; one without a partner that has a figure too is
/// left out. Unpaired: all that have a figure, on machines that have figures of both levels: a
/// machine with one level would add its own difference from the others. If there is no such
/// machine, all.
TwoSamples two_samples(const std::vector<const StoredRun*>& a,
                       const std::vector<const StoredRun*>& b, bool paired, const ValueOf& value);

/// Of each level the runs that have a partner in the other.
std::array<std::vector<const StoredRun*>, 2> partnered(const std::vector<const StoredRun*>& a,
                                                       const std::vector<const StoredRun*>& b);

/// The part of the samples that one machine measured.
TwoSamples on_machine(const TwoSamples& samples, const std::string& machine);

/// The machines that measured both levels, by name.
std::vector<std::string> common_machines(const TwoSamples& samples);

}  // namespace prengdl
