// SPDX-License-Identifier: Apache-2.0
#include "print/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/amounts.h"
#include "base/clock.h"
#include "base/escaping.h"
#include "base/shell_words.h"
#include "base/standard_streams.h"
#include "base/strings.h"
#include "campaign/pace.h"
#include "print/measure.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

std::string why_it_ended(const StudyEnd& end) {
  switch (end.why) {
    case StudyEnd::Why::interrupted:
      return "  interrupted: run the same command again to continue\n";
    case StudyEnd::Why::budget:
      return fmt::format("  the budget is used up: {}\n", end.detail);
    case StudyEnd::Why::stopped_early:
      return fmt::format("  stopped early: {}\n", end.detail);
    case StudyEnd::Why::failed:
      return fmt::format("  stopped at a failure: {}\n", end.detail);
    case StudyEnd::Why::complete:
      break;
  }
  return "";
}

std::string retry_call(std::vector<std::string> words) {
  if (std::find(words.begin(), words.end(), "--retry-failed") == words.end())
    words.emplace_back("--retry-failed");
  return "prengdl run " + shell_line(words);
}

}  // namespace

/// What matters most comes first: a narrow terminal cuts off the end.
std::string line_of(const StudyProgress& progress) {
  const std::size_t next = !progress.ended.empty() ? progress.done : progress.done + 1;
  std::string line;
  if (progress.is_profile) {
    line = fmt::format("{} of {} runs are done", progress.done, progress.planned);
  } else {
    if (progress.blocks < progress.planned)
      line = fmt::format("block {} of {}, ", progress.block + 1, progress.blocks);
    line += fmt::format("run {} of {}", std::min(next, progress.planned), progress.planned);
  }
  if (progress.time_left && *progress.time_left > Seconds{0})
    line += ", " + about_left(*progress.time_left);
  if (progress.failures > 0) line += fmt::format(", {} failed", progress.failures);
  if (!progress.what.empty()) line += ": " + printable(progress.what);
  line += ": " + progress.doing;
  if (progress.energy.value > 0)
    line += fmt::format(", {}{} so far", with_prefix(progress.energy.value, "J"),
                        progress.quality == Quality::model ? " (modelled)" : "");
  return line;
}

std::string StudyTeller::end_line(const StudyProgress& progress) const {
  return line_of(progress) + (with_ids_ ? " (" + progress.ended + ")\n" : "\n");
}

void StudyTeller::tell(const StudyProgress& progress) {
  if (!on_terminal_) {
    if (progress.ended.empty()) return;
    remark(end_line(progress));
    return;
  }
  // The next line would overwrite a failure before anyone has read it.
  if (progress.doing.starts_with("failed: ")) {
    remark("\r\x1b[K" + wrapped(end_line(progress), style_of(STDERR_FILENO).width));
    is_shown_ = false;
    return;
  }
  // Short runs come faster than anyone can read.
  const std::int64_t now = monotonic_ns();
  if (now - emitted_ns_ < 50'000'000 && progress.done < progress.planned) return;
  emitted_ns_ = now;
  write_over(line_of(progress));
  is_shown_ = true;
}

TellProgress by_command(StudyTeller& teller, const CommandPlan& plan) {
  constexpr std::size_t most_characters = 40;
  std::map<Cell, std::string> names;
  const auto cells = cells_of(study_of(plan));
  const auto shown = command_names(commands_of_cells(plan));
  for (std::size_t i = 0; i < cells.size(); ++i)
    names[cells[i]] = shortened(shown[i], most_characters);
  return [&teller, names = std::move(names)](StudyProgress progress) {
    progress.what = names.at(progress.cell);
    teller.tell(progress);
  };
}

void StudyTeller::clear() {
  if (is_shown_) write_over_nothing();
  is_shown_ = false;
}

RunTally tally_of(const std::vector<StoredRun>& stored, const std::vector<PlannedRun>& planned,
                  const std::vector<Cell>& cells) {
  RunTally tally;
  tally.planned = planned.size();
  std::set<std::size_t> places, tried_places, good_places;
  std::set<Cell> good_cells;
  std::map<Cell, const StoredRun*> last_failures;
  for (const auto& one : planned) places.insert(one.place);
  for (const auto& run : stored) {
    if (run.is_warmup || !places.contains(run.place)) continue;
    tried_places.insert(run.place);
    if (run.outcome == Outcome::ok) {
      good_places.insert(run.place);
      good_cells.insert(run.cell);
      continue;
    }
    ++tally.failed;
    last_failures[run.cell] = &run;
  }
  tally.good = good_places.size();
  tally.to_retry = tried_places.size() - good_places.size();
  for (const auto& cell : cells)
    if (const auto failure = last_failures.find(cell);
        failure != last_failures.end() && !good_cells.contains(cell))
      tally.without_good_run.emplace_back(cell, failure_of(*failure->second));
  return tally;
}

std::string ending_of(const StudyEnd& end, const RunTally& tally, const Study& study,
                      const std::vector<std::string>& words, const std::filesystem::path& result) {
  std::string text = fmt::format("{} of {} runs are done", tally.good, tally.planned);
  if (tally.failed > 0) text += fmt::format(", {} failed", counted(tally.failed, "attempt"));
  text += fmt::format("; result in {}\n", result.string());
  text += why_it_ended(end);
  for (const auto& cell : end.given_up)
    text += fmt::format("  given up after {} failures in a row: {}\n", study.protocol.give_up_after,
                        printable(cell));
  for (const auto& [cell, why] : tally.without_good_run)
    text += fmt::format("  no good run of {}: {}\n", printable(name_of(study, cell)), why);
  for (const auto& trouble : end.not_restored)
    text +=
        fmt::format("  a setting of this machine could not be restored: {}\n", printable(trouble));
  if (!end.not_restored.empty())
    text += "  the next `prengdl run` tries again; until then the setting stays changed\n";
  for (const auto& cell : end.unprofiled)
    text += fmt::format("  no profile of {}\n", printable(cell));
  if (tally.to_retry > 0)
    text += fmt::format("  `prengdl status {}` shows what failed\n  `{}` repeats the failed runs\n",
                        shell_line({result.string()}), retry_call(words));
  return text;
}

}  // namespace prengdl
