// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace prengdl {

/// Hours since midnight of a time stamp such as "2026-11-16T10:20:30Z" or "16.11.2026 10:20", as
/// written: time zones are not looked at.
std::optional<double> hour_of_day(std::string_view stamp);

/// The arc of the day in which the shares of two samples differ most (Kuiper 1960: no hour is the
/// first of the day), and p that two samples of the same hours differ as much.
struct DayDifference {
  double from = 0;  // hours; the arc may pass midnight
  double to = 0;
  double first = 0;  // share of the first sample in the arc; the larger one
  double second = 0;
  double p = 1;
};
DayDifference day_difference(std::span<const double> first, std::span<const double> second);

/// The mean hour on the circle of the day; nothing if the hours cancel each other out.
std::optional<double> mean_hour(std::span<const double> hours);

/// Values in the order of time, each a row of one or more residuals about the mean of its group,
/// and which of them are neighbours in time.
struct SerialValues {
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> group;
  std::vector<std::pair<std::size_t, std::size_t>> neighbours;
};

struct SerialCorrelation {
  double correlation = 0;  // of neighbours, less what independent values show
  double p = 1;            // one-sided: that independent values go together as much
};

/// p by shuffling rows within groups, beyond 5000 rows by the normal distribution. Groups without
/// spread are left out; nothing if fewer than eight pairs of neighbours remain.
std::optional<SerialCorrelation> serial_correlation(const SerialValues& values,
                                                    unsigned shuffles = 1999);

}  // namespace prengdl
