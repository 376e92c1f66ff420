// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "meters/meter.h"
#include "model/run.h"
#include "run/attempt.h"

namespace prengdl {

struct Command {
  std::string label;
  std::vector<std::string> argv;
};

/// Several commands, each run several times: every block runs each command once in random order, so
/// that drift hits all alike and runs of one block are pairs.
struct Series {
  std::vector<Command> commands;
  std::size_t runs = 1;
  std::size_t warmup = 0;
  std::optional<Seconds> settle;
  std::optional<Seconds> idle;
  std::uint64_t seed = 0;
  bool ignore_failure = false;
  AttemptSettings attempt;
};

/// The order of one block: a permutation of the commands' places, the same for the same seed on
/// every machine.
std::vector<std::size_t> block_order(std::uint64_t seed, std::size_t block, std::size_t commands);

/// What happens while a series runs, for a progress line and a log.
struct SeriesEvents {
  std::function<void(const std::string& what)> waiting;  // idle baseline, settling, warm-up
  std::function<void(std::size_t command, std::size_t done, Seconds elapsed)> running;
  std::function<void(std::size_t command, const Run& run, std::size_t done)> finished;
};

struct SeriesResult {
  std::vector<std::vector<Run>> runs;  // by command, in the order of blocks
  bool interrupted = false;
  bool failed = false;  // stopped at a command that failed
};

/// Runs the series. Stops after an interrupt or a failure and keeps what was measured.
SeriesResult run_series(const Series& series, const Meters& meters, Clock& clock,
                        const SeriesEvents& events);

}  // namespace prengdl
