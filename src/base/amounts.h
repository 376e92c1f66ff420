// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/units.h"

namespace prengdl {

/// Four significant digits with an SI prefix: "12.35 mJ", "1.200 kJ".
std::string with_prefix(double value, std::string_view unit);

/// A duration for people: "812.0 us", "12.30 ms", "4.210 s", "3 min 20 s", "1 h 5 min".
std::string for_people(Seconds duration);

/// "1 run", "2 runs".
std::string counted(std::size_t count, const std::string& one);

}  // namespace prengdl
