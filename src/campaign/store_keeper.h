// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "campaign/run_keeper.h"
#include "model/result.h"
#include "store/result.h"
#include "study/design.h"

namespace prengdl {

/// Names and texts of the locks of environments.
using Locks = std::vector<std::pair<std::string, std::string>>;

/// Opens the result of a study for writing or makes it. A result of a study file or of environments
/// that have changed since is refused, with the difference and the ways out.
/// `registered` is the text of the analysis that a new result registers.
ResultStore open_result(const std::filesystem::path& directory, const Study& study,
                        const Design& design, const std::string& text,
                        const std::string& registered, const Locks& locks);

/// Puts the runs of a study into its result, and decides from them which cases need no more.
class StoreKeeper final : public RunKeeper {
 public:
  StoreKeeper(ResultStore& store, const Study& study, const Design& design);

  void keep(const StoredRun& run, const SampleLog& samples) override;
  void note(StudyEventKind kind, const std::string& detail, const std::string& cell = {}) override;
  std::optional<std::string> may_stop(std::size_t one_case) override;

  /// What is still only a record goes into the database.
  void settle_up();

  /// All runs of the result, earlier ones too. Throws an Error if somebody has removed some that
  /// were kept here.
  std::vector<StoredRun> runs() const;

 private:
  ResultStore& store_;
  const Study& study_;
  const Design& design_;
  std::vector<std::string> kept_;
  std::size_t waiting_ = 0;  // records that are not in the database yet
};

}  // namespace prengdl
