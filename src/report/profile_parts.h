// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/api_cost.h"

namespace prengdl {

/// The calls from or to one function; `other` is at the other end.
struct CallLine {
  std::uint32_t other = 0;  // place in the profile's functions
  CallEdge edge;
};

/// Who called a function, and whom it called; the longest first.
std::vector<CallLine> callers_of(const ProfileCost& cost, std::uint32_t place);
std::vector<CallLine> callees_of(const ProfileCost& cost, std::uint32_t place);

/// By place in the profile's functions: the API or the own name.
std::vector<std::string> names_by_place(const ProfileCost& cost);

/// "train.py:41", "" for functions in C.
std::string location_of(const ProfiledFunction& function);

/// "1,234,567".
std::string grouped(std::uint64_t number);

}  // namespace prengdl
