// SPDX-License-Identifier: Apache-2.0
#include "run/lanes.h"

#include <algorithm>

#include "model/totals.h"

namespace prengdl {
namespace {

/// Of several meters of the whole machine only the best one speaks (model/totals).
bool is_in_total(const Meter& meter, const std::vector<const MeterInfo*>& all) {
  const MeterInfo& info = meter.info();
  const auto domains = metered_domains(all);
  if (std::find(domains.begin(), domains.end(), info.domain) == domains.end()) return false;
  return info.counted != Counted::alone ||
         std::none_of(all.begin(), all.end(), [&](const MeterInfo* other) {
           return other->domain == info.domain && other->counted == Counted::alone &&
                  is_energy(*other) && other->quality < info.quality;
         });
}

void add_meters(const Meters& meters, Lanes& lanes) {
  for (const auto& meter : meters) {
    const MeterInfo& info = meter->info();
    const bool is_quick = !info.may_block && info.counted != Counted::channel;
    (is_quick ? lanes.quick : lanes.patient)
        .push_back({meter.get(), static_cast<std::uint16_t>(lanes.infos.size())});
    lanes.infos.push_back(&info);
  }
}

}  // namespace

Lanes lanes_of(const Meters& meters, const Meters& tree, Seconds interval) {
  Lanes lanes;
  add_meters(meters, lanes);
  add_meters(tree, lanes);
  for (auto& sampled : lanes.patient)
    sampled.is_in_total = is_in_total(*sampled.meter, lanes.infos);
  check_interval(lanes.quick, interval);
  check_interval(lanes.patient, interval);
  return lanes;
}

}  // namespace prengdl
