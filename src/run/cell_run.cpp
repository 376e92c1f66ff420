// SPDX-License-Identifier: Apache-2.0
#include "run/cell_run.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/files.h"
#include "base/own_files.h"
#include "base/parse.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "base/temporary.h"
#include "environments/python_path.h"
#include "environments/surroundings.h"
#include "profile/cprofile_command.h"
#include "run/watchers.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr int longest_ending_ms = 60'000;  // of a container

/// A directory of one run's own, which is gone afterwards.
class ScratchDirectory {
 public:
  ScratchDirectory(const fs::path& all, const std::string& run) : path_(all / run) {
    make_own_directory(all.parent_path(), all.filename() / run);
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

/// That somebody had the result shown meanwhile, and what that cost.
void note_watchers(const Watchers& watchers, Run& run) {
  const auto cpu = watchers.cpu_time();
  if (!cpu) return;
  run.flags.insert(Flag::watched);
  run.channels.push_back(
      {"watch_cpu_seconds", Unit::second, cpu->count(), cpu->count(), cpu->count()});
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

fs::path scratch_of(const CellRunSettings& settings) {
  return settings.scratch.empty() ? settings.result / "scratch" : settings.scratch;
}

CellRun::CellRun(const Study& study, const Cell& cell, const CellRunSettings& settings,
                 Guardian* guardian)
    : study_(study), settings_(settings), guardian_(guardian), cell_(cell) {}

Launch CellRun::launch_of(const std::vector<std::string>& words) {
  Launch launch;
  launch.argv = words;
  launch.directory = fs::path(study_.directory) / workload_.directory;
  launch.as_root = settings_.as_root;
  for (const auto& [name, value] : workload_.variables)
    launch.environment.emplace_back(name, value);
  launch.environment.emplace_back("PRENGDL_SEED", std::to_string(place_.seed));
  launch.environment.emplace_back("PRENGDL_BLOCK", std::to_string(place_.block));
  launch.environment.emplace_back("PRENGDL_RUN", place_.run);
  if (!place_.data.empty() && !workload_.variables.contains("PRENGDL_DATA"))
    launch.environment.emplace_back("PRENGDL_DATA", place_.data);
  launch.cpus = study_.protocol.control.cpus;
  launch.nice = study_.protocol.control.nice;
  const auto package = python_package_directory();
  const bool is_contained = site_ && site_->kind == EnvironmentSite::Kind::container;
  if (package)
    append_to_python_path(launch, *package,
                          is_contained ? python_path_in(site_->image) : own_python_path());
  if (site_) {
    view_.name = fmt::format("prengdl-{}-{}", place_.run, ++containers_);
    view_.mounts = {launch.directory, settings_.result};
    if (!settings_.scratch.empty()) view_.mounts.push_back(settings_.scratch);
    if (std::error_code none; fs::is_directory(place_.data, none))
      view_.mounts.emplace_back(place_.data);
    if (package) view_.mounts.push_back(*package);
    surround(launch, *site_, view_);
  }
  return launch;
}

/// A container keeps running when the program that started it is killed.
void CellRun::end_container() const {
  if (!site_ || site_->kind != EnvironmentSite::Kind::container) return;
  Launch launch;
  launch.argv = ending_of_container(site_->image, view_);
  if (launch.argv.empty()) return;
  launch.as_root = settings_.as_root;
  const FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  launch.standard_input = launch.standard_output = launch.standard_error = null.get();
  try {
    WaitingChild child(launch);
    child.open_gate();
    pollfd ended{child.pidfd(), POLLIN, 0};
    // An engine that hangs is killed with the child.
    if (poll(&ended, 1, longest_ending_ms) > 0) child.reap();
  } catch (const Error&) {  // then it could not have been started either
  }
}

bool CellRun::run_unmeasured(const std::vector<std::vector<std::string>>& commands, StoredRun& run,
                             const char* when) {
  for (const auto& words : commands) {
    Launch launch = launch_of(words);
    const fs::path log = logs_ / when;
    std::string trouble;
    try {
      const auto null = open_for_reading("/dev/null");
      if (!null) throw Error(null.error());  // else it would share our own input
      const FileDescriptor output = open_own_file(log, O_APPEND);
      launch.standard_input = null->get();
      launch.standard_output = launch.standard_error = output.get();
      WaitingChild child(launch);
      if (guardian_) guardian_->watch(child.pid(), "");
      child.open_gate();
      const int status = wait_for(child, settings_.signals);
      if (guardian_) guardian_->watch_nothing();
      if (status != 0)
        trouble = WIFEXITED(status) ? fmt::format("exit {}", WEXITSTATUS(status))
                                    : fmt::format("signal {}", WTERMSIG(status));
    } catch (const Error& error) {
      trouble = error.what();
    }
    if (trouble.empty()) continue;
    end_container();
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
  if (has_result() && run.signal == SIGKILL && oom_kills(settings_.root) > oom_kills_before)
    return Outcome::out_of_memory;
  return succeeded(run) || settings_.may_exit_anyhow ? Outcome::ok : Outcome::failed;
}

bool CellRun::profile_to(const fs::path& file) {
  const Workload workload = workload_for(study_, cell_);
  if (!under_cprofile(workload.command, file)) return false;
  make_own_directory(settings_.result, file.parent_path().lexically_relative(settings_.result));
  ::unlink(file.c_str());  // what a killed run has left, or someone has put there
  profile_ = file;
  return true;
}

/// The workload with all placeholders filled in, and what it runs in.
void CellRun::expand_workload(const StoredRun& stored) {
  const fs::path scratch = has_result() ? scratch_of(settings_) / stored.id : temporary_directory();
  place_ = {stored.seed,      stored.block,           stored.id, settings_.result.string(),
            scratch.string(), settings_.data.string()};
  const Workload written = workload_for(study_, cell_);
  Placeholders values = placeholders_of(study_, cell_, place_);
  for (const auto& name : environments_named_in(written)) {
    EnvironmentChoice choice;
    choice.name = name;
    values[std::string(environment_mark) + name] = settings_.environment(choice).directory;
  }
  workload_ = expanded(written, values);
  site_ = workload_.environment.empty() ? nullptr : &settings_.environment(workload_.environment);
  if (profile_) workload_.command = under_cprofile(workload_.command, *profile_).value();
}

AttemptSettings CellRun::attempt_settings(const StoredRun& stored) {
  AttemptSettings made;
  made.launch = launch_of(workload_.command);
  made.output = settings_.output.value_or(OutputChoice{OutputChoice::To::kept, false, logs_, true});
  made.number = stored.place;
  made.interval = study_.protocol.interval;
  made.timeout = workload_.timeout ? workload_.timeout : study_.protocol.timeout;
  made.root = settings_.root;
  // A container sees the events where it sees the result.
  if (site_ && site_->kind == EnvironmentSite::Kind::container) made.scratch = place_.scratch;
  made.signals = settings_.signals;
  made.gpu_processes = settings_.gpu_processes;
  made.chores = settings_.chores;
  made.spare = settings_.spare;
  if (guardian_) {
    made.spare.push_back(guardian_->process());
    made.made = [this](pid_t group, const fs::path& events) { guardian_->watch(group, events); };
  }
  return made;
}

/// What the workload reads. No descriptor if it shares our input, or if there is nothing to open,
/// which the run then says.
FileDescriptor CellRun::direct_input(Launch& launch, StoredRun& stored) const {
  if (settings_.shares_input) {
    launch.takes_terminal = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
    return {};
  }
  const std::string file = workload_.standard_input.empty()
                               ? "/dev/null"
                               : (fs::path(study_.directory) / workload_.standard_input).string();
  FileDescriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input) {
    stored.outcome = Outcome::failed;
    stored.run.warnings.push_back(fmt::format("cannot read {}: {}", file, error_text(errno)));
  }
  launch.standard_input = input.get();
  return input;
}

void CellRun::attempt_once(const AttemptSettings& settings, const Meters& meters,
                           const std::optional<Baseline>& baseline, const WhileRunning& progress,
                           StoredRun& stored) {
  const std::uint64_t oom_before = has_result() ? oom_kills(settings_.root) : 0;
  try {
    auto warnings = std::move(stored.run.warnings);
    std::optional<Watchers> watchers;
    if (has_result()) watchers.emplace(settings_.result);
    stored.run = attempt(settings, meters, baseline, progress);
    if (watchers) note_watchers(*watchers, stored.run);
    stored.run.warnings.insert(stored.run.warnings.begin(), warnings.begin(), warnings.end());
    stored.outcome = outcome_of(stored, oom_before);
  } catch (const Error& error) {  // the command cannot be started: an outcome like any other
    if (settings_.must_start) throw;
    stored.outcome = Outcome::failed;
    stored.run.warnings.emplace_back(error.what());
  }
  if (guardian_) guardian_->watch_nothing();
  if (stored.run.timed_out || stored.run.interrupted || stored.run.signal) end_container();
}

void CellRun::check_outputs(const fs::path& directory, StoredRun& stored) const {
  if (stored.outcome != Outcome::ok) return;
  for (const auto& output : workload_.outputs) {
    const fs::path file = directory / output;
    if (std::error_code none; fs::exists(file, none)) continue;
    stored.outcome = Outcome::missing_output;
    stored.run.warnings.push_back(file.string() + " is missing after the run");
  }
}

SampleLog CellRun::execute(StoredRun& stored, const Meters& meters,
                           const std::optional<Baseline>& baseline, const WhileRunning& progress) {
  expand_workload(stored);
  std::optional<ScratchDirectory> own;
  if (has_result()) own.emplace(scratch_of(settings_), stored.id);
  if (has_result() && !settings_.output) {
    logs_ = settings_.result / "logs" / stored.id;
    make_own_directory(settings_.result, fs::path("logs") / stored.id);
  }
  AttemptSettings settings = attempt_settings(stored);
  SampleLog samples;
  settings.keep_samples = [&](const std::vector<const MeterInfo*>& infos, SampleLog&& all) {
    for (const auto* info : infos) stored.meters.push_back(*info);
    samples = std::move(all);
  };
  const FileDescriptor input = direct_input(settings.launch, stored);
  if (stored.outcome == Outcome::ok) {
    if (run_unmeasured(workload_.prepare, stored, "prepare"))
      attempt_once(settings, meters, baseline, progress, stored);
    else
      stored.outcome = signal_waits(settings_.signals) ? Outcome::interrupted : Outcome::failed;
  }
  stored.log_tail = stored.run.output_tail;
  check_outputs(settings.launch.directory, stored);
  run_unmeasured(workload_.cleanup, stored, "cleanup");
  return samples;
}

}  // namespace prengdl
