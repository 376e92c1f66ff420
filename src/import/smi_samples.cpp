// SPDX-License-Identifier: Apache-2.0
//
// From the lines of nvidia-smi to the samples of a run.
#include <algorithm>

#include "base/clock.h"
#include "import/nvidia_smi.h"

namespace prengdl {

void spread_evenly(SmiLog& log, Seconds over) {
  for (auto& [meter, readings] : log.columns) {
    const auto n = static_cast<double>(readings.size());
    meter.period = over / n;
    for (std::size_t i = 0; i < readings.size(); ++i)
      readings[i].at_ns = nanoseconds(over * ((static_cast<double>(i) + 0.5) / n));
  }
}

void add_smi_log(ImportedRun& run, SmiLog&& log) {
  const std::size_t first = run.stored.meters.size();
  std::size_t count = 0;
  for (auto& column : log.columns) {
    run.stored.meters.push_back(std::move(column.meter));
    count += column.readings.size();
  }
  run.samples.reserve(run.samples.size() + count);
  // Line by line: with one GPU that is the order of time.
  std::size_t lines = 0;
  for (const auto& column : log.columns) lines = std::max(lines, column.readings.size());
  for (std::size_t line = 0; line < lines; ++line)
    for (std::size_t i = 0; i < log.columns.size(); ++i)
      if (line < log.columns[i].readings.size())
        run.samples.push_back(
            {static_cast<std::uint16_t>(first + i), log.columns[i].readings[line]});
  const auto by_time = [](const ImportedSample& a, const ImportedSample& b) {
    return a.reading.at_ns < b.reading.at_ns;
  };
  if (!std::is_sorted(run.samples.begin(), run.samples.end(), by_time))
    std::stable_sort(run.samples.begin(), run.samples.end(), by_time);
  for (auto& warning : log.warnings) run.stored.run.warnings.push_back(std::move(warning));
}

std::map<std::size_t, std::optional<double>> held_joules(const ImportedRun& run, std::size_t from,
                                                         Seconds interval) {
  struct Sum {
    double watts = 0;
    std::size_t known = 0;
    std::size_t all = 0;
  };
  const auto& meters = run.stored.meters;
  std::vector<Sum> sums(meters.size());
  for (const auto& [meter, reading] : run.samples) {
    if (meter < from || meters[meter].counted == Counted::channel) continue;
    Sum& sum = sums[meter];
    ++sum.all;
    if (reading.status != ReadStatus::ok) continue;
    // Divided: 5.24 W are stored as 5240 mW, and so become the double that 5.24 is.
    sum.watts += static_cast<double>(static_cast<std::int64_t>(reading.raw)) / 1000;
    ++sum.known;
  }
  std::map<std::size_t, std::optional<double>> stated;
  for (std::size_t i = from; i < meters.size(); ++i) {
    if (meters[i].counted == Counted::channel) continue;
    const auto n = static_cast<double>(sums[i].all);
    stated[i] = sums[i].known > 0
                    ? std::optional(sums[i].watts / static_cast<double>(sums[i].known) * n *
                                    interval.count())
                    : std::nullopt;
  }
  return stated;
}

}  // namespace prengdl
