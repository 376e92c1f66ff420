// SPDX-License-Identifier: Apache-2.0
#include "campaign/campaign.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "base/files.h"
#include "campaign/policies.h"
#include "profile/cprofile_command.h"
#include "study/workload.h"

namespace prengdl {
namespace {

/// A start of a study. Lists of runs go to the executor block by block. Whatever changes the rest
/// of a list (a retry, a used budget) stops it, and the next list is made from what is due then.
class Campaign {
 public:
  Campaign(const Study& study, const CampaignPlan& plan, const CampaignSettings& settings,
           Executor& executor, Clock& clock, RunKeeper& keeper)
      : study_(study),
        plan_(plan),
        settings_(settings),
        executor_(executor),
        clock_(clock),
        keeper_(keeper),
        due_(due_runs(study, plan.runs, plan.cells, settings.before, settings.due)),
        count_(study, plan.runs, settings.before, clock, settings.progress),
        budget_(study.protocol, settings.before.time, clock.now_ns()),
        given_up_(study.protocol.give_up_after),
        decided_(study.protocol.stopping, plan.cases) {
    DueSettings all = settings.due;
    all.most_blocks = SIZE_MAX;
    count_.done =
        plan.runs.size() - due_runs(study, plan.runs, plan.cells, settings.before, all).size();
    count_.left = due_.size();
    for (const auto& planned : due_) {
      Place& place = places_[planned.place];
      if (const auto before = settings.before.places.find(planned.place);
          before != settings.before.places.end())
        place.tries = before->second;
      place.forgiven = forgiven_of(place.tries, settings.due.retry_failed);
    }
  }

  StudyEnd run() {
    for (std::size_t first = 0; first < due_.size() && !is_over_;) {
      std::size_t last = first;
      while (last < due_.size() && due_[last].block == due_[first].block) ++last;
      const auto reasons = decided_.look(due_[first].block, keeper_);
      if (!reasons.empty()) end_.detail = reasons.back();
      if (decided_.are_all()) end_.why = StudyEnd::Why::stopped_early;
      make_block({due_.begin() + static_cast<std::ptrdiff_t>(first),
                  due_.begin() + static_cast<std::ptrdiff_t>(last)});
      first = last;
    }
    if (settings_.profile && !is_over_) make_profiles();
    end_.done = count_.done;
    end_.failures = count_.failures;
    return std::move(end_);
  }

 private:
  /// A place of the plan while it is due.
  struct Place {
    std::vector<Tried> tries;
    std::size_t forgiven = 0;
    bool is_closed = false;
  };

  void make_block(const std::vector<PlannedRun>& block) {
    while (!is_over_) {
      const auto list = list_of(block);
      if (list.empty()) return;
      if (const auto what = budget_.used_up(count_.energy(), clock_.now_ns())) {
        end_with(StudyEnd::Why::budget, *what);
        return;
      }
      make(list, [&](const StoredRun& run) {
        return run.is_warmup ? take_warmup(run) : take_counted(run);
      });
    }
  }

  /// What is due of a block now: of each place one attempt, after the warm-ups that its cell lacks.
  std::vector<RunRequest> list_of(const std::vector<PlannedRun>& block) {
    std::vector<RunRequest> list;
    for (const auto& planned : block) {
      const Cell& cell = plan_.cells.at(planned.cell);
      Place& place = places_.at(planned.place);
      if (place.is_closed) continue;
      if (place.tries.size() <= before(planned) &&
          (given_up_.has(cell) || decided_.has(planned.cell) ||
           (settings_.is_closed && settings_.is_closed(cell)))) {
        place.is_closed = true;
        --count_.left;
        continue;
      }
      const auto due = due_attempt(study_, cell, place.tries, place.forgiven);
      if (!due) continue;
      for (std::size_t i = warmups_[cell]; i < study_.protocol.warmup; ++i)
        list.push_back(request(planned, RunRequest::Kind::warmup));
      RunRequest run = request(planned, RunRequest::Kind::counted, due->attempt);
      run.repeats = due->repeats;
      list.push_back(std::move(run));
    }
    return list;
  }

  /// Attempts of earlier starts.
  std::size_t before(const PlannedRun& planned) const {
    const auto tries = settings_.before.places.find(planned.place);
    return tries == settings_.before.places.end() ? 0 : tries->second.size();
  }

  RunRequest request(const PlannedRun& planned, RunRequest::Kind kind,
                     std::size_t attempt = 0) const {
    RunRequest run;
    run.kind = kind;
    const char* mark = kind == RunRequest::Kind::warmup    ? "warmup-"
                       : kind == RunRequest::Kind::profile ? "profile-"
                                                           : "";
    run.id = mark + new_run_id(planned.block, planned.place, attempt);
    run.cell = plan_.cells.at(planned.cell);
    run.block = planned.block;
    run.place = planned.place;
    run.attempt = attempt;
    run.seed = planned.seed;
    return run;
  }

  void make(const std::vector<RunRequest>& list, const std::function<bool(const StoredRun&)>& take,
            const std::string& which = "") {
    ExecutorReports reports;
    if (settings_.progress)
      reports.doing = [&](const RunRequest& run, Phase phase, const std::optional<Power>& power) {
        count_.tell(doing_text(run, phase) + which, run.cell, run.block, power);
      };
    reports.made = [&](const StoredRun& run) {
      count_.add_cost(run);
      return take(run);
    };
    Execution execution = executor_.make(list, study_.protocol, reports);
    if (!execution.interrupted) return;
    end_.cut_short = std::move(execution.cut_short);
    end_with(StudyEnd::Why::interrupted, "");
  }

  void end_with(StudyEnd::Why why, const std::string& detail) {
    end_.why = why;
    end_.detail = detail;
    is_over_ = true;
  }

  /// What a cold cache costs is not what the study asks: once per cell and start.
  bool take_warmup(const StoredRun& run) {
    ++warmups_[run.cell];
    return goes_on_after(run);
  }

  /// False if the rest of the list is no longer what is due.
  bool take_counted(const StoredRun& run) {
    if (run.outcome != Outcome::ok) ++count_.failures;
    if (given_up_.count(run)) {
      end_.given_up.push_back(name_of(study_, run.cell));
      keeper_.note(StudyEventKind::give_up,
                   fmt::format("{} failed {} times in a row, last: {}", name_of(study_, run.cell),
                               study_.protocol.give_up_after, name_of(run.outcome)));
    }
    Place& place = places_.at(run.place);
    place.tries.push_back(tried(run));
    const bool goes_on = goes_on_after(run);
    if (goes_on && due_attempt(study_, run.cell, place.tries, place.forgiven)) return false;
    place.is_closed = true;
    count_.one_done();
    count_.tell_end(run.outcome == Outcome::ok ? "done" : "failed: " + failure_of(run), run);
    return goes_on && !budget_.used_up(count_.energy(), clock_.now_ns());
  }

  bool goes_on_after(const StoredRun& run) {
    if (run.outcome == Outcome::ok || !settings_.stops_at_failure) return true;
    end_with(StudyEnd::Why::failed, failure_of(run));
    return false;
  }

  /// One more run of each cell, which is not counted: the profiler slows it down.
  void make_profiles() {
    count_.is_profiling = true;
    std::set<std::size_t> seen;
    std::vector<RunRequest> without;
    for (const auto& planned : plan_.runs) {
      const Cell& cell = plan_.cells.at(planned.cell);
      if (!seen.insert(planned.cell).second || given_up_.has(cell)) continue;
      const auto file = settings_.profile(cell);
      if (is_there(file)) continue;
      if (!under_cprofile(workload_for(study_, cell).command, file)) {
        end_.unprofiled.push_back(name_of(study_, cell) + ": its command does not run Python");
        continue;
      }
      RunRequest run = request(planned, RunRequest::Kind::profile);
      run.profile = file;
      without.push_back(std::move(run));
    }
    for (std::size_t i = 0; i < without.size() && !is_over_; ++i) {
      const std::string which = fmt::format(" {} of {}", i + 1, without.size());
      make(
          {without[i]},
          [&](const StoredRun& run) {
            take_profile(run, without[i].profile, which);
            return true;
          },
          which);
    }
  }

  void take_profile(const StoredRun& run, const std::filesystem::path& file,
                    const std::string& which) {
    const std::string name = name_of(study_, run.cell);
    if (run.outcome == Outcome::ok && is_there(file))
      keeper_.note(StudyEventKind::profile, name);
    else
      end_.unprofiled.push_back(
          fmt::format("{}: the run under the profiler {}", name,
                      run.outcome == Outcome::ok ? "left no dump" : "failed"));
    count_.tell_end(run.outcome == Outcome::ok ? "profiled" + which : "failed: " + failure_of(run),
                    run);
  }

  const Study& study_;
  const CampaignPlan& plan_;
  const CampaignSettings& settings_;
  Executor& executor_;
  Clock& clock_;
  RunKeeper& keeper_;
  std::vector<PlannedRun> due_;
  std::map<std::size_t, Place> places_;
  ProgressCount count_;
  Budget budget_;
  GivenUpCells given_up_;
  DecidedCases decided_;
  std::map<Cell, std::size_t> warmups_;  // that were made
  StudyEnd end_;
  bool is_over_ = false;
};

}  // namespace

StudyEventKind event_kind(StudyEnd::Why why) {
  switch (why) {
    case StudyEnd::Why::stopped_early:
      return StudyEventKind::stop_early;
    case StudyEnd::Why::interrupted:
      return StudyEventKind::interrupted;
    case StudyEnd::Why::budget:
      return StudyEventKind::budget;
    case StudyEnd::Why::failed:
      return StudyEventKind::failed;
    case StudyEnd::Why::complete:
      break;
  }
  return StudyEventKind::end;
}

StudyEnd run_campaign(const Study& study, const CampaignPlan& plan,
                      const CampaignSettings& settings, Executor& executor, Clock& clock,
                      RunKeeper& keeper) {
  const auto restore = [&] {
    auto troubles = executor.finish();
    for (const auto& trouble : troubles) keeper.note(StudyEventKind::not_restored, trouble);
    return troubles;
  };
  try {
    StudyEnd end = Campaign(study, plan, settings, executor, clock, keeper).run();
    end.not_restored = restore();
    return end;
  } catch (const Error& error) {
    const auto troubles = restore();
    if (troubles.empty()) throw;
    throw Error(fmt::format("{}\nthe machine's settings could not be restored either: {}",
                            error.what(), troubles.front()),
                error.hint);
  }
}

}  // namespace prengdl
