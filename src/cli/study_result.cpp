// SPDX-License-Identifier: Apache-2.0
#include "cli/study_result.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

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

StudyRecord record_of(const Study& study, const Design& design, const std::string& text) {
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
  return record;
}

}  // namespace

std::filesystem::path environment_directory(const std::string& name) {
  // A path is taken as it is: any virtual environment will do.
  if (name.find('/') != std::string::npos) {
    if (std::filesystem::is_directory(name)) return name;
    throw Error("there is no environment " + name, "make it with python3 -m venv, or name another");
  }
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path directory =
      (cache && *cache ? std::filesystem::path(cache)
                       : std::filesystem::path(home ? home : "/root") / ".cache") /
      "prengdl" / "environments" / name;
  if (std::filesystem::is_directory(directory)) return directory;
  throw Error(fmt::format("the environment {} is not there: {}", name, directory.string()),
              "make it with: prengdl setup STUDY");
}

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
                        const Design& design, const std::string& text) {
  if (!ResultStore::exists(directory))
    return ResultStore::create(directory, record_of(study, design, text));
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
  return store;
}

Stored what_is_stored(std::vector<StoredRun> runs) {
  Stored stored;
  std::sort(runs.begin(), runs.end(),
            [](const auto& a, const auto& b) { return a.attempt < b.attempt; });
  for (const auto& run : runs) {
    if (run.run.energy.metered) stored.energy += run.run.energy.metered->value;
    stored.time += run.run.wall;
    if (run.run.settling) stored.time += run.run.settling->took;
    if (run.is_warmup) continue;
    if (run.outcome != Outcome::ok) ++stored.failures;
    stored.places[run.place].push_back({run.id, run.outcome, is_disturbed(run)});
  }
  return stored;
}

void give_to_caller(const std::filesystem::path& result) {
  const auto owner = calling_user();
  if (!owner) return;
  std::error_code ignored;
  [[maybe_unused]] int failed = lchown(result.c_str(), owner->user, owner->group);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(result, ignored))
    failed = lchown(entry.path().c_str(), owner->user, owner->group);
}

StoreKeeper::StoreKeeper(ResultStore& store, const Study& study, const Design& design)
    : store_(store), study_(study), design_(design) {}

void StoreKeeper::keep(const StoredRun& run, const SampleLog& samples) {
  const auto record = store_.record(run.id);
  samples.for_each([&](const Sample& sample) { record->add(sample.meter, sample.reading); });
  record->finish(run);
  if (++waiting_ >= most_waiting) settle_up();
}

void StoreKeeper::settle_up() {
  store_.take_in();
  waiting_ = 0;
}

void StoreKeeper::note(const std::string& kind, const std::string& detail) {
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
