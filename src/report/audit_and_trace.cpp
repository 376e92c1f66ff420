// SPDX-License-Identifier: Apache-2.0
//
// What needs the samples of a result: its audit, and power over time. They are read once.
#include <algorithm>
#include <map>

#include "report/gather.h"
#include "report/power_trace.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// Points of power that a page can hold and a reader can use, over all runs; and of one run.
constexpr std::size_t points_of_all = 120000;
constexpr std::size_t fewest_buckets = 12;
constexpr std::size_t most_buckets = 1000;  // as wide as a chart

class Tracer {
 public:
  explicit Tracer(GatheredReport& into) : into_(into) {
    std::size_t sampled = 0;
    const Thinning thinning = thinning_of(into.input);
    for (const auto& one_case : into.input.cases)
      for (std::size_t i = 0; i < one_case.levels.size(); ++i)
        for (const std::size_t place : thinning.shown(one_case.levels[i].size())) {
          const auto* run = one_case.levels[i][place];
          places_[run->id] = {case_label(into.found.study, one_case.cell), into.input.levels[i]};
          if (run->run.samples > 0) ++sampled;
        }
    buckets_ = std::clamp(points_of_all / 3 / std::max<std::size_t>(sampled, 1), fewest_buckets,
                          most_buckets);
  }

  bool wants(const StoredRun& run) const {
    return places_.contains(run.id) && !done_.contains(run.id) && run.run.energy.metered;
  }

  PowerTrace begin(const StoredRun& run) const {
    return {run.meters, run.run.energy.covers, run.run.begin_ns, run.run.window.count(), buckets_};
  }

  void end(const StoredRun& run, PowerTrace& trace) {
    done_[run.id] = true;
    trace.finish();
    const auto points = trace.series().points();
    if (points.size() < 2) return;
    PowerSeries series;
    series.run = run.id;
    series.case_name = places_[run.id].first;
    series.level = places_[run.id].second;
    series.covers = trace.covered();
    series.samples = trace.series().added();
    for (const auto& point : points) {
      series.seconds.push_back(point.x);
      series.watts.push_back(point.y);
      series.low.push_back(point.low);
      series.high.push_back(point.high);
    }
    if (series.low == series.high) {
      series.low.clear();
      series.high.clear();
    }
    const auto since = [&](std::int64_t at) {
      return static_cast<double>(at - run.run.begin_ns) * 1e-9;
    };
    // Of thousands of steps nobody can see one: as many spans as there are buckets.
    if (run.run.spans.size() <= buckets_)
      for (const auto& span : run.run.spans)
        series.spans.push_back(
            {span.span.span, span.span.name, since(span.span.begin_ns), since(span.span.end_ns)});
    traces_[run.id] = std::move(series);
  }

  /// In the order of the cases and levels.
  void hand_over() {
    for (const auto& one_case : into_.input.cases)
      for (const auto& runs : one_case.levels)
        for (const auto* run : runs)
          if (const auto found = traces_.find(run->id); found != traces_.end())
            into_.input.power.push_back(std::move(found->second));
  }

 private:
  GatheredReport& into_;
  std::size_t buckets_ = most_buckets;
  std::map<std::string, std::pair<std::string, std::string>> places_;  // of a run: case, level
  std::map<std::string, bool> done_;
  std::map<std::string, PowerSeries> traces_;
};

}  // namespace

void audit_and_trace(const ResultStore& store, GatheredReport& into) {
  Tracer tracer(into);
  AuditInput audited = audit_input(store, into.found);
  for (const auto& one : into.input.profiles)
    if (!one.cell.empty()) audited.profiles.push_back(calls_of(one.cell, one.cost.profile));
  audited.samples = [&](const StoredRun& run, const TakeReading& take) {
    if (!tracer.wants(run)) return store.samples(run.id, take);
    PowerTrace trace = tracer.begin(run);
    store.samples(run.id, [&](std::uint16_t meter, const Reading& reading) {
      trace.add(meter, reading);
      take(meter, reading);
    });
    tracer.end(run, trace);
  };
  audited.runs = std::move(into.found.runs);  // lent, for they may be many
  into.input.audit = audit(audited);
  into.found.runs = std::move(audited.runs);
  for (const auto& run : into.found.runs)  // that the audit did not look at
    if (run.run.samples > 0 && tracer.wants(run)) {
      PowerTrace trace = tracer.begin(run);
      store.samples(
          run.id, [&](std::uint16_t meter, const Reading& reading) { trace.add(meter, reading); });
      tracer.end(run, trace);
    }
  tracer.hand_over();
}

}  // namespace prengdl
