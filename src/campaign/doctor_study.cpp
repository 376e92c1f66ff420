// SPDX-License-Identifier: Apache-2.0
//
// Is this machine ready for a certain study?
#include "campaign/doctor_study.h"

#include <fmt/core.h>

namespace prengdl {

std::vector<Check> check_study_needs(const std::vector<EnvironmentSite>& sites,
                                     const std::vector<std::string>& unmet,
                                     const std::string& setup) {
  std::vector<Check> checks;
  for (const auto& site : sites) {
    const auto missing = what_is_missing(site);
    if (missing) {
      const bool can_be_made = site.is_made() || site.kind == EnvironmentSite::Kind::container;
      checks.push_back({"environment", Severity::fail,
                        fmt::format("{} is not ready: {}", site.title(), *missing),
                        can_be_made ? "make it: " + setup
                                    : "it is the study's own: make it, or name another one",
                        ""});
      continue;
    }
    const auto mark = site.is_made() ? read_mark(site.directory) : std::nullopt;
    checks.push_back({"environment", Severity::ok,
                      mark ? fmt::format("{} is ready, made by {} at {}", site.title(), mark->tool,
                                         mark->made_at)
                           : fmt::format("{} is ready", site.title()),
                      "", ""});
  }
  for (const auto& lack : unmet)
    checks.push_back({"requires", Severity::fail, lack,
                      "choose another preset or machine, or leave out what cannot run with --only",
                      ""});
  if (unmet.empty())
    checks.push_back(
        {"requires", Severity::ok, "the machine has all that the study requires", "", ""});
  return checks;
}

}  // namespace prengdl
