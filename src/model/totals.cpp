// SPDX-License-Identifier: Apache-2.0
#include "model/totals.h"

#include <algorithm>
#include <set>

namespace prengdl {
namespace {

Energy sum(const Energy& a, const Energy& b) {
  return {a.value + b.value, a.uncertainty + b.uncertainty, std::max(a.quality, b.quality)};
}

bool is_reported(const MeterInfo& meter) {
  return is_energy(meter) && meter.counted != Counted::channel &&
         meter.counted != Counted::duplicate && meter.counted != Counted::not_allocated;
}

}  // namespace

std::vector<std::string> metered_domains(const std::vector<const MeterInfo*>& meters) {
  const auto domains_of = [&](Counted counted) {
    std::set<std::string> domains;
    for (const auto* meter : meters)
      if (is_energy(*meter) && meter->counted == counted) domains.insert(meter->domain);
    return domains;
  };
  std::set<std::string> parts = domains_of(Counted::yes);
  if (auto platform = domains_of(Counted::platform);
      !parts.contains("package") && !platform.empty()) {
    parts.erase("dram");  // inside the platform
    parts.merge(platform);
  }
  if (parts.empty()) parts = domains_of(Counted::alone);
  return {parts.begin(), parts.end()};
}

Totals total(const std::vector<MeterEnergy>& energies) {
  Totals totals;
  std::set<std::string> incomplete;
  std::vector<const MeterInfo*> meters;
  for (const auto& [meter, energy] : energies) {
    if (!is_reported(*meter)) continue;
    meters.push_back(meter);
    if (!energy) {
      // Meters of the whole machine are alternatives, all others are parts of a sum.
      if (meter->counted != Counted::alone) incomplete.insert(meter->domain);
      continue;
    }
    const auto [place, is_first] = totals.domains.try_emplace(meter->domain, *energy);
    if (is_first) continue;
    // Two meters of the whole machine see the same joules: the better one speaks.
    if (meter->counted != Counted::alone)
      place->second = sum(place->second, *energy);
    else if (energy->quality < place->second.quality)
      place->second = *energy;
  }
  for (const auto& domain : incomplete) totals.domains.erase(domain);

  totals.covers = metered_domains(meters);
  for (const auto& domain : totals.covers) {
    const auto part = totals.domains.find(domain);
    if (part == totals.domains.end()) {
      totals.metered.reset();
      return totals;
    }
    totals.metered = totals.metered ? sum(*totals.metered, part->second) : part->second;
  }
  return totals;
}

}  // namespace prengdl
