// SPDX-License-Identifier: Apache-2.0
#include "run/power_now.h"

#include <algorithm>

#include "base/clock.h"
#include "model/totals.h"

namespace prengdl {
namespace {

constexpr std::int64_t window_ns = 1'000'000'000;
constexpr Seconds shortest{0.2};

}  // namespace

void PowerNow::add(std::span<const Sample> samples) {
  for (const auto& [reading, meter] : samples) {
    if (meter >= slots_.size() || reading.status != ReadStatus::ok) continue;
    Slot& slot = slots_[meter];
    slot.last = reading;
    if (!slot.from) {
      slot.from = slot.next = reading;
    } else if (reading.at_ns - slot.next->at_ns >= window_ns) {
      slot.from = slot.next;
      slot.next = reading;
    }
  }
}

std::optional<Watts> PowerNow::power_of(std::size_t meter) const {
  const MeterInfo& info = *meters_[meter];
  const Slot& slot = slots_[meter];
  if (!slot.last) return std::nullopt;
  if (info.kind == Kind::gauge)
    return Watts{static_cast<double>(static_cast<std::int64_t>(slot.last->raw)) * info.step};
  const Seconds time = seconds_between(slot.from->at_ns, slot.last->at_ns);
  if (time < std::max(shortest, 2 * info.update)) return std::nullopt;
  const auto energy = energy_between(info, *slot.from, *slot.last);
  return energy ? std::optional(*energy / time) : std::nullopt;
}

std::optional<Power> PowerNow::get() const {
  std::vector<MeterEnergy> of_one_second;
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    const MeterInfo& info = *meters_[i];
    if (!is_energy(info) || info.counted == Counted::channel) continue;
    const auto watts = power_of(i);
    of_one_second.push_back(
        {&info,
         watts ? std::optional(Energy{*watts * Seconds{1}, {}, info.quality}) : std::nullopt});
  }
  const auto metered = total(of_one_second).metered;
  if (!metered) return std::nullopt;
  return Power{metered->value / Seconds{1}, metered->quality};
}

}  // namespace prengdl
