// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include "base/error.h"
namespace prengdl {
struct ClusterEntry { double log_ratio = 0; std::string cluster; std::string machine; };
struct ClusteredRatio { double ratio = 1; std::array<double, 2> ci95{}; std::optional<std::array<double, 2>> prediction95; double tau = 0; std::size_t clusters = 0; };
inline Result<ClusteredRatio> clustered_ratio(std::span<const ClusterEntry>) { return failure("not yet"); }
}
