// SPDX-License-Identifier: Apache-2.0
#include "model/look.h"

#include <algorithm>
#include <iterator>

#include "base/parse.h"

namespace prengdl {

CurrentPlan current_plan(const StudyRecord& record, const std::vector<StudyEvent>& events) {
  CurrentPlan plan{record.planned_runs, record.blocks};
  if (record.blocks == 0) return plan;
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const StudyEvent& event) {
    return event.kind == StudyEventKind::planned;
  });
  if (last == events.rend()) return plan;
  const auto runs = parse_integer(last->detail);
  const auto refused = std::count_if(events.rbegin(), last, [](const StudyEvent& event) {
    return event.kind == StudyEventKind::refused;
  });
  const std::size_t cells = record.planned_runs / record.blocks;
  const auto left_out = static_cast<std::size_t>(refused);
  if (!runs || *runs < 0 || left_out >= cells) return plan;
  plan.runs = static_cast<std::size_t>(*runs);
  plan.blocks = plan.runs / (cells - left_out);
  return plan;
}

void MadeRuns::add(const StoredRun& run) {
  if (run.is_warmup) return;
  ++runs_;
  places_[run.block].insert(run.place);
}

std::optional<Look> MadeRuns::look(const CurrentPlan& plan, const std::string& by,
                                   const std::string& at) const {
  if (runs_ == 0 || plan.blocks == 0) return std::nullopt;
  const std::size_t cells = plan.runs / plan.blocks;
  std::size_t places = 0;
  std::size_t whole = 0;
  for (const auto& [block, made] : places_) {
    places += made.size();
    whole += made.size() >= cells;
  }
  if (places >= plan.runs) return std::nullopt;
  return Look{at, by, runs_, whole, plan.blocks};
}

std::vector<Look> looks_before(const std::vector<Look>& looks, std::size_t runs) {
  std::vector<Look> before;
  std::copy_if(looks.begin(), looks.end(), std::back_inserter(before),
               [&](const Look& look) { return look.runs < runs; });
  return before;
}

}  // namespace prengdl
