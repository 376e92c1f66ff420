// SPDX-License-Identifier: Apache-2.0
#include "run/study_run.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/files.h"
#include "base/limits.h"
#include "base/own_files.h"
#include "base/text.h"
#include "run/baseline.h"
#include "run/controlled_machine.h"
#include "run/pace.h"
#include "run/signal_descriptor.h"
#include "run/study_attempt.h"
#include "run/study_workload.h"

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
std::unique_ptr<ControlledMachine> controlled(const StudySettings& settings, const Study& study,
                                              RunKeeper& keeper) {
  try {
    return std::make_unique<ControlledMachine>(settings.root, study.protocol.control);
  } catch (const Error& error) {
    keeper.note("settings-failed", error.what());
    throw;
  }
}

const std::vector<Tried>& tries_at(const StudySettings& settings, const PlannedRun& planned) {
  static const std::vector<Tried> none;
  const auto tries = settings.places.find(planned.place);
  return tries == settings.places.end() ? none : tries->second;
}

std::size_t forgiven_of(const StudySettings& settings, const std::vector<Tried>& tries) {
  const bool has_failed = !tries.empty() && tries.back().outcome != Outcome::ok;
  return settings.retry_failed && has_failed ? tries.size() : 0;
}

bool is_done(const Study& study, const Cell& cell, const PlannedRun& planned,
             const StudySettings& settings) {
  const auto& tries = tries_at(settings, planned);
  return !due_attempt(study, cell, tries, forgiven_of(settings, tries));
}

class StudyRunner {
 public:
  StudyRunner(const Study& study, const std::vector<PlannedRun>& plan,
              const std::vector<Cell>& cells, const StudySettings& settings, const Meters& meters,
              Clock& clock, RunKeeper& keeper)
      : study_(study),
        plan_(plan),
        cells_(cells),
        settings_(settings),
        meters_(meters),
        clock_(clock),
        keeper_(keeper),
        energy_(settings.energy_before),
        quality_(settings.quality_before),
        begin_ns_(clock.now_ns()),
        pace_(begin_ns_),
        machine_(controlled(settings, study, keeper)) {
    // The workload must not inherit the CPUs of the sampler.
    if (!study_.protocol.control.sampler_cpus.empty() && study_.protocol.control.cpus.empty())
      study_.protocol.control.cpus = allowed_cpus();
    stay_on(study_.protocol.control.sampler_cpus);
    end_.failures = settings.failures_before;
    for (const auto& planned : plan_) {
      blocks_ = std::max(blocks_, planned.block + 1);
      if (is_done(study_, cells_.at(planned.cell), planned, settings_)) ++end_.done;
    }
    due_ = due_runs(study_, plan_, cells_, settings_);
    left_ = due_.size();
  }

  StudyEnd run() {
    for (const auto& thing : machine_->recovered()) keeper_.note("restored", thing);
    // The result is ours alone: what lies there was left by a run that was killed.
    std::error_code ignored;
    std::filesystem::remove_all(settings_.result / "scratch", ignored);
    std::optional<std::size_t> block;
    for (const auto& planned : due_) {
      if (block != planned.block) {
        block = planned.block;
        baseline_.reset();
        look_for_decided_units(planned.block);
      }
      if (stopped() || over_budget()) break;
      const Cell& cell = cells_.at(planned.cell);
      if (given_up_.contains(planned.cell) || decided_.contains(planned.cell)) {
        --left_;
        continue;
      }
      if (study_.protocol.idle && !baseline_) measure_idle(planned, cell);
      warm_up(planned, cell);
      if (stopped()) break;
      place(planned, cell);
      if (interrupted_) break;
    }
    if (settings_.profile && !interrupted_ && end_.why != StudyEnd::Why::budget) make_profiles();
    if (interrupted_) end_.why = StudyEnd::Why::interrupted;
    return end_;
  }

  /// What could not be restored, which is noted too.
  std::vector<std::string> restore_machine() {
    auto troubles = machine_->restore();
    for (const auto& trouble : troubles) keeper_.note("not-restored", trouble);
    return troubles;
  }

 private:
  bool stopped() {
    interrupted_ = interrupted_ || signal_waits(settings_.signals);
    return interrupted_;
  }

  /// Early stopping is decided between blocks only, and for a unit as a whole.
  void look_for_decided_units(std::size_t block) {
    if (study_.protocol.stopping.rule == Stopping::Rule::never ||
        block < study_.protocol.stopping.at_least)
      return;
    std::size_t decided = 0;
    for (std::size_t i = 0; i < settings_.units.size(); ++i) {
      const auto& unit = settings_.units[i];
      if (!unit.empty() && decided_.contains(unit.front())) {
        ++decided;
        continue;
      }
      const auto why = keeper_.may_stop(i);
      if (!why) continue;
      decided_.insert(unit.begin(), unit.end());
      ++decided;
      keeper_.note("stop-early", *why);
      end_.detail = *why;
    }
    if (decided == settings_.units.size()) end_.why = StudyEnd::Why::stopped_early;
  }

  bool over_budget() {
    const Seconds spent = settings_.time_before + seconds_between(begin_ns_, clock_.now_ns());
    if (study_.protocol.budget_energy && energy_ >= *study_.protocol.budget_energy)
      end_.detail = fmt::format("{} were used", with_prefix(energy_.value, "J"));
    else if (study_.protocol.budget_time && spent >= *study_.protocol.budget_time)
      end_.detail = fmt::format("{} have passed", for_people(spent));
    else
      return false;
    end_.why = StudyEnd::Why::budget;
    return true;
  }

  void say(const std::string& doing, const PlannedRun& planned, const Cell& cell,
           const std::optional<Power>& power = {}, const std::string& ended = "") {
    if (!settings_.progress) return;
    StudyProgress progress{doing,         name_of(study_, cell),
                           planned.block, blocks_,
                           end_.done,     plan_.size(),
                           end_.failures, energy_,
                           quality_,      power,
                           std::nullopt,  ended,
                           is_profiling_};
    progress.time_left = pace_.left(left_, clock_.now_ns());
    settings_.progress(progress);
  }

  void measure_idle(const PlannedRun& planned, const Cell& cell) {
    say("measuring the idle machine", planned, cell);
    baseline_ = measure_baseline(meters_, *study_.protocol.idle, clock_, [&] { return stopped(); });
  }

  /// Once per cell and start of `run`: what a cold cache costs is not what the study asks.
  void warm_up(const PlannedRun& planned, const Cell& cell) {
    if (!warmed_up_.insert(planned.cell).second) return;
    for (std::size_t i = 0; i < study_.protocol.warmup && !stopped(); ++i) {
      say("warming up", planned, cell);
      StoredRun run = numbered(planned, cell, 0);
      run.is_warmup = true;
      run.id = "warmup-" + run.id;
      execute(run, planned, cell, "warming up");
    }
  }

  /// One more run of each cell, which is not counted: the profiler slows it down.
  void make_profiles() {
    is_profiling_ = true;
    std::set<std::size_t> seen;
    std::vector<PlannedRun> without;
    for (const auto& planned : plan_)
      if (seen.insert(planned.cell).second && !given_up_.contains(planned.cell) &&
          !is_there(settings_.profile(cells_.at(planned.cell))))
        without.push_back(planned);
    for (std::size_t i = 0; i < without.size() && !stopped(); ++i) {
      const Cell& cell = cells_.at(without[i].cell);
      make_profile(without[i], cell, settings_.profile(cell),
                   fmt::format("{} of {}", i + 1, without.size()));
    }
  }

  void make_profile(const PlannedRun& planned, const Cell& cell, const std::filesystem::path& file,
                    const std::string& which) {
    CellRun cell_run(study_, cell, settings_, guardian_);
    const std::filesystem::path aside = file.string() + ".part";
    if (!cell_run.profile_to(aside)) {
      end_.unprofiled.push_back(name_of(study_, cell) + ": its command is not Python's");
      return;
    }
    say("profiling " + which, planned, cell);
    StoredRun run = numbered(planned, cell, 0);
    run.is_warmup = true;
    run.id = "profile-" + run.id;
    const auto progress = [&](Seconds, const std::optional<Power>& power) {
      say("profiling " + which, planned, cell, power);
    };
    const SampleLog samples = cell_run.execute(run, meters_, baseline_, progress);
    run.run.flags.emplace_back("profiled");
    if (run.outcome == Outcome::interrupted) {
      interrupted_ = true;
      return;
    }
    keeper_.keep(run, samples);
    std::error_code missing;
    if (run.outcome == Outcome::ok) std::filesystem::rename(aside, file, missing);
    if (run.outcome != Outcome::ok || missing)
      end_.unprofiled.push_back(
          fmt::format("{}: the run under the profiler {}", name_of(study_, cell),
                      run.outcome == Outcome::ok ? "left no dump" : "failed"));
    else
      keeper_.note("profile", name_of(study_, cell));
    say(run.outcome == Outcome::ok ? "profiled " + which : "failed: " + failure_of(run), planned,
        cell, power_, run.id);
  }

  StoredRun numbered(const PlannedRun& planned, const Cell& cell, std::size_t attempt) const {
    StoredRun run;
    run.id = new_run_id(planned.block, planned.place, attempt);
    run.cell = cell;
    run.block = planned.block;
    run.place = planned.place;
    run.attempt = attempt;
    run.seed = planned.seed;
    run.machine = settings_.machine;
    return run;
  }

  /// All attempts that a place of the plan is due.
  void place(const PlannedRun& planned, const Cell& cell) {
    std::vector<Tried> tries = tries_at(settings_, planned);
    const std::size_t forgiven = forgiven_of(settings_, tries);
    std::string failure;
    while (const auto due = due_attempt(study_, cell, tries, forgiven)) {
      StoredRun run = numbered(planned, cell, due->attempt);
      run.repeats = due->repeats;
      run.run.settling = prepare_machine(planned, cell);
      if (stopped()) return;
      execute(run, planned, cell, "running");
      if (interrupted_) return;
      count(run, planned, cell);
      tries.push_back({run.id, run.outcome, is_disturbed(run)});
      failure = run.outcome == Outcome::ok ? "" : failure_of(run);
    }
    ++end_.done;
    --left_;
    pace_.one_done(clock_.now_ns());
    say(failure.empty() ? "done" : "failed: " + failure, planned, cell, power_, tries.back().run);
  }

  std::optional<Settling> prepare_machine(const PlannedRun& planned, const Cell& cell) {
    if (study_.protocol.control.drop_caches) machine_->drop_caches();
    if (study_.protocol.start == Start::warm) {
      say("warming the machine", planned, cell);
      run_control_load(planned);
      return std::nullopt;
    }
    if (!study_.protocol.settle_at_most) return std::nullopt;
    say("waiting for a quiet machine", planned, cell);
    auto settling = settle(
        meters_, baseline_, *study_.protocol.settle_at_most, settings_.root, clock_,
        [&] { return stopped(); }, band_);
    misses_ = settling.settled ? 0 : misses_ + 1;
    if (misses_ >= most_settle_misses && band_ < widest_band) {
      band_ = std::min(2 * band_, widest_band);
      misses_ = 0;
      keeper_.note("band",
                   fmt::format("the machine did not settle {} times: the band is now {:g} %",
                               most_settle_misses, 100 * band_));
    }
    return settling;
  }

  /// The same load before every run: starts all from the same heat.
  void run_control_load(const PlannedRun& planned) {
    Launch launch;
    const std::filesystem::path scratch = settings_.result / "scratch";
    make_own_directory(settings_.result, "scratch");
    const auto values =
        placeholders_of(study_, {},
                        {planned.seed, planned.block, "warm", settings_.result.string(),
                         scratch.string(), settings_.data.string()});
    for (const auto& word : study_.protocol.warm_command)
      launch.argv.push_back(expand(word, values));
    launch.directory = study_.directory;
    launch.as_root = settings_.as_root;
    AttemptSettings attempt_settings;
    attempt_settings.launch = launch;
    attempt_settings.output.to = OutputChoice::To::hidden;
    attempt_settings.signals = settings_.signals;
    attempt_settings.root = settings_.root;
    attempt_settings.spare = {guardian_.process()};
    const Run run = attempt(attempt_settings, {}, std::nullopt, {});
    interrupted_ = interrupted_ || run.interrupted;
    if (!run.interrupted && !succeeded(run))
      throw Error(
          "the control load of protocol.warm_command failed: " + shortened(run.output_tail, 200),
          "try it by hand: " + shell_line(launch.argv));
  }

  void execute(StoredRun& run, const PlannedRun& planned, const Cell& cell,
               const std::string& doing) {
    const auto settling = run.run.settling;
    CellRun cell_run(study_, cell, settings_, guardian_);
    const auto progress = [&](Seconds, const std::optional<Power>& power) {
      say(doing, planned, cell, power);
    };
    const SampleLog samples = cell_run.execute(run, meters_, baseline_, progress);
    run.run.block = run.block;
    run.run.order = run.place;
    run.run.settling = settling;
    if (settling && !settling->settled) run.run.flags.emplace_back("not-settled");
    if (settling && band_ > default_power_band) run.run.flags.emplace_back("band-widened");
    if (run.outcome == Outcome::interrupted) {
      interrupted_ = true;  // the run in progress is all that is lost
      return;
    }
    keeper_.keep(run, samples);
    power_.reset();
    if (const auto& metered = run.run.energy.metered) {
      if (run.run.window > Seconds{0})
        power_ = Power{metered->value / run.run.window, metered->quality};
      energy_ += metered->value;
      quality_ = std::max(quality_.value_or(metered->quality), metered->quality);
    }
  }

  void count(const StoredRun& run, const PlannedRun& planned, const Cell& cell) {
    if (run.outcome == Outcome::ok) {
      failures_in_a_row_[planned.cell] = 0;
      return;
    }
    ++end_.failures;
    if (++failures_in_a_row_[planned.cell] < study_.protocol.give_up_after) return;
    if (!given_up_.insert(planned.cell).second) return;
    end_.given_up.push_back(name_of(study_, cell));
    keeper_.note("give-up",
                 fmt::format("{} failed {} times in a row, last: {}", name_of(study_, cell),
                             study_.protocol.give_up_after, name_of(run.outcome)));
  }

  Study study_;
  const std::vector<PlannedRun>& plan_;
  const std::vector<Cell>& cells_;
  const StudySettings& settings_;
  const Meters& meters_;
  Clock& clock_;
  RunKeeper& keeper_;
  StudyEnd end_;
  std::size_t blocks_ = 0;
  Joules energy_;
  std::optional<Quality> quality_;
  std::optional<Power> power_;  // of the run before
  std::int64_t begin_ns_;
  Pace pace_;
  std::unique_ptr<ControlledMachine> machine_;
  Guardian guardian_;
  std::optional<Baseline> baseline_;
  std::set<std::size_t> warmed_up_;
  std::set<std::size_t> given_up_;
  std::set<std::size_t> decided_;  // cells of units that need no more runs
  std::vector<PlannedRun> due_;
  std::size_t left_ = 0;  // of them
  std::map<std::size_t, std::size_t> failures_in_a_row_;
  double band_ = default_power_band;
  int misses_ = 0;
  bool interrupted_ = false;
  bool is_profiling_ = false;
};

}  // namespace

std::optional<DueAttempt> due_attempt(const Study& study, const Cell& cell,
                                      const std::vector<Tried>& tries, std::size_t forgiven) {
  if (tries.empty()) return DueAttempt{};
  const Tried& last = tries.back();
  const auto disturbed = std::find_if(tries.begin(), tries.end(), [](const Tried& one) {
    return one.outcome == Outcome::ok && one.disturbed;
  });
  DueAttempt next{tries.size(), std::nullopt};
  if (disturbed != tries.end()) next.repeats = disturbed->run;
  if (last.outcome != Outcome::ok) {
    if (tries.size() <= forgiven) return next;
    const Retry retry = workload_for(study, cell).retry;
    const auto failures =
        std::count_if(tries.begin() + static_cast<std::ptrdiff_t>(forgiven), tries.end(),
                      [](const Tried& one) { return one.outcome != Outcome::ok; });
    const bool may_retry = last.outcome != Outcome::timeout || retry.after_timeout;
    return may_retry && failures <= retry.times ? std::optional(next) : std::nullopt;
  }
  // Heat and throttling are the workload's own doing; only what came from outside is repeated, and
  // only once, so that a busy machine cannot keep a study for ever.
  const bool is_first = next.repeats == last.run;
  if (study.protocol.repeat_disturbed && last.disturbed && is_first) return next;
  return std::nullopt;
}

std::vector<PlannedRun> due_runs(const Study& study, const std::vector<PlannedRun>& plan,
                                 const std::vector<Cell>& cells, const StudySettings& settings) {
  std::vector<PlannedRun> due;
  std::set<std::size_t> blocks;
  for (const auto& planned : plan) {
    if (is_done(study, cells.at(planned.cell), planned, settings)) continue;
    blocks.insert(planned.block);
    if (blocks.size() > settings.most_blocks) break;
    due.push_back(planned);
  }
  return due;
}

bool is_disturbed(const StoredRun& run) {
  return std::find(run.run.flags.begin(), run.run.flags.end(), "disturbed") != run.run.flags.end();
}

std::string new_run_id(std::size_t block, std::size_t place, std::size_t attempt) {
  std::uint32_t number{};
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    throw Error("the kernel gives no random numbers");
  return fmt::format("b{:04}-p{:06}-t{}-{:08x}", block + 1, place + 1, attempt, number);
}

StudyEnd run_study(const Study& study, const std::vector<PlannedRun>& plan,
                   const std::vector<Cell>& cells, const StudySettings& settings,
                   const Meters& meters, Clock& clock, RunKeeper& keeper) {
  require_open_files();
  StudyRunner runner(study, plan, cells, settings, meters, clock, keeper);
  try {
    StudyEnd end = runner.run();
    end.not_restored = runner.restore_machine();
    return end;
  } catch (const Error& error) {
    const auto troubles = runner.restore_machine();
    if (troubles.empty()) throw;
    throw Error(fmt::format("{}\nthe machine's settings could not be restored either: {}",
                            error.what(), troubles.front()),
                error.hint);
  }
}

}  // namespace prengdl
