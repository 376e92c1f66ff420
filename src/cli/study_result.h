// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "meters/sources.h"
#include "model/result.h"
#include "run/design.h"
#include "run/study_run.h"
#include "store/result.h"

namespace prengdl {

/// The machine that we run on, for the record.
MachineRecord this_machine(const MeterSearch& search);

/// Names and texts of the locks of environments.
using Locks = std::vector<std::pair<std::string, std::string>>;

/// Opens the result of a study for writing or makes it. A result of a study file or of environments
/// that have changed since is refused, with the difference and the ways out.
ResultStore open_result(const std::filesystem::path& directory, const Study& study,
                        const Design& design, const std::string& text, const Locks& locks);

/// What of the plan is stored already.
struct Stored {
  std::map<std::size_t, std::vector<Tried>> places;
  Joules energy{};
  std::optional<Quality> quality;  // of that energy: the worst of its parts
  Seconds time{};
  std::size_t failures = 0;
};
Stored what_is_stored(std::vector<StoredRun> runs);

/// Puts the runs of a study into its result, and decides from them which units need no more.
class StoreKeeper final : public RunKeeper {
 public:
  StoreKeeper(ResultStore& store, const Study& study, const Design& design);

  void keep(const StoredRun& run, const SampleLog& samples) override;
  void note(const std::string& kind, const std::string& detail) override;
  std::optional<std::string> may_stop(std::size_t unit) override;

  /// What is still only a record goes into the database.
  void settle_up();

  /// The ids of the runs that were kept.
  const std::vector<std::string>& kept() const { return kept_; }

 private:
  ResultStore& store_;
  const Study& study_;
  const Design& design_;
  std::vector<std::string> kept_;
  std::size_t waiting_ = 0;  // records that are not in the database yet
};

}  // namespace prengdl
