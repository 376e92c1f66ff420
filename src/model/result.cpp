// SPDX-License-Identifier: Apache-2.0
#include "model/result.h"

#include <fmt/core.h>

#include <cstring>

#include "base/text.h"

namespace prengdl {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::timeout:
      return "timeout";
    case Outcome::out_of_memory:
      return "out_of_memory";
    case Outcome::missing_output:
      return "missing_output";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

std::string failure_of(const StoredRun& run) {
  if (run.outcome == Outcome::timeout) return "timeout after " + for_people(run.run.wall);
  if (run.outcome == Outcome::out_of_memory) return "killed by the kernel, out of memory";
  if (run.outcome == Outcome::failed && run.run.signal) {
    const char* name = sigabbrev_np(*run.run.signal);
    return fmt::format("signal {}{}", *run.run.signal, name ? fmt::format(" (SIG{})", name) : "");
  }
  if (run.outcome == Outcome::failed && run.run.exit_code)
    return fmt::format("exit status {}", *run.run.exit_code);
  // It was not started, or an output is missing: the last warning says so.
  if (!run.run.warnings.empty()) return shortened(printable(run.run.warnings.back()), 120);
  return std::string(name_of(run.outcome));
}

std::optional<Outcome> outcome_of(std::string_view name) {
  for (const auto outcome : {Outcome::ok, Outcome::failed, Outcome::timeout, Outcome::out_of_memory,
                             Outcome::missing_output, Outcome::interrupted})
    if (name == name_of(outcome)) return outcome;
  return std::nullopt;
}

}  // namespace prengdl
