// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/window.h"

namespace prengdl {

/// What a run cost by some measure; nothing where it has no figure.
using ValueOf = std::function<std::optional<double>(const Run&)>;

/// The figures of two levels. Paired: the first of `a` belongs to the first of `b`, and so on.
struct TwoSamples {
  std::vector<double> a;
  std::vector<double> b;
};

/// Runs of one machine and block belong together; one without a partner that has a figure too is
/// left out. Unpaired: all that have a figure.
TwoSamples two_samples(const std::vector<const StoredRun*>& a,
                       const std::vector<const StoredRun*>& b, bool paired, const ValueOf& value);

/// The work that costs can be divided by: of a kind that every run of both told, above zero. The
/// first by name if there are several; nothing if there is none.
std::optional<std::string> common_work(const std::vector<const StoredRun*>& a,
                                       const std::vector<const StoredRun*>& b);

/// How much of it a run did.
std::optional<double> work_of(const Run& run, const std::string& name);

}  // namespace prengdl
