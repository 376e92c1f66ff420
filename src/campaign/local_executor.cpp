// SPDX-License-Identifier: Apache-2.0
#include "campaign/local_executor.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/own_files.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "study/workload.h"

namespace prengdl {
namespace {

/// After so many misses in a row the idle band that a machine must return to is widened.
constexpr int most_settle_misses = 3;
constexpr double widest_band = 0.5;

void stay_on(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    throw Error("cannot keep the sampler on protocol.sampler_cpus: " + error_text(errno),
                "are they online, and allowed by the cgroup?");
}

/// The CPUs that we may run on now.
std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

/// Brings the machine to what the study wants. What cannot be restored after a killed run is on
/// record in the result, too.
std::unique_ptr<ControlledMachine> controlled(const LocalSettings& settings, const Study& study,
                                              RunKeeper& keeper) {
  if (!settings.controls_machine) return nullptr;
  try {
    return std::make_unique<ControlledMachine>(settings.cells.root, study.protocol.control);
  } catch (const Error& error) {
    keeper.note(StudyEventKind::settings_failed, error.what());
    throw;
  }
}

StoredRun numbered(const RunRequest& request, const std::string& machine) {
  StoredRun run;
  run.id = request.id;
  run.cell = request.cell;
  run.block = request.block;
  run.place = request.place;
  run.attempt = request.attempt;
  run.is_warmup = request.kind != RunRequest::Kind::counted;
  run.seed = request.seed;
  run.machine = machine;
  run.repeats = request.repeats;
  return run;
}

void report(const ExecutorReports& reports, const RunRequest& request, Phase phase) {
  if (reports.doing) reports.doing(request, phase, std::nullopt);
}

}  // namespace

LocalExecutor::LocalExecutor(const Study& study, const LocalSettings& settings,
                             const Meters& meters, Clock& clock, RunKeeper& keeper)
    : study_(study), settings_(settings), meters_(meters), clock_(clock), keeper_(keeper) {
  require_open_files();
  machine_ = controlled(settings, study, keeper);
  // The workload must not inherit the CPUs of the sampler.
  auto& control = study_.protocol.control;
  if (!control.sampler_cpus.empty() && control.cpus.empty()) control.cpus = allowed_cpus();
  stay_on(control.sampler_cpus);
  if (machine_)
    for (const auto& thing : machine_->recovered()) keeper_.note(StudyEventKind::restored, thing);
  if (settings_.cells.result.empty()) return;
  guardian_.emplace();
  // It is ours alone: what lies there was left by a run that was killed.
  std::error_code ignored;
  std::filesystem::remove_all(scratch_of(settings_.cells), ignored);
}

std::vector<std::string> LocalExecutor::finish() {
  return machine_ ? machine_->restore() : std::vector<std::string>{};
}

bool LocalExecutor::wants_to_stop() {
  is_interrupted_ = is_interrupted_ || signal_waits(settings_.cells.signals);
  return is_interrupted_;
}

Execution LocalExecutor::make(const std::vector<RunRequest>& runs, const Protocol& protocol,
                              const ExecutorReports& reports) {
  for (const auto& request : runs) {
    if (settings_.leaves_off && settings_.leaves_off(request)) is_interrupted_ = true;
    if (wants_to_stop()) return {true, std::nullopt};
    const bool is_of_plan = request.kind != RunRequest::Kind::profile;
    if (is_of_plan && protocol.idle && baseline_block_ != request.block)
      measure_idle(request, *protocol.idle, reports);
    std::optional<Settling> settling;
    if (request.kind == RunRequest::Kind::counted)
      settling = prepare_machine(request, protocol, reports);
    if (wants_to_stop()) return {true, std::nullopt};
    StoredRun run = execute(request, settling, reports);
    if (run.outcome == Outcome::interrupted) return {true, std::move(run)};
    if (!reports.made(run)) break;
  }
  return {};
}

void LocalExecutor::measure_idle(const RunRequest& request, Seconds duration,
                                 const ExecutorReports& reports) {
  report(reports, request, Phase::idle_machine);
  baseline_ = measure_baseline(meters_, duration, clock_, [&] { return wants_to_stop(); });
  baseline_block_ = request.block;
}

std::optional<Settling> LocalExecutor::prepare_machine(const RunRequest& request,
                                                       const Protocol& protocol,
                                                       const ExecutorReports& reports) {
  if (protocol.control.drop_caches && machine_) machine_->drop_caches();
  if (protocol.start == Start::warm) {
    report(reports, request, Phase::control_load);
    run_control_load(request, protocol);
    return std::nullopt;
  }
  if (!protocol.settle_at_most) return std::nullopt;
  report(reports, request, Phase::quiet_machine);
  return wait_for_quiet(*protocol.settle_at_most);
}

Settling LocalExecutor::wait_for_quiet(Seconds at_most) {
  const auto settling = settle(
      meters_, baseline_, at_most, settings_.cells.root, clock_, [&] { return wants_to_stop(); },
      band_);
  misses_ = settling.settled ? 0 : misses_ + 1;
  if (misses_ >= most_settle_misses && band_ < widest_band) {
    band_ = std::min(2 * band_, widest_band);
    misses_ = 0;
    keeper_.note(StudyEventKind::band,
                 fmt::format("the machine did not settle {} times: the band is now {:g} %",
                             most_settle_misses, 100 * band_));
  }
  return settling;
}

/// The same load before every run: starts all from the same heat.
void LocalExecutor::run_control_load(const RunRequest& request, const Protocol& protocol) {
  const auto& cells = settings_.cells;
  const std::filesystem::path scratch = scratch_of(cells);
  make_own_directory(scratch.parent_path(), scratch.filename());
  const auto values = placeholders_of(study_, {},
                                      {request.seed, request.block, "warm", cells.result.string(),
                                       scratch.string(), cells.data.string()});
  AttemptSettings load;
  for (const auto& word : protocol.warm_command) load.launch.argv.push_back(expand(word, values));
  load.launch.directory = study_.directory;
  load.launch.as_root = cells.as_root;
  load.output.to = OutputChoice::To::hidden;
  load.signals = cells.signals;
  load.root = cells.root;
  if (guardian_) load.spare = {guardian_->process()};
  const Run run = attempt(load, {}, std::nullopt, {});
  is_interrupted_ = is_interrupted_ || run.interrupted;
  if (!run.interrupted && !succeeded(run))
    throw Error(
        "the control load of protocol.warm_command failed: " + shortened(run.output_tail, 200),
        "try it by hand: " + shell_line(load.launch.argv));
}

/// One run, kept unless it was interrupted: that run is all that is lost then.
StoredRun LocalExecutor::execute(const RunRequest& request, const std::optional<Settling>& settling,
                                 const ExecutorReports& reports) {
  const bool is_profile = request.kind == RunRequest::Kind::profile;
  const std::filesystem::path aside = request.profile.string() + ".part";
  StoredRun run = numbered(request, settings_.machine);
  CellRun cell_run(study_, run.cell, settings_.cells, guardian_ ? &*guardian_ : nullptr);
  if (is_profile) cell_run.profile_to(aside);
  WhileRunning progress;
  if (reports.doing)
    progress = [&](Seconds, const std::optional<Power>& power) {
      reports.doing(request, Phase::run, power);
    };
  auto beside = settings_.beside ? settings_.beside(request) : nullptr;
  const SampleLog samples = cell_run.execute(run, meters_, baseline_, progress);
  beside.reset();
  run.run.block = run.block;
  run.run.order = run.place;
  run.run.settling = settling;
  if (settling && !settling->settled) run.run.flags.insert(Flag::not_settled);
  if (settling && band_ > default_power_band) run.run.flags.insert(Flag::band_widened);
  if (is_profile) run.run.flags.insert(Flag::profiled);
  if (run.outcome == Outcome::interrupted) {
    is_interrupted_ = true;
    return run;
  }
  keeper_.keep(run, samples);
  std::error_code missing;  // then the campaign sees that there is no dump
  if (is_profile && run.outcome == Outcome::ok)
    std::filesystem::rename(aside, request.profile, missing);
  return run;
}

}  // namespace prengdl
