// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "campaign/campaign.h"

namespace prengdl {

/// Time that passes only when a test says so.
class FakeClock final : public Clock {
 public:
  std::int64_t now_ns() override { return now_; }
  void sleep_until(std::int64_t at_ns) override { now_ = at_ns; }
  void pass(Seconds time) { now_ += nanoseconds(time); }

 private:
  std::int64_t now_ = 1'000'000'000;
};

/// Makes runs without processes: each takes a second and ten joules, and becomes what `fate` says.
class FakeExecutor final : public Executor {
 public:
  explicit FakeExecutor(FakeClock& clock) : clock_(clock) {}

  /// What becomes of a run; it may change anything of it.
  std::function<void(const RunRequest&, StoredRun&)> fate;
  /// The user wants to stop while this request is made.
  std::function<bool(const RunRequest&)> interrupts;
  /// What could not be put back in the end.
  std::vector<std::string> troubles;

  std::vector<std::vector<RunRequest>> lists;  // as they came
  std::vector<RunRequest> made;
  std::size_t finished = 0;

  Execution make(const std::vector<RunRequest>& runs, const Protocol&,
                 const ExecutorReports& reports) override {
    lists.push_back(runs);
    for (const auto& request : runs) {
      if (reports.doing) reports.doing(request, Phase::run, std::nullopt);
      StoredRun run;
      run.id = request.id;
      run.cell = request.cell;
      run.block = request.block;
      run.place = request.place;
      run.attempt = request.attempt;
      run.is_warmup = request.kind != RunRequest::Kind::counted;
      run.repeats = request.repeats;
      run.run.wall = run.run.window = Seconds{1};
      run.run.exit_code = 0;
      run.run.energy.metered = Energy{Joules{10}, Joules{0}, Quality::chip};
      clock_.pass(Seconds{1});
      if (interrupts && interrupts(request)) {
        run.outcome = Outcome::interrupted;
        return {true, std::move(run)};
      }
      if (fate) fate(request, run);
      made.push_back(request);
      if (!reports.made(run)) break;
    }
    return {};
  }

  std::vector<std::string> finish() override {
    ++finished;
    return troubles;
  }

 private:
  FakeClock& clock_;
};

/// Remembers what was noted, and decides cases as a test says.
class FakeKeeper final : public RunKeeper {
 public:
  std::vector<std::pair<StudyEventKind, std::string>> notes;
  std::function<std::optional<std::string>(std::size_t)> decide;

  void note(StudyEventKind kind, const std::string& detail, const std::string&) override {
    notes.emplace_back(kind, detail);
  }
  std::optional<std::string> may_stop(std::size_t one_case) override {
    return decide ? decide(one_case) : std::nullopt;
  }
  std::size_t count(StudyEventKind kind) const {
    std::size_t number = 0;
    for (const auto& one : notes) number += one.first == kind;
    return number;
  }
};

}  // namespace prengdl
