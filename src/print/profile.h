// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "profile/api_cost.h"
#include "tables/terminal.h"

namespace prengdl {

/// What `profile` is asked to show.
struct ProfileView {
  double least_share = 0.01;            // of the time: what is below is left out of tables
  std::optional<double> least_in_data;  // the same for JSON and CSV, which else hold everything
  std::optional<std::string> function;  // only this one, with its callers and callees
};

/// One profile: its functions, APIs by class, what to keep in mind. Several: APIs side by side.
std::string profile_text(const std::vector<ProfileCost>& costs, const ProfileView& view,
                         const Style& style);

/// prengdl.profile/2, docs/reference/profile.md.
std::string profile_json(const std::vector<ProfileCost>& costs, const ProfileView& view);

/// A row per function, with a column for the profile where there are several.
std::string profile_csv(const std::vector<ProfileCost>& costs, const ProfileView& view);

/// The call graph for Graphviz: functions with at least this share of the time, their callees'
/// included, and the calls between them.
std::string call_graph_dot(const ProfileCost& cost, double least_share);

/// A line per stack: "outer;inner 1234", in microseconds, as flame graph programs read them.
void write_collapsed(const ProfileCost& cost, std::ostream& out);

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
