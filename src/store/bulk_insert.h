// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "store/result.h"

namespace prengdl {

/// Puts runs that were made elsewhere into a result, all in one transaction: before commit() none
/// of them is there. A run of this machine takes the road of a record instead.
class RunsAtOnce {
 public:
  explicit RunsAtOnce(ResultStore& store);

  /// `samples` adds the run's samples in the order of time. Throws when the id is there already.
  void add(const StoredRun& run, const std::function<void(SampleWriter&)>& samples);

  void commit() { transaction_.commit(); }

 private:
  Transaction transaction_;
  RunInserter inserter_;
};

}  // namespace prengdl
