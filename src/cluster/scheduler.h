// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace prengdl {

/// A job as the scheduler lists it.
struct ListedJob {
  std::string id;  // of this job of the array, as `cancel` takes it: "4711_7"
  std::string name;
  std::size_t index = 0;  // in its array
  std::string state;      // "PENDING", "RUNNING", "NODE_FAIL"
  std::string reason;     // why it waits or ended: "Resources", "None"
  std::string node;       // empty while it waits
  std::string submitted;  // when, by the scheduler's clock

  bool is_waiting() const { return state == "PENDING"; }
  /// Whether it may still run. Words that are not known count as running: waiting harms nothing.
  bool is_alive() const;
  /// Whether it waits for something that will not happen by itself.
  bool is_stuck() const;
};

/// Why the scheduler did not do as it was asked.
struct SchedulerTrouble {
  enum class Kind {
    away,      // it does not answer; what was asked may have happened nevertheless
    too_many,  // more jobs than this user may submit
    refused    // it says no
  };
  Kind kind = Kind::refused;
  std::string words;
};

template <class T>
using Answer = tl::expected<T, SchedulerTrouble>;

/// The batch scheduler. Each call is one program that asks it.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Gives the id of the array.
  virtual Answer<std::string> submit(const std::filesystem::path& script) = 0;
  /// The jobs of these names that it knows, ended ones too.
  virtual Answer<std::vector<ListedJob>> list(const std::vector<std::string>& names) = 0;
  /// Jobs that have ended since are none of its troubles.
  virtual Answer<void> cancel(const std::vector<std::string>& ids) = 0;
  /// What its energy accounting says of the steps of these jobs, by the name of the step.
  virtual Answer<std::map<std::string, Joules>> energy(const std::vector<std::string>& jobs) = 0;
};

/// Slurm, by sbatch, squeue and scancel of PATH.
class Slurm final : public Scheduler {
 public:
  Answer<std::string> submit(const std::filesystem::path& script) override;
  Answer<std::vector<ListedJob>> list(const std::vector<std::string>& names) override;
  Answer<void> cancel(const std::vector<std::string>& ids) override;
  Answer<std::map<std::string, Joules>> energy(const std::vector<std::string>& jobs) override;
};

/// The jobs in what `squeue` prints in the form that Slurm::list asks for. Lines of another form
/// (warnings) are left out.
std::vector<ListedJob> jobs_of_squeue(const std::string& output);

/// The joules of steps in what `sacct` prints in the form that Slurm::energy asks for. 0 and blank
/// mean that nothing was measured: such steps are left out.
std::map<std::string, Joules> energy_of_sacct(const std::string& output);

/// What a failed call of sbatch, squeue or scancel means.
SchedulerTrouble trouble_of(const std::string& output);

}  // namespace prengdl
