// SPDX-License-Identifier: Apache-2.0
#include "campaign/study_start.h"

#include "campaign/live_state.h"
#include "campaign/local_executor.h"
#include "campaign/store_keeper.h"
#include "store/profiles.h"

namespace prengdl {
namespace {

/// What the result's log says of a start.
void note_start(const StudyStart& start, bool is_first, RunKeeper& keeper) {
  keeper.note(is_first ? StudyEventKind::start : StudyEventKind::resume, start.call);
  // More runs add blocks to those that are there, so their number may change on the way.
  keeper.note(StudyEventKind::planned,
              std::to_string(start.design.size() - start.refused.size() * start.study.runs));
  for (const auto& one : start.refused)
    keeper.note(StudyEventKind::refused, one.why, name_of(start.study, one.cell));
  for (const auto& note : start.environments.notes())
    keeper.note(StudyEventKind::environment, note);
}

}  // namespace

StudyOutcome start_study(const StudyStart& start, const Meters& meters, Clock& clock) {
  const auto& result = start.cells.result;
  ResultStore store =
      open_result(result, start.study, start.design, start.text, start.environments.locks());
  if (start.trouble)
    for (const auto& trouble : store.troubles()) start.trouble(trouble);
  store.add_machine(start.machine);
  const auto runs = store.runs(Detail::figures);

  LiveState live(result);
  CampaignSettings settings;
  settings.due = start.due;
  settings.before = what_is_stored(runs);
  settings.progress = [&](const StudyProgress& progress) {
    if (start.progress) start.progress(progress);
    live.tell(progress);
  };
  if (start.makes_profiles)
    settings.profile = [&](const Cell& cell) { return profile_of(result, cell); };
  LocalSettings local{start.cells, start.machine.fingerprint, true};
  StoreKeeper keeper(store, start.study, start.design);
  note_start(start, runs.empty(), keeper);
  StudyOutcome outcome;
  outcome.planned = start.asked.runs_of(start.design);
  LocalExecutor executor(start.study, local, meters, clock, keeper);
  outcome.end =
      run_campaign(start.study, {outcome.planned, start.design.cells(), start.design.cases()},
                   settings, executor, clock, keeper);
  keeper.settle_up();
  keeper.note(event_kind(outcome.end.why), outcome.end.detail);
  outcome.stored = keeper.runs();
  return outcome;
}

}  // namespace prengdl
