// SPDX-License-Identifier: Apache-2.0
#include "cluster/spool_keeper.h"

#include "base/clock.h"
#include "store/record.h"

namespace prengdl {

void SpoolKeeper::keep(const StoredRun& run, const SampleLog& samples) {
  RunRecordWriter record(directory_, run.id);
  samples.for_each([&](const Sample& sample) { record.add(sample.meter, sample.reading); });
  record.finish(run);
}

void SpoolKeeper::note(StudyEventKind kind, const std::string& detail, const std::string& cell) {
  notes_.push_back({utc_now(), kind, who_ + ": " + detail, cell});
}

}  // namespace prengdl
