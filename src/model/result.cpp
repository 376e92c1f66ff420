// SPDX-License-Identifier: Apache-2.0
#include "model/result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"

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

std::string shown_name(const std::vector<MachineRecord>& machines, const std::string& fingerprint) {
  const auto record = std::find_if(machines.begin(), machines.end(), [&](const MachineRecord& one) {
    return one.fingerprint == fingerprint;
  });
  if (record == machines.end() || !record->facts.system.hostname) return printable(fingerprint);
  const auto& name = record->facts.system.hostname;
  const auto with_name =
      std::count_if(machines.begin(), machines.end(),
                    [&](const MachineRecord& one) { return one.facts.system.hostname == name; });
  return printable(with_name == 1 ? *name : fingerprint);
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

std::string_view name_of(StudyEventKind kind) {
  switch (kind) {
    case StudyEventKind::start:
      return "start";
    case StudyEventKind::resume:
      return "resume";
    case StudyEventKind::end:
      return "end";
    case StudyEventKind::stop_early:
      return "stop-early";
    case StudyEventKind::give_up:
      return "give-up";
    case StudyEventKind::budget:
      return "budget";
    case StudyEventKind::failed:
      return "failed";
    case StudyEventKind::interrupted:
      return "interrupted";
    case StudyEventKind::planned:
      return "planned";
    case StudyEventKind::replanned:
      return "replanned";
    case StudyEventKind::aa:
      return "aa";
    case StudyEventKind::environment:
      return "environment";
    case StudyEventKind::import_runs:
      return "import";
    case StudyEventKind::refused:
      return "refused";
    case StudyEventKind::profile:
      return "profile";
    case StudyEventKind::band:
      return "band";
    case StudyEventKind::restored:
      return "restored";
    case StudyEventKind::not_restored:
      return "not-restored";
    case StudyEventKind::settings_failed:
      return "settings-failed";
    case StudyEventKind::submitted:
      return "submitted";
    case StudyEventKind::job_lost:
      return "job-lost";
    case StudyEventKind::late_run:
      return "late-run";
    case StudyEventKind::scheduler_away:
      return "scheduler-away";
    case StudyEventKind::node_excluded:
      return "node-excluded";
    case StudyEventKind::clock:
      return "clock";
    case StudyEventKind::cancelled:
      return "cancelled";
  }
  return "";
}

std::string text_of(const StudyEvent& event) {
  return event.cell.empty() ? event.detail : event.cell + ": " + event.detail;
}

}  // namespace prengdl
