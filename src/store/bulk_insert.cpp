// SPDX-License-Identifier: Apache-2.0
#include "store/bulk_insert.h"

#include <fmt/core.h>

#include <vector>

namespace prengdl {

RunsAtOnce::RunsAtOnce(ResultStore& store)
    : transaction_(store.database()), inserter_(store.database(), factor_names(store.database())) {}

void RunsAtOnce::add(const StoredRun& run, const std::function<void(SampleWriter&)>& samples) {
  check_run_id(run.id);
  const bool is_new = inserter_.insert(run, [&](const TakeChunk& take) {
    SampleWriter writer(take);
    samples(writer);
    writer.finish();
  });
  if (!is_new) throw Error(fmt::format("the run {} already exists", run.id));
}

}  // namespace prengdl
