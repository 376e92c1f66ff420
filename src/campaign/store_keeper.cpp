// SPDX-License-Identifier: Apache-2.0
#include "campaign/store_keeper.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/amounts.h"
#include "base/clock.h"
#include "base/difference.h"
#include "base/escaping.h"
#include "conclude/early_stopping.h"

namespace prengdl {
namespace {

/// A record is safe by itself; the database stores several at a time, since each commit is a sync.
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

ResultStore open_result(const std::filesystem::path& directory, const Study& study,
                        const Design& design, const std::string& text,
                        const std::string& registered, const Locks& locks) {
  if (!ResultStore::exists(directory)) {
    StudyRecord record = record_of(study, design, text, locks);
    record.registered = registered;
    return ResultStore::create(directory, record);
  }
  auto store = ResultStore::open(directory, Access::read_write);
  const StudyRecord stored = store.study();
  std::string what;
  for (const auto& line : difference(stored.text, text)) what += "\n    " + printable(line);
  if (what.empty() && stored.preset != study.preset)
    what = fmt::format("\n    -preset {}\n    +preset {}", stored.preset, study.preset);
  if (!what.empty())
    throw Error(
        fmt::format("{} holds runs of another version of this study:{}", directory.string(), what),
        fmt::format("choose another directory with -o, undo the change, or continue as it "
                    "was: prengdl run {}",
                    (directory / "study.toml").string()));
  // The intervals of a study that may stop early allow for the looks of its plan and no others.
  if (study.protocol.stopping.rule != Stopping::Rule::never && stored.blocks != study.runs)
    throw UsageError(
        fmt::format("{} was planned with {} runs and may stop early: {} is another plan, by whose "
                    "error rate its first runs were not looked at",
                    directory.string(), stored.blocks, study.runs),
        fmt::format(
            "leave --runs out to continue, stop earlier with --blocks, or start a new study "
            "with -o and --runs {}",
            study.runs));
  check_locks(store, stored.locks, locks);
  return store;
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

void StoreKeeper::note(StudyEventKind kind, const std::string& detail, const std::string& cell) {
  store_.check_is_there();
  store_.add_event({utc_now(), kind, detail, cell});
}

std::vector<StoredRun> StoreKeeper::runs() const {
  auto runs = store_.runs(Detail::figures);
  std::set<std::string> ids;
  for (const auto& run : runs) ids.insert(run.id);
  const auto lost = std::count_if(kept_.begin(), kept_.end(),
                                  [&](const std::string& id) { return !ids.contains(id); });
  if (lost > 0)
    throw Error(fmt::format("{} of the {} runs that this start made are no longer in {}: they were "
                            "removed while the study ran",
                            lost, kept_.size(), store_.directory().string()),
                "Start the same command again to repeat them.");
  return runs;
}

std::optional<std::string> StoreKeeper::may_stop(std::size_t one_case) {
  settle_up();
  const auto& cells = design_.cases().at(one_case);
  std::size_t comparisons = 0;
  for (const auto& one : design_.cases()) comparisons += one.size() * (one.size() - 1) / 2;
  const auto rule = stop_rule(study_, comparisons);
  if (!rule) throw Error(rule.error());
  const auto runs = store_.runs();
  const BlockRuns counted(design_.cells(), runs);
  StoppingInput input;
  input.rule = *rule;
  input.blocks = counted.whole_blocks(cells);
  input.comparisons = paired_values(study_, design_.cells(), cells, counted, input.blocks);
  const StopDecision decision = prengdl::may_stop(input);
  if (!decision.stop || !decision.early) return std::nullopt;
  return fmt::format("{}: {}", name_of(study_, design_.cells().at(cells.front())), decision.reason);
}

}  // namespace prengdl
