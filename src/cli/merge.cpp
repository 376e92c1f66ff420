// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <fmt/core.h>

#include <iostream>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"

namespace prengdl {

int merge_command(const std::vector<std::string>& words) {
  std::vector<std::string> from;
  std::string into;
  Arguments arguments("merge", "Joins results of one study from several machines.");
  arguments.words("RESULT", from, "the results to join");
  arguments.text("-o,--output", into, "the result to add the runs to; it may be new", "DIR");
  if (!arguments.parse(words)) return 0;
  if (into.empty() || from.empty())
    throw UsageError("prengdl merge needs results and -o DIR",
                     "prengdl merge a.result b.result -o both.result");
  auto store =
      ResultStore::exists(into)
          ? ResultStore::open(into, Access::read_write)
          : ResultStore::create(into, ResultStore::open(from.front(), Access::read_only).study());
  for (const auto& directory : from) {
    const auto report = merge(store, ResultStore::open(directory, Access::read_only));
    std::cout << fmt::format("{}: {} runs added, {} were there already\n", directory, report.added,
                             report.known);
    for (const auto& note : report.notes) std::cerr << "  " << note << "\n";
  }
  return 0;
}

}  // namespace prengdl
