// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/event.h"
#include "model/flag.h"
#include "model/totals.h"

namespace prengdl {

/// What a channel showed on average over a span.
struct ChannelMean {
  std::string name;
  double mean{};
};

/// Energy of a span; a domain whose meters cannot resolve so short a window is not in it, and
/// channels are there only where energy is.
struct SpanEnergy {
  Span span;
  Totals energy;
  std::vector<ChannelMean> channels;
};

/// A channel over the run's window.
struct ChannelSummary {
  std::string name;
  Unit unit{};
  double mean{};
  double lowest{};
  double highest{};
};

/// How CPU time was shared while a run lasted. What the workload and prengdl did is in the
/// kernel for each; the rest is the others'.
struct CpuShares {
  Seconds workload{};
  Seconds own{};
  std::optional<Seconds> others;
  std::optional<Seconds> stolen;  // by the hypervisor
};

/// How long some task had to wait for a resource while a run lasted (the kernel's PSI), and how
/// busy the machine was before it.
struct Pressure {
  std::optional<Seconds> cpu;
  std::optional<Seconds> memory;
  std::optional<Seconds> io;
  std::optional<double> load_before;  // one-minute average
};

/// The wait for a quiet machine before a run.
struct Settling {
  Seconds took{};
  bool settled = false;
};

/// One execution of a command and all that was measured of it.
struct Run {
  std::size_t block = 0;
  std::size_t order = 0;  // place within all runs

  std::optional<int> exit_code;
  std::optional<int> signal;
  bool timed_out = false;
  bool interrupted = false;

  Seconds wall{};    // as `time` counts it: from the start of the exec until the exit was seen
  Seconds window{};  // what energy is counted over: from the loaded program to its exit
  std::int64_t begin_ns = 0;  // of the window
  std::string started_at;     // wall clock, for the record only
  Seconds user{};             // CPU time; both are 0 if nobody counted it, as in some imported runs
  Seconds system{};
  std::uint64_t max_rss_bytes = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;

  Totals energy;
  std::optional<Totals> net;  // less the idle baseline
  std::vector<ChannelSummary> channels;
  CpuShares cpu;
  Pressure pressure;
  std::optional<Settling> settling;

  std::uint64_t samples = 0;
  std::uint64_t missed_samples = 0;
  std::uint64_t late_samples = 0;
  Flags flags;
  std::vector<std::string> warnings;     // sentences for people
  std::vector<std::string> left_behind;  // names of processes that had to be ended
  std::string output_tail;               // of a command that failed and whose output was hidden

  std::vector<SpanEnergy> spans;
  std::vector<Metric> metrics;
  std::vector<Work> work;
  std::vector<EmittedFact> facts;
};

inline bool succeeded(const Run& run) {
  return run.exit_code == 0 && !run.timed_out && !run.interrupted;
}

/// "disturbed: other processes or the host used CPU time (3 of 20 runs)", one for each flag that
/// any of the runs has; without the count if there is a single run.
std::vector<std::string> flag_lines(const std::vector<const Run*>& runs);

}  // namespace prengdl
