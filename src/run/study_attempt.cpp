// SPDX-License-Identifier: Apache-2.0
#include "run/study_attempt.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "run/signal_descriptor.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

void make_directory_for(const fs::path& path, const std::optional<Identity>& owner) {
  fs::create_directories(path);
  if (owner && chown(path.c_str(), owner->user, owner->group) != 0)
    throw Error(
        fmt::format("cannot give {} to the calling user: {}", path.string(), error_text(errno)));
}

/// A directory of one run's own: the workload's user may write there, and it is gone afterwards.
class ScratchDirectory {
 public:
  ScratchDirectory(fs::path path, const std::optional<Identity>& owner) : path_(std::move(path)) {
    make_directory_for(path_, owner);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

 private:
  fs::path path_;
};

/// How often the kernel has killed for want of memory since boot.
std::uint64_t oom_kills(const fs::path& root) {
  const auto text = read_optional(root / "proc/vmstat").value_or("");
  for (const auto line : split(text, '\n'))
    if (line.starts_with("oom_kill "))
      return static_cast<std::uint64_t>(parse_integer(line.substr(9)).value_or(0));
  return 0;
}

/// Waits for the end of a command that is not measured; a signal to us ends it.
int wait_for(WaitingChild& child, int signals) {
  for (;;) {
    pollfd watched[2] = {{child.pidfd(), POLLIN, 0}, {signals, POLLIN, 0}};
    poll(watched, signals >= 0 ? 2 : 1, -1);
    if (watched[0].revents) return child.reap().status;
    child.signal_group(SIGKILL);  // the signal stays for the loop over runs to see
    pollfd ended{child.pidfd(), POLLIN, 0};
    poll(&ended, 1, -1);
    return child.reap().status;
  }
}

}  // namespace

CellRun::CellRun(const Study& study, const Cell& cell, const StudySettings& settings,
                 Guardian& guardian)
    : study_(study), settings_(settings), guardian_(guardian), cell_(cell) {}

Launch CellRun::launch_of(const std::vector<std::string>& words) const {
  Launch launch;
  launch.argv = words;
  launch.directory = fs::path(study_.directory) / workload_.directory;
  launch.identity = settings_.identity;
  for (const auto& [name, value] : workload_.variables)
    launch.environment.emplace_back(name, value);
  launch.environment.emplace_back("PRENGDL_SEED", std::to_string(place_.seed));
  launch.environment.emplace_back("PRENGDL_BLOCK", std::to_string(place_.block));
  launch.environment.emplace_back("PRENGDL_RUN", place_.run);
  if (!workload_.environment.empty()) {
    const fs::path directory = settings_.environment(workload_.environment);
    const char* path = std::getenv("PATH");
    launch.environment.emplace_back("VIRTUAL_ENV", directory.string());
    launch.environment.emplace_back("PATH", (directory / "bin").string() + ":" +
                                                (path ? path : "/usr/local/bin:/usr/bin:/bin"));
  }
  launch.cpus = study_.protocol.control.cpus;
  launch.nice = study_.protocol.control.nice;
  return launch;
}

bool CellRun::run_unmeasured(const std::vector<std::vector<std::string>>& commands, StoredRun& run,
                             const char* when) {
  for (const auto& words : commands) {
    Launch launch = launch_of(words);
    const fs::path log = logs_ / when;
    const FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const FileDescriptor output(
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    launch.standard_input = null.get();
    launch.standard_output = launch.standard_error = output.get();
    std::string trouble;
    try {
      WaitingChild child(launch);
      guardian_.watch(child.pid(), "");
      child.open_gate();
      const int status = wait_for(child, settings_.signals);
      guardian_.watch_nothing();
      if (status != 0)
        trouble = WIFEXITED(status) ? fmt::format("exit {}", WEXITSTATUS(status))
                                    : fmt::format("signal {}", WTERMSIG(status));
    } catch (const Error& error) {
      trouble = error.what();
    }
    if (trouble.empty()) continue;
    run.run.warnings.push_back(
        fmt::format("{} failed: {}: {}", when, shell_line(launch.argv), trouble));
    return false;
  }
  return true;
}

Outcome CellRun::outcome_of(const StoredRun& stored, std::uint64_t oom_kills_before) const {
  const Run& run = stored.run;
  if (run.interrupted) return Outcome::interrupted;
  if (run.timed_out) return Outcome::timeout;
  if (run.signal == SIGKILL && oom_kills(settings_.root) > oom_kills_before)
    return Outcome::out_of_memory;
  if (!succeeded(run)) return Outcome::failed;
  return Outcome::ok;
}

SampleLog CellRun::execute(StoredRun& stored, const Meters& meters,
                           const std::optional<Baseline>& baseline, const WhileRunning& progress) {
  const fs::path scratch = settings_.result / "scratch" / stored.id;
  place_ = {stored.seed, stored.block, stored.id, settings_.result.string(), scratch.string()};
  workload_ = expanded(workload_for(study_, cell_), placeholders_of(study_, cell_, place_));
  logs_ = settings_.result / "logs" / stored.id;
  const ScratchDirectory own(scratch, settings_.identity);
  make_directory_for(logs_, settings_.identity);

  AttemptSettings attempt_settings;
  attempt_settings.launch = launch_of(workload_.command);
  attempt_settings.output = {OutputChoice::To::kept, false, logs_, true};
  attempt_settings.interval = study_.protocol.interval;
  attempt_settings.timeout = workload_.timeout ? workload_.timeout : study_.protocol.timeout;
  attempt_settings.root = settings_.root;
  attempt_settings.signals = settings_.signals;
  attempt_settings.gpu_processes = settings_.gpu_processes;
  attempt_settings.spare = {guardian_.process()};
  attempt_settings.made = [&](pid_t group, const fs::path& events) {
    guardian_.watch(group, events);
  };
  SampleLog samples;
  attempt_settings.keep_samples = [&](const std::vector<const MeterInfo*>& infos, SampleLog&& all) {
    for (const auto* info : infos) stored.meters.push_back(*info);
    samples = std::move(all);
  };
  const std::string input_file =
      workload_.standard_input.empty()
          ? "/dev/null"
          : (fs::path(study_.directory) / workload_.standard_input).string();
  const FileDescriptor input(::open(input_file.c_str(), O_RDONLY | O_CLOEXEC));
  attempt_settings.launch.standard_input = input.get();

  const std::uint64_t oom_before = oom_kills(settings_.root);
  if (!input) {
    stored.outcome = Outcome::failed;
    stored.run.warnings.push_back(fmt::format("cannot read {}: {}", input_file, error_text(errno)));
  } else if (!run_unmeasured(workload_.prepare, stored, "prepare")) {
    stored.outcome = signal_waits(settings_.signals) ? Outcome::interrupted : Outcome::failed;
  } else {
    try {
      auto warnings = std::move(stored.run.warnings);
      stored.run = attempt(attempt_settings, meters, baseline, progress);
      stored.run.warnings.insert(stored.run.warnings.begin(), warnings.begin(), warnings.end());
      stored.outcome = outcome_of(stored, oom_before);
    } catch (const Error& error) {  // the command cannot be started: an outcome like any other
      stored.outcome = Outcome::failed;
      stored.run.warnings.emplace_back(error.what());
    }
    guardian_.watch_nothing();
  }
  stored.log_tail = stored.run.output_tail;
  if (stored.outcome == Outcome::ok)
    for (const auto& output : workload_.outputs) {
      const fs::path file = attempt_settings.launch.directory / output;
      if (std::error_code none; fs::exists(file, none)) continue;
      stored.outcome = Outcome::missing_output;
      stored.run.warnings.push_back(file.string() + " is missing after the run");
    }
  run_unmeasured(workload_.cleanup, stored, "cleanup");
  return samples;
}

}  // namespace prengdl
