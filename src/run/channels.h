// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/meter_info.h"
#include "model/reading.h"
#include "model/run.h"

namespace prengdl {

/// A channel's values over a window. Gauges: mean of the readings in it. Counters of seconds: their
/// rise over time, so that CPU seconds become busy CPUs.
class ChannelOfRun {
 public:
  ChannelOfRun(const MeterInfo& info, std::int64_t begin_ns, std::int64_t end_ns)
      : info_(info), begin_ns_(begin_ns), end_ns_(end_ns) {}

  void add(const Reading& reading);

  /// Nothing where no reading fell into the window.
  std::optional<ChannelSummary> summary() const;

 private:
  const MeterInfo& info_;
  std::int64_t begin_ns_;
  std::int64_t end_ns_;
  std::optional<Reading> last_;
  double weight_ = 0;
  double sum_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
};

/// A channel's means over many windows in one pass: what it summed up to by each of their ends.
class ChannelOfSpans {
 public:
  /// The ends of all windows, sorted; they must outlive this.
  ChannelOfSpans(const MeterInfo& info, const std::vector<std::int64_t>& times)
      : info_(info), times_(times), sums_(times.size()) {}

  void add(const Reading& reading);

  /// After the last reading, before the first question.
  void finish();

  /// From one of the times to another, by their places.
  std::optional<double> mean(std::size_t from, std::size_t to) const;

 private:
  struct Sum {
    double sum = 0;
    double weight = 0;
  };
  void answer_until(const Reading& reading);

  const MeterInfo& info_;
  const std::vector<std::int64_t>& times_;
  std::vector<Sum> sums_;
  Sum now_;
  std::size_t next_ = 0;
  std::optional<Reading> last_;
};

/// Several CPUs or GPUs with the same channel become one: mean of means, extremes of extremes.
std::vector<ChannelSummary> merged(const std::vector<ChannelSummary>& channels);

}  // namespace prengdl
