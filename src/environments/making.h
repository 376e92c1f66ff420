// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/units.h"
#include "environments/site.h"

namespace prengdl {

/// The Python that the locks of the product are for.
constexpr std::string_view locked_python = "3.11";

/// How far the making of an environment is.
struct MakingProgress {
  std::string doing;        // "installing with uv 0.13.7", "waiting for ..."
  std::string said;         // by the tool, last
  std::uint64_t bytes = 0;  // that the disk has less since the making began
};
using TellMaking = std::function<void(const MakingProgress&)>;

struct MadeEnvironment {
  bool was_there = false;  // complete already: nothing was done
  Seconds took{};
  EnvironmentMark mark;
};

/// Makes what is missing of an environment: a site that is made, or an image that is fetched. One
/// that is complete is left alone, without network and without a lock. One that another process
/// makes is waited for; one that was left unfinished is gone on with. Throws an Error that names
/// what stopped it and the next step.
MadeEnvironment make_environment(const EnvironmentSite& site, const EnvironmentPlaces& places,
                                 const TellMaking& tell);

/// Removes an environment from the cache and gives the bytes that it had. Refused while somebody
/// makes it.
std::uint64_t remove_environment(const std::filesystem::path& directory);

}  // namespace prengdl
