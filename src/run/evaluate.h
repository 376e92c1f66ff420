// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/baseline.h"
#include "model/run.h"
#include "run/sample_log.h"

namespace prengdl {

/// What is needed to turn samples into the figures of a run.
struct Evaluation {
  const std::vector<const MeterInfo*>& meters;  // by the samples' meter index
  const SampleLog& samples;
  std::int64_t gate_ns{};   // the workload cannot have begun before,
  std::int64_t begin_ns{};  // but when it was seen to
  std::int64_t end_ns{};
  Seconds interval{};
  const std::optional<Baseline>& baseline;

  /// Of a run whose end was seen late: it lies between two moments at which something was read.
  struct UnsureEnd {
    std::int64_t alive_ns{};
    std::int64_t read_ns{};
  };
  std::optional<UnsureEnd> unsure_end{};
};

/// Fills energy, net, channels and spans, and says in warnings which meter gave nothing.
void evaluate(const Evaluation& evaluation, const Emitted& emitted, Run& run);

/// The shortest window over which the energy of this meter can be distinguished from its samples.
Seconds shortest_window(const MeterInfo& info, Seconds interval);

}  // namespace prengdl
