// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one door to the JSON library: including it costs seconds per file.
#include <nlohmann/json.hpp>
#include <string>

namespace prengdl {

using Json = nlohmann::ordered_json;

/// Compact enough to read, whatever bytes are in it: text that is not UTF-8 is replaced.
inline std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace prengdl
