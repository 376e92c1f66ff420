// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "model/machine.h"
#include "model/power_model.h"

namespace prengdl {

/// The model for the machine below `root`, from a table in the form of data/power_models.csv. The
/// row is chosen by vendor, family, model and stepping, since a guest seldom names its CPU fully.
Result<PowerModel> choose_power_model(const std::filesystem::path& root, std::string_view table);

/// The same for a machine of which only the recorded facts are at hand.
Result<PowerModel> choose_power_model(const Machine& machine, std::string_view table);

}  // namespace prengdl
