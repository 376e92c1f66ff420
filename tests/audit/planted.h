// SPDX-License-Identifier: Apache-2.0
#pragma once

// A study with one planted threat, and what a check says about it.
#include <gtest/gtest.h>

#include "bench/audit_studies.h"

namespace prengdl {

using bench::Threat;

inline AuditInput study_with(Threat threat, double size = 0, std::size_t runs = 10) {
  bench::Shape shape;
  shape.threat = threat;
  shape.size = size;
  shape.runs = runs;
  return bench::StudyMaker(shape, 42).make().input;
}

/// Of a check the most severe finding; there must be one.
inline AuditFinding found(const AuditInput& input, const std::string& check) {
  const auto findings = audit(input);
  for (const auto& finding : findings)
    if (finding.check == check) return finding;
  ADD_FAILURE() << "no finding of " << check;
  return {};
}

inline double number(const AuditFinding& finding, const std::string& name) {
  for (const auto& [key, value] : finding.evidence)
    if (key == name && std::holds_alternative<double>(value)) return std::get<double>(value);
  ADD_FAILURE() << finding.check << " has no number " << name;
  return NAN;
}

inline bool says(const AuditFinding& finding, const std::string& words) {
  return finding.message.find(words) != std::string::npos;
}

}  // namespace prengdl
