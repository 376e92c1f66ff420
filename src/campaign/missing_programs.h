// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "environments/site.h"
#include "model/study.h"

namespace prengdl {

/// Where the commands of a study look for their programs and files.
struct ProgramSearch {
  /// What a cell asks to run in; as in CellRunSettings.
  std::function<const EnvironmentSite&(const EnvironmentChoice&)> environment;
  std::filesystem::path result;
  std::filesystem::path data;
};

/// Looks up what the cells start: their commands, what they prepare and clean up with, the load of
/// a warm start, and the files that they read as standard input. Throws an Error that names each
/// one that is missing, where it was looked for and the cells that need it. Names that are known
/// only when a run starts are not looked at, nor are files that a prepare command may make.
void check_programs(const Study& study, const std::vector<Cell>& cells,
                    const ProgramSearch& search);

}  // namespace prengdl
