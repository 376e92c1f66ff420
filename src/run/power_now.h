// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "model/meter_info.h"
#include "model/reading.h"
#include "run/sample_ring.h"

namespace prengdl {

struct Power {
  Watts watts{};
  Quality quality = Quality::chip;
};

/// What a run draws now, from its samples: the mean over the last second or two, for
/// the live page. Figures that are kept come from EnergyCurve.
class PowerNow {
 public:
  /// The meters by the samples' index; they must outlive this.
  explicit PowerNow(const std::vector<const MeterInfo*>& meters)
      : meters_(meters), slots_(meters.size()) {}

  void add(std::span<const Sample> samples);

  /// Of the domains that make up `metered`; nothing while one of them is not known.
  std::optional<Power> get() const;

 private:
  struct Slot {
    std::optional<Reading> from, next, last;
  };
  std::optional<Watts> power_of(std::size_t meter) const;

  const std::vector<const MeterInfo*>& meters_;
  std::vector<Slot> slots_;
};

}  // namespace prengdl
