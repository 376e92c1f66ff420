// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "meters/sources.h"

namespace prengdl {

/// The options by which every command finds its meters: --root, --meter, --rail.
struct MeterOptions {
  std::string root = "/";
  std::vector<std::string> exec;
  std::vector<std::string> rails;

  void declare(Arguments& arguments);
  /// The domains that --meter and --rail name: "DOMAIN=CMD", "LABEL=DOMAIN".
  std::vector<std::string> named_domains() const;
  /// Throws when the root is no directory.
  MeterSearch search() const;
};

/// All meters of the machine. Throws if one that the user named with --meter or --rail does not
/// work: figures from another meter are not what was asked for.
FoundMeters find_meters(const MeterSearch& search);

/// Whether any of them gives energy that is measured, not modelled.
bool measures_energy(const FoundMeters& found);

/// Of the GPUs that this process may use, in bytes; 0 where it is not known.
std::vector<std::uint64_t> gpu_memories(const MeterSearch& search);

/// The value of an option that is a time; throws a UsageError that names the option.
Seconds duration_option(const std::string& name, const std::string& text);
/// One that is a share: "1%" or "0.01"; a bare 1 would be everything, and is hardly meant.
double share_option(const std::string& name, const std::string& text);

}  // namespace prengdl
