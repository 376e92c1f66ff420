// SPDX-License-Identifier: Apache-2.0
#include "report/power_trace.h"

#include <algorithm>
#include <set>

#include "model/energy.h"

namespace prengdl {
namespace {

// A counter that is read faster than it counts shows no power, then twice of it: its steps are
// waited for, but not for longer than this.
constexpr std::int64_t longest_wait_ns = 1'000'000'000;

}  // namespace

MinMaxSeries::MinMaxSeries(double begin, double end, std::size_t buckets)
    : begin_(begin),
      width_(std::max(end - begin, 1e-9) / static_cast<double>(std::max<std::size_t>(buckets, 1))),
      buckets_(std::max<std::size_t>(buckets, 1)) {}

void MinMaxSeries::add(double x, double y) {
  if (added_++ == 0) first_ = x;
  last_ = x;
  if (added_ <= 2 * buckets_.size())
    all_.push_back({x, y, y, y});
  else
    all_.clear();
  const double place =
      std::clamp((x - begin_) / width_, 0.0, static_cast<double>(buckets_.size() - 1));
  Bucket& bucket = buckets_[static_cast<std::size_t>(place)];
  bucket.low = bucket.count == 0 ? y : std::min(bucket.low, y);
  bucket.high = bucket.count == 0 ? y : std::max(bucket.high, y);
  bucket.x += x;
  bucket.y += y;
  ++bucket.count;
}

std::vector<MinMaxSeries::Point> MinMaxSeries::points() const {
  if (added_ <= 2 * buckets_.size()) return all_;
  std::vector<Point> points;
  for (const auto& bucket : buckets_) {
    if (bucket.count == 0) continue;
    const auto count = static_cast<double>(bucket.count);
    points.push_back({bucket.x / count, bucket.y / count, bucket.low, bucket.high});
  }
  // The line goes from the first sample to the last.
  points.front().x = first_;
  points.back().x = last_;
  return points;
}

PowerTrace::PowerTrace(const std::vector<MeterInfo>& meters, const std::vector<std::string>& covers,
                       std::int64_t begin_ns, double seconds, std::size_t buckets)
    : sources_(meters.size()), begin_ns_(begin_ns), series_(0, seconds, buckets) {
  for (std::size_t i = 0; i < meters.size(); ++i) {
    const bool counts = meters[i].counted == Counted::yes || meters[i].counted == Counted::alone ||
                        meters[i].counted == Counted::platform;
    if (is_energy(meters[i]) && counts &&
        std::find(covers.begin(), covers.end(), meters[i].domain) != covers.end())
      sources_[i].info = &meters[i];
  }
}

void PowerTrace::add(std::uint16_t meter, const Reading& reading) {
  if (meter >= sources_.size() || !sources_[meter].info || reading.status != ReadStatus::ok) return;
  Source& source = sources_[meter];
  // A meter that is read again begins the next tick.
  if (source.is_fresh) put();
  if (source.info->unit == Unit::watt) {
    source.watts = static_cast<double>(static_cast<std::int64_t>(reading.raw)) * source.info->step;
  } else {
    if (!source.last) {
      source.last = reading;
      return;
    }
    const auto passed = reading.at_ns - source.last->at_ns;
    const bool moved = reading.raw != source.last->raw;
    if (passed <= 0 || (!moved && passed < longest_wait_ns)) return;
    const auto joules = energy_between(*source.info, *source.last, reading);
    const auto since = source.last->at_ns;
    source.last = reading;
    if (!joules) return;
    source.watts = joules->value / (static_cast<double>(passed) * 1e-9);
    // A counter gives the mean since its last step, so the course begins there.
    if (!source.has_watts && (!first_ns_ || since < *first_ns_)) first_ns_ = since;
  }
  source.has_watts = source.is_fresh = true;
  at_ns_ = reading.at_ns;
}

void PowerTrace::put() {
  double watts = 0;
  bool is_any_fresh = false;
  for (auto& source : sources_) {
    if (!source.info || !source.has_watts) continue;
    watts += source.watts;
    is_any_fresh = is_any_fresh || source.is_fresh;
    source.is_fresh = false;
  }
  if (!is_any_fresh) return;
  const auto seconds = [&](std::int64_t at) { return static_cast<double>(at - begin_ns_) * 1e-9; };
  if (series_.added() == 0 && first_ns_) series_.add(seconds(*first_ns_), watts);
  series_.add(seconds(at_ns_), watts);
}

void PowerTrace::finish() { put(); }

std::vector<std::string> PowerTrace::covered() const {
  std::set<std::string> domains;
  for (const auto& source : sources_)
    if (source.info && source.has_watts) domains.insert(source.info->domain);
  return {domains.begin(), domains.end()};
}

}  // namespace prengdl
