// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/meter_info.h"
#include "model/run.h"
#include "model/study.h"

namespace prengdl {

/// What became of a run that was started.
enum class Outcome { ok, failed, timeout, out_of_memory, missing_output, interrupted };

std::string_view name_of(Outcome outcome);

/// One execution of a cell with all that is kept of it. Immutable once it is stored.
struct StoredRun {
  std::string id;  // unique in the world: "b0003-p0017-t0-1f9c04aa"
  Cell cell;
  std::size_t block = 0;    // from 0
  std::size_t place = 0;    // in the order of the whole study, from 0
  std::size_t attempt = 0;  // 0, then 1.. for retries and repeats of the same place
  bool is_warmup = false;
  std::uint64_t seed = 0;  // handed to the workload
  Outcome outcome = Outcome::ok;
  std::string machine;                 // fingerprint of the machine it ran on
  std::optional<std::string> repeats;  // id of the disturbed run that this one repeats
  Run run;
  std::vector<MeterInfo> meters;  // by the samples' meter index
  std::string log_tail;
  std::optional<std::string> excluded;  // why; set by `exclude`, not part of the immutable record
};

/// For people, of a run that is not ok: "exit status 3", "signal 9 (SIGKILL)", "timeout after 5 s".
std::string failure_of(const StoredRun& run);

/// What a result directory says of itself.
struct StudyRecord {
  std::string name;
  std::string text;  // the study file as it was run, with its includes
  std::string preset;
  std::vector<Factor> factors;
  std::size_t planned_runs = 0;  // without warm-ups
  std::size_t blocks = 0;        // 0: the runs were imported and have none
  std::uint64_t seed = 0;
  std::string prengdl_version;
  std::string created_at;
  std::string registered;  // by registered_text(); empty: the analysis was not registered
  std::vector<std::pair<std::string, std::string>> locks;  // environment, text of its lock
};

/// A machine that runs were made on.
struct MachineRecord {
  std::string fingerprint;
  Machine facts;
};

/// What people call a machine: its host name, or the fingerprint if that is not known or if several
/// machines share it.
std::string shown_name(const std::vector<MachineRecord>& machines, const std::string& fingerprint);

/// What a cluster's own accounting says of a run: a second witness, which covers the whole node and
/// a little more time than the run.
struct SiteEnergy {
  std::string run;
  std::string source;  // "slurm: acct_gather_energy"
  Joules energy{};
};

/// What can happen to a study besides its runs. The words are stored and shown.
enum class StudyEventKind {
  start,
  resume,
  end,
  stop_early,       // by the study's rule
  give_up,          // on a cell that failed again and again
  budget,           // used up
  failed,           // stopped at a failure
  interrupted,      // by the user
  planned,          // how many runs a start was to make
  replanned,        // more or fewer runs of each cell than before
  aa,               // made of this machine, or why not
  environment,      // that cells ran in
  import_runs,      // made elsewhere
  refused,          // a cell that this machine cannot run
  profile,          // made of a cell
  band,             // of a quiet machine, widened
  restored,         // settings of the machine, after a killed start
  not_restored,     // settings that stay changed
  settings_failed,  // the machine could not be set as the study asks
  submitted,        // jobs, to a cluster
  job_lost,         // a job of a cluster that will not end by itself; its blocks are due again
  late_run,         // by a job that was lost: kept, not counted
  scheduler_away,   // a cluster's scheduler does not answer, or answers again
  node_excluded,    // jobs were lost on it
  clock,            // of a node, that differs from the file system's
  cancelled         // all jobs, by the user
};
std::string_view name_of(StudyEventKind kind);

struct StudyEvent {
  std::string at;  // wall clock
  StudyEventKind kind{};
  std::string detail;
  std::string cell{};  // the name of the cell that it is about; empty: the study
};

/// "pytorch bert: requires 64 GB of memory".
std::string text_of(const StudyEvent& event);

}  // namespace prengdl
