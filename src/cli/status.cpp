// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "base/process.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "print/study.h"
#include "run/watchers.h"
#include "store/result.h"
#include "tables/repeated_text.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

Status read_status(const std::string& result) {
  const auto store = ResultStore::open(result, Access::read_only);
  Status status{store.study(), store.runs(Detail::all), store.machines(), store.events(), {}};
  for (const auto& trouble : store.troubles()) status.troubles.emplace_back(trouble.what());
  status.live = read_live_file(result);
  status.cluster = read_cluster_state(result);
  status.site_energy = store.site_energy();
  return status;
}

/// Runs record what it costs to watch them.
void leave_note(std::optional<WatcherNote>& note, const std::string& result) {
  try {
    if (!note) note.emplace(result);
  } catch (const Error&) {  // a result that is not ours can be watched too
  }
}

/// Repeats the status until the study has ended.
int watch(const std::string& result) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;
  constexpr Milliseconds shortest_wait{2000};
  constexpr int waits_per_read = 20;  // a large result is read less often
  constexpr int most_quiet = 3;       // a run that was just started is not known at once
  const FileDescriptor signals = take_signals();
  std::optional<WatcherNote> note;
  RepeatedText shown;
  for (int quiet = 0; std::cout;) {
    const auto begin = Clock::now();
    const Status status = read_status(result);
    const auto cost = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
    const Style style = style_of(STDOUT_FILENO);
    const std::string text = wrapped(status_text(status, style), style.width);
    const StudyPhase phase = phase_of(status);
    if (phase == StudyPhase::ended || (phase == StudyPhase::unknown && ++quiet == most_quiet)) {
      shown.show_last(text);
      return 0;
    }
    if (phase == StudyPhase::running) leave_note(note, result);
    shown.show(shown.is_on_terminal() ? text : text + "\n");
    pollfd watched{signals.get(), POLLIN, 0};
    const auto wait = std::max(shortest_wait, waits_per_read * cost);
    if (poll(&watched, 1, static_cast<int>(wait.count())) > 0) return 130;
  }
  return 0;
}

}  // namespace

int status_command(const std::vector<std::string>& words) {
  std::string result;
  bool json = false;
  bool watching = false;
  Arguments arguments("status", "Shows the progress of a study and what failed.");
  arguments.word("RESULT", result, "the result directory");
  arguments.flag("--json", json, "as JSON");
  arguments.flag("--watch", watching, "repeat it every 2 s until the study has ended");
  arguments.footer(
      "Exit status: 0 done, 1 there is no such result, 130 --watch was interrupted.\n");
  if (!arguments.parse(words)) return 0;
  if (json && watching)
    throw UsageError("--watch and --json cannot be combined", "leave one of them out");
  if (watching) return watch(result);
  const Status status = read_status(result);
  if (json)
    std::cout << status_json(status);
  else
    show(status_text(status, style_of(STDOUT_FILENO)));
  return 0;
}

}  // namespace prengdl
