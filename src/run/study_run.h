// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "meters/meter.h"
#include "model/result.h"
#include "run/design.h"
#include "run/environments.h"
#include "run/guardian.h"
#include "run/power_now.h"
#include "run/process.h"
#include "run/sample_log.h"

namespace prengdl {

/// Where the runs of a study go. `cli` plugs the store in.
class RunKeeper {
 public:
  virtual ~RunKeeper() = default;

  /// The run is safe on disk when this returns.
  virtual void keep(const StoredRun& run, const SampleLog& samples) = 0;

  /// Something happened to the study: kinds as in StudyEvent.
  virtual void note(const std::string& kind, const std::string& detail) = 0;

  /// Asked between blocks, if the study may stop early: why this unit (of StudySettings) is
  /// decided; nothing: it goes on.
  virtual std::optional<std::string> may_stop(std::size_t unit) = 0;
};

/// An attempt at a place of the plan.
struct Tried {
  std::string run;  // its id
  Outcome outcome = Outcome::ok;
  bool disturbed = false;
};

/// The next attempt that a place is due.
struct DueAttempt {
  std::size_t attempt = 0;
  std::optional<std::string> repeats;  // the disturbed run
};

/// What a place is due after these attempts, in their order, by the study's policies of retrying
/// and repeating; nothing when it is done. The same before and after a kill. Failures among the
/// first `forgiven` attempts do not count.
std::optional<DueAttempt> due_attempt(const Study& study, const Cell& cell,
                                      const std::vector<Tried>& tries, std::size_t forgiven = 0);

/// Whether others used the processor while it ran.
bool is_disturbed(const StoredRun& run);

/// "b0003-p000017-t0-1f9c04aa": block, place and attempt, and a random word that makes it unique.
std::string new_run_id(std::size_t block, std::size_t place, std::size_t attempt);

/// How a study goes on, for the progress line.
struct StudyProgress {
  std::string doing;  // "running", "waiting for a quiet machine", ...
  std::string what;   // the cell
  std::size_t block = 0;
  std::size_t blocks = 0;
  std::size_t done = 0;  // of `planned`
  std::size_t planned = 0;
  std::size_t failures = 0;
  Joules energy{};                   // of all runs of this result so far
  std::optional<Quality> quality;    // of that energy: the worst of its parts
  std::optional<Power> power;        // now, while a run goes on; its mean when it has ended
  std::optional<Seconds> time_left;  // of this start, by the time that its runs took so far
  std::string ended;                 // the id of the run that was just stored, else empty
  bool is_profile = false;           // no run of the plan: it comes after them
};

struct StudySettings {
  std::filesystem::path root = "/";
  std::filesystem::path result;
  bool as_root = false;  // the workloads run as root, by --as-root
  int signals = -1;
  std::string machine;                          // fingerprint
  std::vector<std::vector<std::size_t>> units;  // of cells, as Design gives them
  std::size_t most_blocks = SIZE_MAX;           // to be made in this start
  bool retry_failed = false;                    // places whose last attempt failed get another
  /// Of each place of the plan, what is stored already.
  std::map<std::size_t, std::vector<Tried>> places;
  Joules energy_before{};                 // of the runs that are stored already
  std::optional<Quality> quality_before;  // of that energy
  Seconds time_before{};                  // that they and the waits before them took
  std::size_t failures_before = 0;
  /// What a cell asks to run in, which is there: whoever calls has looked. Not called for cells
  /// that ask for nothing.
  std::function<const EnvironmentSite&(const EnvironmentChoice&)> environment;
  std::filesystem::path data;  // directory of the data sets
  std::function<void(const StudyProgress&)> progress;
  std::function<std::vector<unsigned>()> gpu_processes;  // see AttemptSettings
  /// Where the cProfile dump of a cell goes. If given, each cell that has none is run once more
  /// under the profiler after the measured runs; such runs are kept, flagged, and never counted.
  std::function<std::filesystem::path(const Cell&)> profile;
};

/// How a start of `run` ended.
struct StudyEnd {
  enum class Why { complete, stopped_early, interrupted, budget };
  Why why = Why::complete;
  std::string detail;
  std::size_t done = 0;
  std::size_t failures = 0;
  std::vector<std::string> given_up;      // names of cells that failed again and again
  std::vector<std::string> unprofiled;    // names of cells that could not be profiled, and why
  std::vector<std::string> not_restored;  // settings of the machine that stay changed, and why
};

/// The runs of the plan that this start is to make, in their order: those that are not done, of at
/// most `most_blocks` blocks.
std::vector<PlannedRun> due_runs(const Study& study, const std::vector<PlannedRun>& plan,
                                 const std::vector<Cell>& cells, const StudySettings& settings);

/// Runs what is left of the plan, in its order, and hands every run to the keeper. Throws when the
/// study itself cannot go on (a full disk, no permission for the settings); a workload that fails
/// is an outcome, not an error.
StudyEnd run_study(const Study& study, const std::vector<PlannedRun>& plan,
                   const std::vector<Cell>& cells, const StudySettings& settings,
                   const Meters& meters, Clock& clock, RunKeeper& keeper);

}  // namespace prengdl
