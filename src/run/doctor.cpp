// SPDX-License-Identifier: Apache-2.0
#include "run/doctor.h"

#include <algorithm>
#include <iterator>

namespace prengdl {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::ok:
      return "ok";
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::fail:
      return "fail";
  }
  return "";
}

std::vector<Check> diagnose(const DoctorInput& input) {
  std::vector<Check> all;
  for (auto* part : {check_meters, check_processor, check_surroundings}) {
    auto checks = part(input);
    std::move(checks.begin(), checks.end(), std::back_inserter(all));
  }
  return all;
}

Severity worst(const std::vector<Check>& checks) {
  Severity most = Severity::ok;
  for (const auto& check : checks) most = std::max(most, check.severity);
  return most;
}

}  // namespace prengdl
