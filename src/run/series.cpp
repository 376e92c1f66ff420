// SPDX-License-Identifier: Apache-2.0
#include "run/series.h"

#include <numeric>
#include <random>

#include "base/limits.h"
#include "run/baseline.h"
#include "run/python_path.h"
#include "run/signal_descriptor.h"

namespace prengdl {
namespace {

/// The series while it runs.
class Runner {
 public:
  Runner(const Series& series, const Meters& meters, Clock& clock, const SeriesEvents& events)
      : series_(series),
        meters_(meters),
        clock_(clock),
        events_(events),
        launch_(series.attempt.launch) {
    result_.runs.resize(series.commands.size());
    if (const auto package = python_package_directory())
      append_to_python_path(launch_, *package, own_python_path());
  }

  SeriesResult run() {
    const std::size_t commands = series_.commands.size();
    for (std::size_t i = 0; i < series_.warmup * commands && !stopped(); ++i) {
      say("warming up");
      const Run run = once(i % commands, std::nullopt);
      if (!succeeded(run) && !series_.ignore_failure) keep(i % commands, run);
    }
    for (std::size_t block = 0; block < series_.runs && !stopped(); ++block) {
      std::optional<Baseline> baseline;
      if (series_.idle) {
        say("measuring the idle machine");
        baseline = measure_baseline(meters_, *series_.idle, clock_, [&] { return interrupted(); });
      }
      for (const std::size_t command : block_order(series_.seed, block, commands)) {
        if (stopped()) break;
        std::optional<Settling> settling;
        if (series_.settle) {
          say("waiting for a quiet machine");
          settling = settle(meters_, baseline, *series_.settle, series_.attempt.root, clock_,
                            [&] { return interrupted(); });
          if (stopped()) break;
        }
        Run run = once(command, baseline);
        run.block = block;
        run.settling = settling;
        if (settling && !settling->settled) run.flags.emplace_back("not-settled");
        keep(command, run);
      }
    }
    return std::move(result_);
  }

 private:
  bool interrupted() {
    result_.interrupted = result_.interrupted || signal_waits(series_.attempt.signals);
    return result_.interrupted;
  }
  bool stopped() { return interrupted() || result_.failed; }

  void say(const std::string& what) const {
    if (events_.waiting) events_.waiting(what);
  }

  Run once(std::size_t command, const std::optional<Baseline>& baseline) {
    AttemptSettings settings = series_.attempt;
    settings.launch = launch_;
    settings.launch.argv = series_.commands[command].argv;
    settings.number = done_;
    const auto progress = [&](Seconds elapsed, const std::optional<Power>&) {
      if (events_.running) events_.running(command, done_, elapsed);
    };
    Run run = attempt(settings, meters_, baseline, progress);
    run.order = done_;
    if (run.interrupted) result_.interrupted = true;
    return run;
  }

  void keep(std::size_t command, const Run& run) {
    result_.runs[command].push_back(run);
    ++done_;
    if (!succeeded(run) && !run.interrupted && !series_.ignore_failure) result_.failed = true;
    if (events_.finished) events_.finished(command, run, done_);
  }

  const Series& series_;
  const Meters& meters_;
  Clock& clock_;
  const SeriesEvents& events_;
  Launch launch_;  // of all commands
  SeriesResult result_;
  std::size_t done_ = 0;
};

}  // namespace

std::vector<std::size_t> block_order(std::uint64_t seed, std::size_t block, std::size_t commands) {
  if (commands == 1) return {0};
  // Fisher and Yates by hand: std::shuffle may differ between libraries, and the order must be
  // the same wherever the seed is used again.
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(block)};
  std::mt19937_64 generator(words);
  std::vector<std::size_t> order(commands);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = commands; i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  return order;
}

SeriesResult run_series(const Series& series, const Meters& meters, Clock& clock,
                        const SeriesEvents& events) {
  require_open_files();
  return Runner(series, meters, clock, events).run();
}

}  // namespace prengdl
