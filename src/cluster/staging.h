// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/this_process.h"
#include "environments/site.h"
#include "model/study.h"

namespace prengdl {

/// Copies what cells run in, and with `stage_data` the data sets, to a directory of this node, once
/// for all jobs there, and gives the places to use instead. A copy that was interrupted is made
/// again; one whose original has changed too. Gives `places` as they are if the study stages
/// nothing.
EnvironmentPlaces staged(const SlurmSettings& settings, const std::vector<EnvironmentSite>& sites,
                         const EnvironmentPlaces& places, const Variables& variables);

/// The text with $NAME and ${NAME} replaced. Throws an Error that names a variable that is not set.
std::string with_variables(const std::string& text, const Variables& variables);

}  // namespace prengdl
