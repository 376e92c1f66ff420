// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "print/study.h"
#include "store/result.h"
#include "tables/terminal.h"

namespace prengdl {

int status_command(const std::vector<std::string>& words) {
  std::string result;
  bool json = false;
  Arguments arguments("status", "Shows the progress of a study and what failed.");
  arguments.word("RESULT", result, "the result directory");
  arguments.flag("--json", json, "as JSON");
  if (!arguments.parse(words)) return 0;
  const auto store = ResultStore::open(result, Access::read_only);
  Status status{store.study(), store.runs(Detail::all), store.machines(), store.events(), {}};
  for (const auto& trouble : store.troubles()) status.troubles.emplace_back(trouble.what());
  if (json)
    std::cout << status_json(status);
  else
    show(status_text(status, style_of(STDOUT_FILENO)));
  return 0;
}

}  // namespace prengdl
