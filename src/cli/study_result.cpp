// SPDX-License-Identifier: Apache-2.0
#include "cli/study_result.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/unit_values.h"
#include "base/calendar.h"
#include "base/difference.h"
#include "base/text.h"
#include "meters/gpu_facts.h"
#include "run/machine.h"

namespace prengdl {
namespace {

/// A record is safe by itself; the database takes in some at a time, since each commit is a sync.
constexpr std::size_t most_waiting = 32;

StudyRecord record_of(const Study& study, const Design& design, const std::string& text,
                      const Locks& locks) {
  StudyRecord record;
  record.name = study.name;
  record.text = text;
  record.preset = study.preset;
  record.factors = study.factors;
  record.planned_runs = design.size();
  record.blocks = design.blocks();
  record.seed = study.seed;
  record.prengdl_version = PRENGDL_VERSION;
  record.created_at = utc_now();
  record.locks = locks;
  return record;
}

/// Runs of one study are made in the same environments, or they are runs of another study. Those of
/// cells that had no runs so far are added.
void check_locks(ResultStore& store, const Locks& stored, const Locks& now) {
  for (const auto& lock : now) {
    if (std::find(stored.begin(), stored.end(), lock) != stored.end()) continue;
    const auto before = std::find_if(stored.begin(), stored.end(),
                                     [&](const auto& other) { return other.first == lock.first; });
    if (before == stored.end()) {
      store.add_lock(lock.first, lock.second);
      continue;
    }
    std::string what;
    for (const auto& line : difference(before->second, lock.second))
      what += "\n    " + printable(line);
    throw Error(
        fmt::format("{} holds runs that were made when the environment {} was another one:{}",
                    store.directory().string(), lock.first, what),
        "choose another directory with -o, or take the change of the environment back");
  }
}

}  // namespace

MachineRecord this_machine(const MeterSearch& search) {
  MachineRecord record;
  record.facts = read_machine(search.root, search.environment);
  std::vector<std::string> gpus;
  for (const auto& gpu : nvml_facts(search)) gpus.push_back(gpu.name);
  for (const auto& gpu : rocm_facts(search)) gpus.push_back(gpu.name);
  record.fingerprint = fingerprint(record.facts, gpus);
  return record;
}

ResultStore open_result(const std::filesystem::path& directory, const Study& study,
                        const Design& design, const std::string& text, const Locks& locks) {
  if (!ResultStore::exists(directory))
    return ResultStore::create(directory, record_of(study, design, text, locks));
  auto store = ResultStore::open(directory, Access::read_write);
  const StudyRecord stored = store.study();
  std::string what;
  for (const auto& line : difference(stored.text, text)) what += "\n    " + printable(line);
  if (what.empty() && stored.preset != study.preset)
    what = fmt::format("\n    -preset {}\n    +preset {}", stored.preset, study.preset);
  if (!what.empty())
    throw Error(
        fmt::format("{} holds runs of another version of this study:{}", directory.string(), what),
        fmt::format("choose another directory with -o, take the change back, or go on as it "
                    "was: prengdl run {}",
                    (directory / "study.toml").string()));
  // The intervals of a study that may stop early allow for the looks of its plan and no others.
  if (study.protocol.stopping.rule != Stopping::Rule::never && stored.blocks != study.runs)
    throw UsageError(
        fmt::format("{} was planned with {} runs and may stop early: {} is another plan, by whose "
                    "error rate its first runs were not looked at",
                    directory.string(), stored.blocks, study.runs),
        fmt::format("leave --runs out to go on, end earlier with --blocks, or start a new study "
                    "with -o and --runs {}",
                    study.runs));
  check_locks(store, stored.locks, locks);
  return store;
}

Stored what_is_stored(std::vector<StoredRun> runs) {
  Stored stored;
  std::sort(runs.begin(), runs.end(),
            [](const auto& a, const auto& b) { return a.attempt < b.attempt; });
  for (const auto& run : runs) {
    if (const auto& metered = run.run.energy.metered) {
      stored.energy += metered->value;
      stored.quality = std::max(stored.quality.value_or(metered->quality), metered->quality);
    }
    stored.time += run.run.wall;
    if (run.run.settling) stored.time += run.run.settling->took;
    if (run.is_warmup) continue;
    if (run.outcome != Outcome::ok) ++stored.failures;
    stored.places[run.place].push_back({run.id, run.outcome, is_disturbed(run)});
  }
  return stored;
}

StoreKeeper::StoreKeeper(ResultStore& store, const Study& study, const Design& design)
    : store_(store), study_(study), design_(design) {}

void StoreKeeper::keep(const StoredRun& run, const SampleLog& samples) {
  const auto record = store_.record(run.id);
  samples.for_each([&](const Sample& sample) { record->add(sample.meter, sample.reading); });
  record->finish(run);
  kept_.push_back(run.id);
  store_.check_is_there();
  if (++waiting_ >= most_waiting) settle_up();
}

void StoreKeeper::settle_up() {
  store_.take_in();
  waiting_ = 0;
}

void StoreKeeper::note(const std::string& kind, const std::string& detail) {
  store_.check_is_there();
  store_.add_event({utc_now(), kind, detail});
}

std::optional<std::string> StoreKeeper::may_stop(std::size_t unit) {
  settle_up();
  const auto& cells = design_.units().at(unit);
  std::size_t comparisons = 0;
  for (const auto& one : design_.units()) comparisons += one.size() * (one.size() - 1) / 2;
  const auto rule = stop_rule(study_, comparisons);
  if (!rule) throw Error(rule.error());
  const auto runs = store_.runs();
  const CountedRuns counted(design_.cells(), runs);
  StoppingInput input;
  input.rule = *rule;
  input.blocks = counted.whole_blocks(cells);
  input.comparisons = paired_values(study_, design_.cells(), cells, counted, input.blocks);
  const StopDecision decision = prengdl::may_stop(input);
  if (!decision.stop || !decision.early) return std::nullopt;
  return fmt::format("{}: {}", name_of(study_, design_.cells().at(cells.front())), decision.reason);
}

}  // namespace prengdl
