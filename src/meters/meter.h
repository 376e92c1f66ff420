// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/meter_info.h"
#include "model/reading.h"

namespace prengdl {

/// A source of energy or power, or a channel next to it. One thread reads a meter at a time.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual const MeterInfo& info() const = 0;

  /// Never throws, allocates or prints; the time stamp is taken around the read itself.
  virtual Reading read() noexcept = 0;

  /// A process of ours that runs behind it, which is not part of any workload.
  virtual std::optional<pid_t> process() const { return std::nullopt; }
};
using Meters = std::vector<std::unique_ptr<Meter>>;

/// A reading that `take(reading)` fills, stamped with the middle of the time that it took.
template <class Take>
Reading stamped(Take&& take) noexcept {
  Reading reading;
  const std::int64_t before = monotonic_ns();
  take(reading);
  reading.at_ns = before + (monotonic_ns() - before) / 2;
  return reading;
}

/// Whether the user named a source (--meter, --rail). One that was named and does not work is an
/// error, not something to go on without.
enum class Asked {
  no,
  yes,
  wrongly,  // in words that mean nothing
};

/// A source that exists but does not count, and what the user can do about it.
struct LeftOut {
  std::string source;       // "powercap/intel-rapl:0"
  std::string reason;       // "cannot read .../energy_uj: Permission denied"
  std::string advice;       // may be empty
  int trouble = 0;          // the errno, if it is there but cannot be opened or read
  std::string domain = {};  // of one with trouble that would count
  Asked asked = Asked::no;
};

/// What one kind of source gave. Finding never fails: what cannot be used is left out with a
/// reason.
struct FoundMeters {
  Meters meters;
  std::vector<LeftOut> left_out;
};

}  // namespace prengdl
