// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one door to the JSON library for this folder: including it costs seconds per file.
#include <nlohmann/json.hpp>

#include "meters/meter.h"
#include "model/machine.h"

namespace prengdl {

using Json = nlohmann::ordered_json;

Json meter_json(const MeterInfo& info);
Json left_out_json(const std::vector<LeftOut>& left_out);
Json machine_json(const Machine& machine);

/// Compact enough to read, whatever bytes are in it: text that is not UTF-8 is replaced.
std::string dump(const Json& json);

}  // namespace prengdl
