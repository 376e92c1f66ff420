// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "base/error.h"
#include "store/result.h"

namespace prengdl {

/// The options that `compare` and `report` share, as they were written.
struct AnalysisWords {
  std::string metric, reach, lifecycle;
  bool lower_is_better = false;
};

/// What they mean for this study. Throws a UsageError that names the option.
AnalysisOptions analysis_options(const AnalysisWords& words, const Study& study);

/// The value of an option, or a UsageError that names it.
template <class T>
T or_refuse(const char* option, Result<T> value) {
  if (!value)
    throw UsageError(std::string(option) + ": " + value.error().what(), value.error().hint);
  return std::move(*value);
}

/// What doctor --aa knows of the machines that the runs of a result were made on.
std::vector<AaRecord> aa_of(const ResultStore& store);

}  // namespace prengdl
