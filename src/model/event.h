// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prengdl {

/// What a workload said while it ran (docs/reference/events.md).
struct Event {
  enum class Type { begin, end, metric, work, fact };
  std::int64_t at_ns{};
  Type type{};
  std::string span;  // begin, end
  std::string name;  // of the span's instance, the metric or the work
  double value{};    // metric, work
  std::string text;  // fact
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> pid, tid, id;  // tell concurrent spans apart
};

/// A stretch of a run that the workload named.
struct Span {
  std::string span;
  std::string name;
  std::int64_t begin_ns{};
  std::int64_t end_ns{};
};

/// A figure that the workload emitted: accuracy, loss.
struct Metric {
  std::string name;
  double value{};
  std::int64_t at_ns{};
  std::optional<std::int64_t> step;
};

/// Work done: samples, tokens, inferences.
struct Work {
  std::string name;
  double value{};
};

/// What the workload said of itself: a version, its batch size, its precision.
struct EmittedFact {
  std::string name;
  std::string value;
};

/// The events of a run put together, and what was wrong with them in words.
struct Emitted {
  std::vector<Span> spans;  // in the order in which they began
  std::vector<Metric> metrics;
  std::vector<Work> work;          // summed by name
  std::vector<EmittedFact> facts;  // by name; of one emitted twice, the last
  std::vector<std::string> warnings;
};

/// Matches each end with the latest open begin of the same span, name, pid, tid and id. What does
/// not match, is never closed or lies outside the run costs itself, with a warning.
Emitted put_together(const std::vector<Event>& events, std::int64_t run_begin_ns,
                     std::int64_t run_end_ns);

}  // namespace prengdl
