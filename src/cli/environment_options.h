// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "environments/site.h"
#include "meters/sources.h"

namespace prengdl {

/// The options by which commands find environments and data: --cache, --variant, --data.
struct EnvironmentOptions {
  std::string cache, variant, data;

  void declare(Arguments& arguments);

  /// Under sudo the cache is the calling user's. CUDA where this machine has an NVIDIA GPU that we
  /// may use.
  EnvironmentPlaces places(const MeterSearch& search) const;
};

/// The command that makes what a study needs.
std::string setup_call(const std::string& study, const std::string& preset,
                       const EnvironmentOptions& options);

/// What a study may name as environments; empty where the files of the product are not there.
std::vector<std::string> environments_to_name();

}  // namespace prengdl
