// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "environments/site.h"
#include "machine/doctor.h"

namespace prengdl {

/// Whether a study finds here what it needs: its environments, and what it requires of the machine
/// (`unmet`, as unmet_requirements() gives it). `setup` is the command that makes environments.
std::vector<Check> check_study_needs(const std::vector<EnvironmentSite>& sites,
                                     const std::vector<std::string>& unmet,
                                     const std::string& setup);

}  // namespace prengdl
