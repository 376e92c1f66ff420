// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "campaign/live_file.h"
#include "cluster/cluster_state.h"
#include "environments/making.h"
#include "model/result.h"
#include "study/plan.h"
#include "tables/terminal.h"

namespace prengdl {

// The commands around `run`: plan, setup and status.

/// With `order` every run in its order, else only how many there are.
std::string plan_text(const Plan& plan, bool order, const Style& style);

std::string plan_json(const Plan& plan);  // prengdl.plan/2

/// The runs that a start of `run` would make, and the time they take if it is known.
std::string due_text(const Plan& plan, const std::vector<PlannedRun>& due,
                     const std::optional<Seconds>& time, const Style& style);

/// An environment that `setup` was asked for, and what became of it.
struct SetupRow {
  EnvironmentSite site;
  MadeEnvironment made;
  std::optional<Error> trouble;
};

/// A data set that a study needs, as the workloads tell it.
struct DataSetRow {
  std::string name;
  std::string origin;                 // where it comes from
  std::vector<std::string> problems;  // none: it is fine
};

struct DataReport {
  std::filesystem::path directory;
  std::vector<DataSetRow> sets;

  bool is_complete() const;
};

std::string setup_text(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const Style& style);
std::string setup_json(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const EnvironmentPlaces& places);

std::string cached_text(const std::vector<CachedEnvironment>& environments, const Style& style);
std::string cached_json(const std::vector<CachedEnvironment>& environments,
                        const EnvironmentPlaces& places);

/// What a result holds so far.
struct Status {
  StudyRecord study;
  std::vector<StoredRun> runs;
  std::vector<MachineRecord> machines;
  std::vector<StudyEvent> events;
  std::vector<std::string> troubles;  // records that cannot be read
  std::optional<Json> live{};         // what a run that is in progress says of itself
  std::optional<ShownCluster> cluster{};
  std::vector<SiteEnergy> site_energy{};  // by a cluster's own accounting
};

/// Whether more is to be expected. Unknown: nothing is known to run, and runs are missing.
enum class StudyPhase { running, ended, unknown };
StudyPhase phase_of(const Status& status);

std::string status_text(const Status& status, const Style& style);
std::string status_json(const Status& status);  // prengdl.status/2

}  // namespace prengdl
