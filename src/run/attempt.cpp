// SPDX-License-Identifier: Apache-2.0
#include "run/attempt.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <future>
#include <thread>

#include "base/clock.h"
#include "base/limits.h"
#include "base/own_files.h"
#include "base/temporary.h"
#include "base/threads.h"
#include "machine/machine.h"
#include "privilege/helper.h"
#include "run/descendants.h"
#include "run/evaluate.h"
#include "run/event_file.h"
#include "run/process_tree.h"
#include "run/sampler.h"
#include "run/scratch_file.h"

namespace prengdl {
namespace {

constexpr Seconds grace{2};  // between asking a process to end and ending it
/// So long a run waits for the first readings of meters that may take their time (a library, a wall
/// meter): without them its beginning has no figure. One that takes longer does not hold it up.
constexpr Seconds first_reading{0.5};

constexpr std::int64_t attend_ns = 200'000'000;
constexpr std::size_t tail_bytes = 4096;  // of the output of a run that failed

/// A run that is over by then never needs the threads and the attendance of a longer one, which
/// would cost it as much time as `true` takes.
constexpr Seconds short_run{0.02};

// Flags of a run; the words and thresholds are documented in docs/doctor.md.
constexpr double short_uncertainty = 0.02;   // of the measured energy
constexpr Seconds short_without_meter{0.1};  // /proc/stat counts in steps of 10 ms
constexpr double gaps_missed_share = 0.01;
constexpr Seconds gaps_longest{0.25};
constexpr Seconds longest_stall{0.05};

std::string tail_of(int fd, std::size_t most) {
  const off_t size = std::max<off_t>(0, lseek(fd, 0, SEEK_END));
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(most));
  std::string text(static_cast<std::size_t>(size - from), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), from);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// What is done about signals and the time limit while the workload runs.
class Attendant {
 public:
  Attendant(const AttemptSettings& settings, WaitingChild& child, Run& run, std::int64_t start_ns)
      : settings_(settings), child_(child), run_(run), start_ns_(start_ns) {}

  /// Until `done` is readable. `meanwhile` is called a few times a second.
  void attend(int done, const std::function<void(Seconds)>& meanwhile) {
    for (;;) {
      pollfd watched[2] = {{done, POLLIN, 0}, {settings_.signals, POLLIN, 0}};
      const std::int64_t now = monotonic_ns();
      const std::int64_t wait = std::clamp(next_deadline() - now, std::int64_t{0}, attend_ns);
      const timespec timeout{0, static_cast<long>(wait)};
      const int ready = ppoll(watched, 2, &timeout, nullptr);
      if (ready > 0 && (watched[0].revents & POLLIN)) return;
      if (ready > 0 && (watched[1].revents & POLLIN)) take_signal();
      check_time();
      wake_if_stopped();
      meanwhile(seconds_between(start_ns_, monotonic_ns()));
    }
  }

 private:
  std::int64_t next_deadline() const {
    if (kill_at_ns_) return *kill_at_ns_;
    if (settings_.timeout && !run_.timed_out && !is_over_)
      return start_ns_ + nanoseconds(*settings_.timeout);
    return INT64_MAX;
  }

  void take_signal() {
    signalfd_siginfo info{};
    if (::read(settings_.signals, &info, sizeof info) != sizeof info) return;
    // The second time the user means it.
    if (run_.interrupted) {
      child_.signal_group(SIGKILL);
      return;
    }
    run_.interrupted = true;
    child_.signal_group(static_cast<int>(info.ssi_signo));
    child_.signal_group(SIGCONT);
    kill_at_ns_ = monotonic_ns() + nanoseconds(grace);
  }

  void check_time() {
    const std::int64_t now = monotonic_ns();
    if (kill_at_ns_ && now >= *kill_at_ns_) {
      child_.signal_group(SIGKILL);
      kill_at_ns_ = now + nanoseconds(grace);
    } else if (settings_.timeout && !run_.timed_out && !kill_at_ns_ &&
               now >= start_ns_ + nanoseconds(*settings_.timeout) && !has_exited()) {
      run_.timed_out = true;
      child_.signal_group(SIGTERM);
      child_.signal_group(SIGCONT);
      kill_at_ns_ = now + nanoseconds(grace);
    }
  }

  /// If we were stopped ourselves it may have ended in time, long ago.
  bool has_exited() {
    pollfd exit{child_.pidfd(), POLLIN, 0};
    is_over_ = poll(&exit, 1, 0) > 0;
    return is_over_;
  }

  /// A run that is suspended (Ctrl-Z) would be measured asleep and would leave the terminal to a
  /// process that does not read it.
  void wake_if_stopped() {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WNOHANG) == 0 &&
        info.si_pid != 0) {
      child_.signal_group(SIGCONT);
      run_.warnings.emplace_back("the command was stopped by a signal and woken again");
    }
  }

  const AttemptSettings& settings_;
  WaitingChild& child_;
  Run& run_;
  std::int64_t start_ns_;
  std::optional<std::int64_t> kill_at_ns_;
  bool is_over_ = false;
};

struct Outputs {
  FileDescriptor hidden;  // both streams, for the tail of a failure
  FileDescriptor out;
  FileDescriptor error;
};

Outputs direct_output(const AttemptSettings& settings, Launch& launch) {
  Outputs outputs;
  const auto kept = [&](const char* stream) {
    make_directories(settings.output.directory);
    const auto path =
        settings.output.directory / (settings.output.is_of_one_run
                                         ? std::string(stream)
                                         : fmt::format("run-{}.{}", settings.number + 1, stream));
    return create_own_file(path);
  };
  switch (settings.output.to) {
    case OutputChoice::To::shown:
      if (settings.output.results_on_stdout) launch.standard_output = STDERR_FILENO;
      break;
    case OutputChoice::To::hidden:
      outputs.hidden =
          unnamed_file(settings.scratch.empty() ? temporary_directory() : settings.scratch);
      fcntl(outputs.hidden.get(), F_SETFL, O_APPEND);
      launch.standard_output = launch.standard_error = outputs.hidden.get();
      break;
    case OutputChoice::To::kept:
      outputs.out = kept("stdout");
      outputs.error = kept("stderr");
      launch.standard_output = outputs.out.get();
      launch.standard_error = outputs.error.get();
      break;
  }
  return outputs;
}

Seconds own_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return Seconds{seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

void take_process_end(const WaitingChild::End& end, Run& run) {
  if (WIFEXITED(end.status)) run.exit_code = WEXITSTATUS(end.status);
  if (WIFSIGNALED(end.status)) run.signal = WTERMSIG(end.status);
  const auto seconds = [](const timeval& t) {
    return Seconds{static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6};
  };
  run.user = seconds(end.usage.ru_utime);
  run.system = seconds(end.usage.ru_stime);
  run.max_rss_bytes = static_cast<std::uint64_t>(end.usage.ru_maxrss) * 1024;
  run.voluntary_switches = end.usage.ru_nvcsw;
  run.involuntary_switches = end.usage.ru_nivcsw;
}

void flag_quality(const QuickLane& lane, Seconds interval, Run& run) {
  const auto& metered = run.energy.metered;
  const bool is_modelled = !metered || metered->quality == Quality::model;
  const bool is_short = is_modelled
                            ? run.window < short_without_meter
                            : metered->uncertainty.value > short_uncertainty * metered->value.value;
  if (is_short) run.flags.insert(Flag::short_run);
  const auto& record = lane.record();
  const auto planned = static_cast<double>(record.ticks + record.missed);
  const bool has_gaps =
      planned >= 20 && (static_cast<double>(record.missed) > gaps_missed_share * planned ||
                        record.longest_gap_ns > nanoseconds(std::max(gaps_longest, 25 * interval)));
  if (has_gaps) run.flags.insert(Flag::sampling_gaps);
  if (Seconds{static_cast<double>(lane.times().stall_ns) * 1e-9} > longest_stall)
    run.flags.insert(Flag::stalled);
  if (run.timed_out) run.flags.insert(Flag::timeout);
  if (run.interrupted) run.flags.insert(Flag::interrupted);
  if (!run.left_behind.empty()) run.flags.insert(Flag::left_behind);
}

/// A thread of a run. If the run cannot be made after all, it ends with the workload.
class RunThread {
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

/// Of several meters of the whole machine only the best one speaks (model/totals).
bool is_in_total(const Meter& meter, const std::vector<const MeterInfo*>& all) {
  const MeterInfo& info = meter.info();
  const auto domains = metered_domains(all);
  if (std::find(domains.begin(), domains.end(), info.domain) == domains.end()) return false;
  return info.counted != Counted::alone ||
         std::none_of(all.begin(), all.end(), [&](const MeterInfo* other) {
           return other->domain == info.domain && other->counted == Counted::alone &&
                  is_energy(*other) && other->quality < info.quality;
         });
}

/// The meters of a run, by how they are read.
struct Lanes {
  std::vector<const MeterInfo*> infos;  // by the samples' meter index
  std::vector<Sampled> quick;
  std::vector<Sampled> patient;

  void add(const Meters& meters) {
    for (const auto& meter : meters) {
      const MeterInfo& info = meter->info();
      const bool is_quick = !info.may_block && info.counted != Counted::channel;
      (is_quick ? quick : patient)
          .push_back({meter.get(), static_cast<std::uint16_t>(infos.size())});
      infos.push_back(&info);
    }
  }
};

/// `tree`: the channels of the workload's own processes.
Lanes lanes_of(const Meters& meters, const Meters& tree, Seconds interval) {
  Lanes lanes;
  lanes.add(meters);
  lanes.add(tree);
  for (auto& sampled : lanes.patient)
    sampled.is_in_total = is_in_total(*sampled.meter, lanes.infos);
  check_interval(lanes.quick, interval);
  check_interval(lanes.patient, interval);
  return lanes;
}

/// Children of ours that run on when the workload has ended.
std::vector<pid_t> own_processes(const AttemptSettings& settings, const Meters& meters) {
  std::vector<pid_t> processes = settings.spare;
  for (const pid_t helper : helper_processes()) processes.push_back(helper);
  for (const auto& meter : meters)
    if (const auto process = meter->process()) processes.push_back(*process);
  return processes;
}

/// What is told of the machine before and after a run.
class Surroundings {
 public:
  explicit Surroundings(const AttemptSettings& settings)
      : settings_(settings),
        own_before_(own_cpu()),
        before_(read_conditions(settings.root)),
        // Before our own workload is there, whoever computes on the GPUs is someone else.
        gpu_others_(settings.gpu_processes ? settings.gpu_processes() : std::vector<unsigned>{}) {}

  void compare_with_now(Run& run) const {
    const Conditions after = read_conditions(settings_.root);
    run.cpu.workload = run.user + run.system;
    run.cpu.own = own_cpu() - own_before_;
    const Seconds accounted = run.cpu.workload + run.cpu.own;
    run.cpu.others = cpu_time_of_others(before_, after, accounted);
    const auto rise = [](const std::optional<Seconds>& from, const std::optional<Seconds>& to) {
      return from && to ? std::optional(*to - *from) : std::nullopt;
    };
    run.cpu.stolen = rise(before_.cpu_steal, after.cpu_steal);
    run.pressure = {rise(before_.cpu_pressure, after.cpu_pressure),
                    rise(before_.memory_pressure, after.memory_pressure),
                    rise(before_.io_pressure, after.io_pressure), before_.load};
    const auto disturbed = disturbance_flags(before_, after, accounted.count(), run.wall,
                                             static_cast<int>(std::thread::hardware_concurrency()));
    run.flags.insert(disturbed.begin(), disturbed.end());
    if (gpu_others_.empty()) return;
    run.flags.insert(Flag::disturbed);
    run.warnings.push_back(fmt::format("{} other processes computed on the GPUs, first pid {}",
                                       gpu_others_.size(), gpu_others_.front()));
  }

 private:
  const AttemptSettings& settings_;
  Seconds own_before_;
  Conditions before_;
  std::vector<unsigned> gpu_others_;
};

/// The sampling of a run, from the first readings until after its exit.
class Sampling {
 public:
  Sampling(const AttemptSettings& settings, const Lanes& lanes, WaitingChild& child,
           const WhileRunning& progress)
      : settings_(settings),
        child_(child),
        progress_(progress),
        quick_(lanes.quick, settings.interval, child, settings.chores),
        patient_(lanes.patient, settings.interval, child.pidfd()),
        power_(lanes.infos) {}

  /// Lets the workload go and samples it until it has exited. `done` is an event descriptor.
  void follow(int done, Run& run) {
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

  void count(Run& run) {
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

  const QuickLane& quick() const { return quick_; }
  SampleLog& samples() { return samples_; }

 private:
  void take_first(RunThread& patient_thread) {
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
  void follow_long(int done, Run& run) {
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

  void collect() {
    const auto take = [&](std::span<const Sample> chunk) {
      samples_.append(chunk);
      if (progress_) power_.add(chunk);
    };
    quick_.ring().drain(take);
    patient_.ring().drain(take);
  }

  const AttemptSettings& settings_;
  WaitingChild& child_;
  const WhileRunning& progress_;
  SampleLog samples_;
  QuickLane quick_;
  PatientLane patient_;
  PowerNow power_;
};

/// What the workload emitted, and the figures of the run with it.
void take_figures(const ScratchFile& events, const Evaluation& evaluation, Run& run) {
  if (const auto trouble = events.trouble()) run.warnings.push_back(*trouble);
  const EventFile file = read_events(events.descriptor());
  const Told told = put_together(file.events, evaluation.begin_ns, evaluation.end_ns);
  run.warnings.insert(run.warnings.end(), file.warnings.begin(), file.warnings.end());
  run.warnings.insert(run.warnings.end(), told.warnings.begin(), told.warnings.end());
  evaluate(evaluation, told, run);
}

void take_output_tail(const Outputs& outputs, Run& run) {
  if (succeeded(run)) return;
  if (outputs.hidden) run.output_tail = tail_of(outputs.hidden.get(), tail_bytes);
  if (outputs.out)
    run.output_tail =
        tail_of(outputs.out.get(), tail_bytes) + tail_of(outputs.error.get(), tail_bytes);
}

}  // namespace

Run attempt(const AttemptSettings& settings, const Meters& meters,
            const std::optional<Baseline>& baseline, const WhileRunning& progress) {
  Run run;
  run.started_at = utc_now();
  const Surroundings surroundings(settings);
  adopt_orphans();
  Launch launch = settings.launch;
  const ScratchFile events(settings.scratch, "prengdl-events");
  launch.environment.emplace_back("PRENGDL_EVENTS", events.path().string());
  const Outputs outputs = direct_output(settings, launch);
  const FileDescriptor done(eventfd(0, EFD_CLOEXEC));
  if (!done)
    throw Error("cannot make an event descriptor: " + error_text(errno), exhaustion_advice(errno));
  WaitingChild child(launch);
  if (settings.made) settings.made(child.pid(), events.path());
  const Meters tree = tree_channels(child.pid(), settings.root);
  const Lanes lanes = lanes_of(meters, tree, settings.interval);
  const auto not_the_workload = own_processes(settings, meters);
  Sampling sampling(settings, lanes, child, progress);
  sampling.follow(done.get(), run);
  if (launch.takes_terminal) tcsetpgrp(STDIN_FILENO, getpgrp());

  take_process_end(child.reap(), run);
  for (const auto& process : end_descendants(not_the_workload, grace))
    run.left_behind.push_back(process.name);
  sampling.count(run);
  // Ctrl-C at a terminal that the command owns reaches the command, not us.
  if (launch.takes_terminal && run.signal == SIGINT) run.interrupted = true;
  const RunTimes& times = sampling.quick().times();
  std::optional<Evaluation::UnsureEnd> unsure_end;
  if (is_in_doubt(times)) unsure_end = {times.alive_ns, times.read_ns};
  take_figures(events,
               {lanes.infos, sampling.samples(), times.gate_ns, times.exec_ns, times.exit_ns,
                settings.interval, baseline, unsure_end},
               run);
  surroundings.compare_with_now(run);
  flag_quality(sampling.quick(), settings.interval, run);
  take_output_tail(outputs, run);
  if (settings.keep_samples) settings.keep_samples(lanes.infos, std::move(sampling.samples()));
  return run;
}

}  // namespace prengdl
