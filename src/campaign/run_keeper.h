// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/result.h"
#include "run/sample_log.h"

namespace prengdl {

/// Where the runs of a study go. This one keeps nothing: for runs that have no result.
class RunKeeper {
 public:
  virtual ~RunKeeper() = default;

  /// The run is safe on disk when this returns.
  virtual void keep(const StoredRun&, const SampleLog&) {}

  /// Something happened to the study: kinds as in StudyEvent.
  virtual void note(StudyEventKind /*kind*/, const std::string& /*detail*/,
                    const std::string& /*cell*/ = {}) {}

  /// Asked between blocks, if the study may stop early: why this case (of CampaignSettings) is
  /// decided; nothing: it continues.
  virtual std::optional<std::string> may_stop(std::size_t /*one_case*/) { return std::nullopt; }
};

}  // namespace prengdl
