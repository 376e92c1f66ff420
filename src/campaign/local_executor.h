// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/executor.h"
#include "campaign/run_keeper.h"
#include "machine/controlled_machine.h"
#include "meters/meter.h"
#include "run/baseline.h"
#include "run/cell_run.h"
#include "run/guardian.h"

namespace prengdl {

struct LocalSettings {
  CellRunSettings cells;
  std::string machine;            // fingerprint; of runs that are kept nowhere it may be empty
  bool controls_machine = false;  // also restores what a killed run has left changed
  /// Asked before each run: whether the list ends here, as if the user had interrupted it between
  /// two runs. May be null.
  std::function<bool(const RunRequest&)> leaves_off{};
  /// Made before a run and destroyed after it, outside of what is measured. May be null.
  std::function<std::shared_ptr<void>(const RunRequest&)> beside{};
};

/// Makes runs on this machine, one after the other. What it is given must outlive it.
class LocalExecutor final : public Executor {
 public:
  /// Brings the machine to what the study wants. Throws an Error if that fails.
  LocalExecutor(const Study& study, const LocalSettings& settings, const Meters& meters,
                Clock& clock, RunKeeper& keeper);

  Execution make(const std::vector<RunRequest>& runs, const Protocol& protocol,
                 const ExecutorReports& reports) override;
  std::vector<std::string> finish() override;

 private:
  bool wants_to_stop();
  void measure_idle(const RunRequest& request, Seconds duration, const ExecutorReports& reports);
  std::optional<Settling> prepare_machine(const RunRequest& request, const Protocol& protocol,
                                          const ExecutorReports& reports);
  Settling wait_for_quiet(Seconds at_most);
  void run_control_load(const RunRequest& request, const Protocol& protocol);
  StoredRun execute(const RunRequest& request, const std::optional<Settling>& settling,
                    const ExecutorReports& reports);

  Study study_;
  const LocalSettings& settings_;
  const Meters& meters_;
  Clock& clock_;
  RunKeeper& keeper_;
  std::unique_ptr<ControlledMachine> machine_;  // null: nothing of it is changed
  std::optional<Guardian> guardian_;            // of studies: only they go on after a kill
  std::optional<Baseline> baseline_;
  std::optional<std::size_t> baseline_block_;
  double band_ = default_power_band;
  int misses_ = 0;
  bool is_interrupted_ = false;
};

}  // namespace prengdl
