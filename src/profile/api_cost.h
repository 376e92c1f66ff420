// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "profile/api_classes.h"
#include "profile/call_profile.h"

namespace prengdl {

/// One function of a profile and what it is in the user's words.
struct FunctionCost {
  std::uint32_t place = 0;         // in the profile's functions
  std::optional<std::string> api;  // nothing for the user's own code
  std::optional<std::string> api_class;
  bool is_once_a_step = false;
  std::optional<double> share;  // of the own time of all functions; nothing if that is 0
  std::optional<Joules> joules;
};

/// Functions of one API, or APIs of one class, added up. Cumulative time cannot be added: one may
/// have called the other.
struct ApiCost {
  std::string name;
  std::optional<std::string> api_class;
  std::uint64_t calls = 0;
  Seconds own{};
  std::optional<double> share;
  bool is_own_code = false;
};

/// A profile with its costs, each list with the highest own time first.
struct ProfileCost {
  std::string label;  // the file's name, or the cell
  CallProfile profile;
  Seconds total{};          // own time of all functions: the time that was profiled
  std::uint64_t calls = 0;  // of all functions
  std::vector<FunctionCost> functions;
  std::vector<ApiCost> classes;     // what has no class is under ""
  std::optional<double> slow_down;  // by the profiler, where the same was run without it

  const ProfiledFunction& function(const FunctionCost& cost) const {
    return profile.functions[cost.place];
  }
};

ProfileCost cost_of(std::string label, CallProfile profile, const ApiTable& table);

/// Functions added up by API, own code by function; the highest own time first. A call of one
/// function of an API by another is no further call of the API.
std::vector<ApiCost> apis_of(const ProfileCost& cost);

/// What to call a function: its API, or its own name with the file.
std::string name_of(const ProfileCost& cost, const FunctionCost& function);

/// Places in `cost.functions` that are meant by a name: an API or a function by its whole name,
/// else all that have the text in one of them, whatever the case.
std::vector<std::size_t> functions_named(const ProfileCost& cost, std::string_view name);

/// One API in several profiles; nothing where it was not called.
struct ApiRow {
  std::string name;
  std::optional<std::string> api_class;
  std::vector<std::optional<ApiCost>> in;  // by profile
};

/// The APIs that have at least this share in any of the profiles, with their costs in all of them:
/// the threshold is the same for each. By the highest share.
std::vector<ApiRow> side_by_side(const std::vector<ProfileCost>& costs, double least_share);

/// Calls of the same thing that two profiles count differently: a hint that they did not do the
/// same work.
struct CallDifference {
  enum class Of { steps, api_class, function };
  Of of = Of::function;
  std::string name;  // of the class, API or function; of steps the APIs that count them
  std::array<std::uint64_t, 2> calls{};
  double ratio() const { return static_cast<double>(calls[0]) / static_cast<double>(calls[1]); }
};

/// Only what both have called can be compared: steps of a training (by the APIs of which the table
/// says that they are called once a step), classes of APIs, and APIs and own functions of one name.
/// The last two only where either has at least this share of the time. Steps first, then classes,
/// then functions, each with the largest ratio first.
std::vector<CallDifference> call_differences(const ProfileCost& a, const ProfileCost& b,
                                             double least_share = 0.01);

}  // namespace prengdl
