// SPDX-License-Identifier: Apache-2.0
#include "run/run_sampling.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <thread>

#include "base/clock.h"
#include "base/threads.h"
#include "run/attendant.h"

namespace prengdl {
namespace {

/// So long a run waits for the first readings of meters that may take their time (a library, a wall
/// meter): without them its beginning has no figure. One that takes longer does not hold it up.
constexpr Seconds first_reading{0.5};

/// A run that is over by then never needs the threads and the attendance of a longer one, which
/// would cost it as much time as `true` takes.
constexpr Seconds short_run{0.02};

}  // namespace

/// A thread of a run. If the run cannot be made after all, it ends with the workload.
class RunSampling::RunThread {
 public:
  RunThread(WaitingChild& child, PatientLane& lane) : child_(child), lane_(lane) {}
  ~RunThread() {
    if (!thread_.joinable()) return;
    child_.signal_group(SIGKILL);
    lane_.hurry();
    thread_.join();
  }
  RunThread(const RunThread&) = delete;
  RunThread& operator=(const RunThread&) = delete;

  template <class Work>
  void start(Work&& work) {
    thread_ = start_thread(std::forward<Work>(work));
  }
  bool is_running() const { return thread_.joinable(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  WaitingChild& child_;
  PatientLane& lane_;
  std::thread thread_;
};

RunSampling::RunSampling(const AttemptSettings& settings, const Lanes& lanes, WaitingChild& child,
                         const WhileRunning& progress)
    : settings_(settings),
      child_(child),
      progress_(progress),
      quick_(lanes.quick, settings.interval, child, settings.chores),
      patient_(lanes.patient, settings.interval, child.pidfd()),
      power_(lanes.infos) {}

void RunSampling::follow(int done, Run& run) {
  if (progress_) progress_(Seconds{0}, std::nullopt);
  RunThread patient_thread(child_, patient_);
  take_first(patient_thread);
  quick_.begin();
  const Seconds alone = std::min(short_run, settings_.timeout.value_or(short_run));
  if (quick_.tick_until(quick_.times().gate_ns + nanoseconds(alone))) {
    quick_.finish();
    if (!patient_thread.is_running()) patient_.last();
  } else {
    if (!patient_thread.is_running()) patient_thread.start([&] { patient_.follow(); });
    follow_long(done, run);
  }
  patient_thread.join();
  // Each lane sees the exit for itself. Where the quick one was late the window ends later, too.
  if (patient_.last_ns() < quick_.times().exit_ns) patient_.last();
  collect();
}

void RunSampling::count(Run& run) {
  const RunTimes& times = quick_.times();
  run.wall = seconds_between(times.gate_ns, is_in_doubt(times) ? times.exit_ns : times.seen_ns);
  run.window = seconds_between(times.exec_ns, times.exit_ns);
  run.begin_ns = times.exec_ns;
  run.samples = samples_.size();
  run.missed_samples = quick_.record().missed + patient_.record().missed;
  run.late_samples = quick_.record().late;
  if (const auto lost = quick_.ring().lost() + patient_.ring().lost(); lost > 0)
    run.warnings.push_back(fmt::format("{} samples were lost: the machine was too busy", lost));
  if (!samples_.trouble().empty()) run.warnings.push_back(samples_.trouble());
}

void RunSampling::take_first(RunThread& patient_thread) {
  if (!patient_.may_block()) {
    patient_.first();
    return;
  }
  std::promise<void> read;
  const auto was_read = read.get_future();
  patient_thread.start([this, read = std::move(read)]() mutable {
    patient_.first();
    read.set_value();
    patient_.follow();
  });
  was_read.wait_for(first_reading);
}

/// With a thread for the quick meters, while this one attends to signals and the time limit.
void RunSampling::follow_long(int done, Run& run) {
  RunThread quick_thread(child_, patient_);
  quick_thread.start([&] {
    quick_.tick_until(INT64_MAX);
    quick_.finish();
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(done, &one, sizeof one);
  });
  Attendant(settings_, child_, run, quick_.times().gate_ns).attend(done, [&](Seconds elapsed) {
    collect();
    if (progress_) progress_(elapsed, power_.get());
  });
  quick_thread.join();
  if (run.interrupted) patient_.hurry();
}

void RunSampling::collect() {
  const auto take = [&](std::span<const Sample> chunk) {
    samples_.append(chunk);
    if (progress_) power_.add(chunk);
  };
  quick_.ring().drain(take);
  patient_.ring().drain(take);
}

}  // namespace prengdl
