// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/clock.h"
#include "meters/meter.h"

namespace prengdl {

/// A counter of constant power that steps like RAPL: what it shows is known at every moment.
class SteppingCounter final : public Meter {
 public:
  explicit SteppingCounter(Watts power, Seconds step = Seconds{0.001}) : power_(power) {
    info_.id = "test/package";
    info_.name = "package-0";
    info_.domain = "package";
    info_.step = 1e-6;
    info_.update = step;
    info_.range = std::uint64_t{1} << 40;
  }
  MeterInfo& change() { return info_; }
  const MeterInfo& info() const override { return info_; }
  Reading read() noexcept override {
    Reading reading;
    reading.at_ns = monotonic_ns();
    if (fails && fails()) {
      reading.status = ReadStatus::failed;
      return reading;
    }
    const std::int64_t step = nanoseconds(info_.update);
    const std::int64_t shown = reading.at_ns / step * step;
    reading.raw =
        static_cast<std::uint64_t>(static_cast<double>(shown) * 1e-3 * power_.value) % *info_.range;
    ++reads;
    return reading;
  }
  std::function<bool()> fails;
  std::size_t reads = 0;

 private:
  MeterInfo info_;
  Watts power_;
};

}  // namespace prengdl
