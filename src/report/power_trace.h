// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/meter_info.h"
#include "model/reading.h"

namespace prengdl {

/// Keeps of a series, however long, the mean, the lowest and the highest value of each of some
/// buckets of time: a peak of a single sample survives. Memory is that of the buckets.
class MinMaxSeries {
 public:
  struct Point {
    double x = 0;
    double y = 0;  // the mean of a bucket
    double low = 0, high = 0;
  };

  /// `x` from `begin` to `end`; what lies outside goes to the nearest bucket.
  MinMaxSeries(double begin, double end, std::size_t buckets);

  /// In ascending order of x.
  void add(double x, double y);

  /// Ascending in x. As many as were added where those are at most two a bucket.
  std::vector<Point> points() const;
  std::uint64_t added() const { return added_; }

 private:
  struct Bucket {
    double x = 0, y = 0;  // sums
    double low = 0, high = 0;
    std::uint64_t count = 0;
  };
  double begin_;
  double width_;
  std::vector<Bucket> buckets_;
  std::vector<Point> all_;  // until there are too many
  std::uint64_t added_ = 0;
  double first_ = 0, last_ = 0;
};

/// Watts of a run over time from its samples: the sum of the meters that count as its energy.
class PowerTrace {
 public:
  /// Times are seconds since `begin_ns`; of the meters those are taken whose domain is in `covers`.
  PowerTrace(const std::vector<MeterInfo>& meters, const std::vector<std::string>& covers,
             std::int64_t begin_ns, double seconds, std::size_t buckets);

  /// In the order in which they were taken.
  void add(std::uint16_t meter, const Reading& reading);
  void finish();

  const MinMaxSeries& series() const { return series_; }
  /// The domains that samples were there of.
  std::vector<std::string> covered() const;

 private:
  struct Source {
    const MeterInfo* info = nullptr;  // null: not taken
    bool has_watts = false;
    bool is_fresh = false;  // read since the last point
    double watts = 0;
    std::optional<Reading> last;  // of a counter
  };
  void put();

  std::vector<Source> sources_;
  std::int64_t begin_ns_;
  std::int64_t at_ns_ = 0;
  std::optional<std::int64_t> first_ns_;  // where the first step of a counter begins
  MinMaxSeries series_;
};

}  // namespace prengdl
