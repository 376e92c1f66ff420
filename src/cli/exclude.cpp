// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iostream>

#include "base/amounts.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "store/result.h"

namespace prengdl {

int exclude_command(const std::vector<std::string>& words) {
  std::string result, why;
  std::vector<std::string> runs;
  bool undo = false, list = false;
  Arguments arguments("exclude",
                      "Excludes runs from every analysis. They stay stored and are listed.");
  arguments.word("RESULT", result, "the result directory");
  arguments.words(
      "RUN", runs,
      "ids of runs: status lists failed and flagged ones, export --table runs lists all");
  arguments.text("--why", why, "the reason; it is shown with the result", "TEXT");
  arguments.flag("--undo", undo, "take the runs back in");
  arguments.flag("--list", list, "show what was excluded, by whom, when and why");
  if (!arguments.parse(words)) return 0;
  if (list) {
    const auto store = ResultStore::open(result, Access::read_only);
    for (const auto& one : store.exclusions())
      std::cout << fmt::format("{}  {}  {}  {}: {}\n", one.at, one.run,
                               one.excluded ? "excluded" : "taken back", one.who, one.reason);
    return 0;
  }
  if (runs.empty())
    throw UsageError("prengdl exclude needs the id of a run",
                     fmt::format("`prengdl status {0}` lists the runs that failed or are flagged, "
                                 "`prengdl export {0} --table runs` lists all.",
                                 result));
  if (why.empty())
    throw UsageError("give the reason with --why \"...\"",
                     "Without a reason an exclusion cannot be justified.");
  auto store = ResultStore::open(result, Access::read_write);
  for (const auto& run : runs) undo ? store.include(run, why) : store.exclude(run, why);
  std::cout << fmt::format("{} {}\n", counted(runs.size(), "run"),
                           undo ? "taken back in" : "excluded");
  return 0;
}

}  // namespace prengdl
