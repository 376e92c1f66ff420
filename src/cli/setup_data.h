// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "print/study.h"

namespace prengdl {

/// What is asked of the workloads about a study's data.
struct DataQuestion {
  bool make = false;   // write the small synthetic sets of the preset, else only look
  std::string preset;  // of the workloads; empty: theirs
  std::vector<std::string> models;
};

/// Whether the commands of a study ask for {data}.
bool needs_data(const Study& study);

/// The models that the cells of a study run by `-m workloads FRAMEWORK MODEL`, a question for each
/// of their presets.
std::vector<DataQuestion> data_questions(const Study& study);

/// Asks the module workloads.data, which knows the sets, by this Python. Throws an Error with its
/// words if it fails.
DataReport ask_for_data(const DataQuestion& question, const EnvironmentPlaces& places,
                        const std::filesystem::path& python);

}  // namespace prengdl
