// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/terminal.h"
#include "run/environment_making.h"

namespace prengdl {

/// An environment that `setup` was asked for, and what became of it.
struct SetupRow {
  EnvironmentSite site;
  MadeEnvironment made;
  std::optional<Error> trouble;
};

/// A data set that a study needs, as the workloads tell it.
struct DataSetRow {
  std::string name;
  std::string origin;                 // where it comes from
  std::vector<std::string> problems;  // none: it is fine
};

struct DataReport {
  std::filesystem::path directory;
  std::vector<DataSetRow> sets;

  bool is_complete() const;
};

std::string setup_text(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const Style& style);
std::string setup_json(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const EnvironmentPlaces& places);

std::string cached_text(const std::vector<CachedEnvironment>& environments, const Style& style);
std::string cached_json(const std::vector<CachedEnvironment>& environments,
                        const EnvironmentPlaces& places);

}  // namespace prengdl
