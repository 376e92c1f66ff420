// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/meter_info.h"
#include "model/reading.h"

namespace prengdl {

/// A source of energy or power, or a channel beside it. One thread reads a meter at a time.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual const MeterInfo& info() const = 0;

  /// Never throws, allocates or prints; the time stamp is taken around the read itself.
  virtual Reading read() noexcept = 0;
};
using Meters = std::vector<std::unique_ptr<Meter>>;

/// A source that exists but does not count, and what the user can do about it.
struct LeftOut {
  std::string source;  // "powercap/intel-rapl:0"
  std::string reason;  // "cannot read .../energy_uj: Permission denied"
  std::string advice;  // may be empty
};

/// What one kind of source gave. Finding never fails: what cannot be used is left out with a
/// reason.
struct FoundMeters {
  Meters meters;
  std::vector<LeftOut> left_out;
};

}  // namespace prengdl
