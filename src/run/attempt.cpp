// SPDX-License-Identifier: Apache-2.0
#include "run/attempt.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "base/limits.h"
#include "base/own_files.h"
#include "base/temporary.h"
#include "machine/machine.h"
#include "privilege/helper.h"
#include "run/attendant.h"
#include "run/descendants.h"
#include "run/evaluate.h"
#include "run/event_file.h"
#include "run/lanes.h"
#include "run/process_tree.h"
#include "run/run_sampling.h"
#include "run/scratch_file.h"

namespace prengdl {
namespace {

constexpr std::size_t tail_bytes = 4096;  // of the output of a run that failed

// Flags of a run; the words and thresholds are documented in docs/reference/doctor.md.
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

Seconds seconds_of(const timeval& time) {
  return Seconds{static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6};
}

Seconds own_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

void take_process_end(const WaitingChild::End& end, Run& run) {
  if (WIFEXITED(end.status)) run.exit_code = WEXITSTATUS(end.status);
  if (WIFSIGNALED(end.status)) run.signal = WTERMSIG(end.status);
  run.user = seconds_of(end.usage.ru_utime);
  run.system = seconds_of(end.usage.ru_stime);
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

/// Children of ours that run on when the workload has ended.
std::vector<pid_t> own_processes(const AttemptSettings& settings, const Meters& meters) {
  std::vector<pid_t> processes = settings.spare;
  for (const pid_t helper : helper_processes()) processes.push_back(helper);
  for (const auto& meter : meters)
    if (const auto process = meter->process()) processes.push_back(*process);
  return processes;
}

/// What is recorded of the machine before and after a run.
class Surroundings {
 public:
  explicit Surroundings(const AttemptSettings& settings)
      : settings_(settings),
        own_before_(own_cpu()),
        before_(read_conditions(settings.root)),
        // Before our own workload is there, any process on the GPUs is someone else's.
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

/// What the workload emitted, and the figures of the run with it.
void take_figures(const ScratchFile& events, const Evaluation& evaluation, Run& run) {
  if (const auto trouble = events.trouble()) run.warnings.push_back(*trouble);
  const EventFile file = read_events(events.descriptor());
  const Emitted emitted = put_together(file.events, evaluation.begin_ns, evaluation.end_ns);
  run.warnings.insert(run.warnings.end(), file.warnings.begin(), file.warnings.end());
  run.warnings.insert(run.warnings.end(), emitted.warnings.begin(), emitted.warnings.end());
  evaluate(evaluation, emitted, run);
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
  RunSampling sampling(settings, lanes, child, progress);
  sampling.follow(done.get(), run);
  if (launch.takes_terminal) tcsetpgrp(STDIN_FILENO, getpgrp());

  take_process_end(child.reap(), run);
  for (const auto& process : end_descendants(not_the_workload, grace_period))
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
