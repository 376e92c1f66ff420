// SPDX-License-Identifier: Apache-2.0
#include "cli/series_keeper.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/calendar.h"
#include "base/text.h"
#include "cli/study_result.h"

namespace prengdl {
namespace {

std::string list_of(const std::vector<std::string>& texts, bool is_command) {
  std::string list;
  for (const auto& text : texts) {
    std::string word = toml_quoted(text);
    // In a command braces stand for values: those that are meant are doubled.
    for (std::size_t i = 0; is_command && i < word.size(); ++i)
      if (word[i] == '{' || word[i] == '}') {
        word.insert(i, 1, word[i]);
        ++i;
      }
    list += (list.empty() ? "" : ", ") + word;
  }
  return "[" + list + "]";
}

ResultStore new_store(const std::filesystem::path& directory, const Series& series,
                      const std::vector<std::string>& levels) {
  if (ResultStore::exists(directory))
    throw UsageError(directory.string() + " holds a result already",
                     "choose another directory; results are never written over");
  StudyRecord record;
  record.name = "measure";
  record.text = study_text_of(series, levels);
  record.factors = {{"command", levels}};
  record.planned_runs = series.runs * levels.size();
  record.blocks = series.runs;
  record.seed = series.seed;
  record.prengdl_version = PRENGDL_VERSION;
  record.created_at = utc_now();
  return ResultStore::create(directory, record);
}

}  // namespace

std::vector<std::string> levels_of(const Series& series) {
  std::vector<std::string> levels;
  for (const auto& command : series.commands) {
    std::string level = command.label;
    for (int n = 2; std::find(levels.begin(), levels.end(), level) != levels.end(); ++n)
      level = fmt::format("{} ({})", command.label, n);
    levels.push_back(level);
  }
  return levels;
}

std::string study_text_of(const Series& series, const std::vector<std::string>& levels) {
  std::string text = fmt::format(
      "[study]\nname = \"measure\"\nruns = {}\nseed = {}\n\n[protocol]\nrate = {}\nwarmup = "
      "{}\norder = \"shuffled\"\n",
      series.runs, series.seed,
      toml_quoted(fmt::format("{:g}Hz", 1 / series.attempt.interval.count())), series.warmup);
  text += series.settle
              ? fmt::format("settle = {{ at_most = \"{:g}s\" }}\n", series.settle->count())
              : std::string("settle = \"off\"\n");
  if (series.idle) text += fmt::format("idle = \"{:g}s\"\n", series.idle->count());
  if (series.attempt.timeout)
    text += fmt::format("timeout = \"{:g}s\"\n", series.attempt.timeout->count());
  text += "\n[factors]\ncommand = " + list_of(levels, false) +
          "\n\n[workload]\ncommand = " + list_of(series.commands.front().argv, true) + "\n";
  for (std::size_t i = 0; i < levels.size(); ++i)
    text += fmt::format("\n[[override]]\nwhere = {{ command = {} }}\ncommand = {}\n",
                        toml_quoted(levels[i]), list_of(series.commands[i].argv, true));
  text += "\n[analysis]\ncompare = \"command\"\nsecondary = [\"seconds\"]\n";
  return text;
}

SeriesKeeper::SeriesKeeper(const std::filesystem::path& directory, Series& series,
                           const MeterSearch& search, SeriesEvents& events)
    : levels_(levels_of(series)), store_(new_store(directory, series, levels_)) {
  const MachineRecord machine = this_machine(search);
  machine_ = machine.fingerprint;
  store_.add_machine(machine);
  series.attempt.keep_samples = [this](const std::vector<const MeterInfo*>& infos,
                                       SampleLog&& samples) {
    meters_.clear();
    for (const auto* info : infos) meters_.push_back(*info);
    samples_ = std::move(samples);
  };
  events.finished = [this, others = events.finished](std::size_t command, const Run& run,
                                                     std::size_t done) {
    keep(command, run);
    if (others) others(command, run, done);
  };
}

void SeriesKeeper::keep(std::size_t command, const Run& run) {
  if (run.interrupted) return;
  StoredRun stored;
  stored.id = new_run_id(run.block, run.order, 0);
  stored.cell = {levels_.at(command)};
  stored.block = run.block;
  stored.place = run.order;
  stored.outcome = run.timed_out    ? Outcome::timeout
                   : succeeded(run) ? Outcome::ok
                                    : Outcome::failed;
  stored.machine = machine_;
  stored.run = run;
  stored.meters = meters_;
  stored.log_tail = run.output_tail;
  const auto record = store_.record(stored.id);
  samples_.for_each([&](const Sample& sample) { record->add(sample.meter, sample.reading); });
  record->finish(stored);
  store_.take_in();
}

}  // namespace prengdl
