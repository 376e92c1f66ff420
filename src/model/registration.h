// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/study.h"

namespace prengdl {

/// The analysis of a study as it was stored before the first run.
struct Registration {
  std::string sha256;  // of the text
  std::string at;      // wall clock, UTC
  std::string text;    // by registered_text()
};

/// A key of [analysis] whose value is not the registered one. Values are JSON; empty: not given.
struct PlanChange {
  std::string key;
  std::string registered;
  std::string now;
};

/// Every key of [analysis] with its value, defaults included, as one line of JSON: the same text
/// for the same plan on every machine.
std::string registered_text(const AnalysisPlan& plan);

/// What differs between the registered plan and the one in use. `is_without_meter` says that the
/// plan in use went through go_without_meter(). Throws an Error if the text cannot be read.
std::vector<PlanChange> changes_since(const Registration& registration, const AnalysisPlan& in_use,
                                      bool is_without_meter);

}  // namespace prengdl
