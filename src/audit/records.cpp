// SPDX-License-Identifier: Apache-2.0
//
// What was written down of machines and versions, and whether the compared factor hides behind it.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "audit/audited_runs.h"
#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"

namespace prengdl {
namespace {

void check_machines(const AuditRuns& runs, AuditFindings& findings) {
  std::set<std::string> machines;
  for (const auto* run : runs.counted())
    if (!run->machine.empty()) machines.insert(run->machine);
  if (machines.empty() || runs.cases().empty()) return;
  std::size_t apart = 0;
  std::size_t unbalanced = 0;
  for (const auto& one_case : runs.cases()) {
    std::vector<std::map<std::string, double>> shares;  // of each level's runs, by machine
    for (const auto cell : one_case) {
      auto& share = shares.emplace_back();
      const auto& made = runs.cells()[cell].runs;
      for (const auto* run : made) share[run->machine] += 1.0 / static_cast<double>(made.size());
    }
    double largest = 0;  // difference between two levels
    bool is_apart = false;
    for (std::size_t i = 0; i < shares.size(); ++i)
      for (std::size_t j = i + 1; j < shares.size(); ++j) {
        double common = 0;
        for (const auto& [machine, share] : shares[i]) {
          const auto other = shares[j].find(machine);
          if (other != shares[j].end()) common += std::min(share, other->second);
        }
        is_apart = is_apart || common == 0;
        largest = std::max(largest, 1 - common);
      }
    apart += is_apart;
    unbalanced += largest > 0.2;
  }
  const std::size_t cases = runs.cases().size();
  const std::string& factor = runs.study().analysis.compare;
  findings.push_back(
      {"confounded-machine",
       apart > 0        ? AuditSeverity::severe
       : unbalanced > 0 ? AuditSeverity::warning
                        : AuditSeverity::ok,
       {},
       {{"machines", static_cast<double>(machines.size())},
        {"units_apart", static_cast<double>(apart)},
        {"cases_unbalanced", static_cast<double>(unbalanced)},
        {"cases", static_cast<double>(cases)}},
       apart > 0 ? fmt::format("in {} comparisons levels of {} ran on different machines, so their "
                               "difference includes that of the machines",
                               of(apart, cases), factor)
       : unbalanced > 0
           ? fmt::format("in {} comparisons levels of {} ran unequally often on {} machines",
                         of(unbalanced, cases), factor, machines.size())
           : fmt::format("all compared levels ran on {}",
                         machines.size() == 1
                             ? "one machine"
                             : fmt::format("the same {} machines", machines.size())),
       apart + unbalanced > 0 ? "run every level on every machine, equally often" : ""});
}

/// "numpy==1.26.4" lines of a lock, names in small letters.
std::map<std::string, std::string> versions_in(const std::string& lock) {
  std::map<std::string, std::string> versions;
  for (const auto line : split(lock, '\n')) {
    const auto text = trimmed(line.substr(0, line.find_first_of(";\\ #")));
    const auto equals = text.find("==");
    if (equals == std::string_view::npos || equals == 0) continue;
    std::string name(text.substr(0, equals));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '_' ? '-' : c;
    });
    versions[name] = std::string(text.substr(equals + 2));
  }
  return versions;
}

/// Libraries that compute: another version of these is another program.
bool computes(const std::string& package) {
  static constexpr std::array<std::string_view, 10> prefixes{
      "nvidia-", "cuda",     "cudnn", "mkl",   "intel-openmp",
      "onednn",  "openblas", "numpy", "scipy", "rocm"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return package.starts_with(prefix); });
}

void check_versions(const AuditRuns& runs, AuditFindings& findings) {
  const auto& input = runs.input();
  if (!runs.compared() || input.locks.empty() || !input.environment_of) return;
  // The versions of each package by compared level; several where environments of a name differ.
  std::map<std::string, EmittedBy> packages;
  for (const auto& cell : runs.cells()) {
    const std::string environment = input.environment_of(cell.cell);
    for (const auto& [name, text] : input.locks) {
      if (name != environment) continue;
      for (const auto& [package, version] : versions_in(text))
        packages[package][cell.cell[*runs.compared()]].insert(version);
    }
  }
  if (packages.empty()) return;
  std::vector<std::string> differ;
  bool is_computing = false;
  for (const auto& [package, levels] : packages) {
    std::set<std::set<std::string>> different;
    for (const auto& [level, versions] : levels) different.insert(versions);
    if (levels.size() < 2 || different.size() < 2) continue;
    differ.push_back(fmt::format("{} ({})", package, who_says_what(levels)));
    is_computing = is_computing || computes(package);
  }
  const std::string& factor = runs.study().analysis.compare;
  findings.push_back(
      {"confounded-version",
       is_computing      ? AuditSeverity::warning
       : !differ.empty() ? AuditSeverity::note
                         : AuditSeverity::ok,
       {},
       {{"packages", static_cast<double>(packages.size())},
        {"different", static_cast<double>(differ.size())}},
       differ.empty()
           ? fmt::format("packages that levels of {} share have one version", factor)
           : fmt::format("levels of {} also differ in the versions of {} that they share: "
                         "{}",
                         factor, counted(differ.size(), "package"), some_of(differ)),
       differ.empty()
           ? ""
           : "pin the libraries that levels share to one version, or say that a difference "
             "may be theirs"});
}

bool has_gpu(const StoredRun& run) { return run.run.energy.domains.contains("gpu"); }

void check_facts(const AuditRuns& runs, AuditFindings& findings) {
  if (runs.counted().empty()) return;
  const auto& input = runs.input();
  std::vector<std::string> missing;
  bool is_major = false;
  const auto miss = [&](const std::string& what, bool major) {
    missing.push_back(what);
    is_major = is_major || major;
  };
  std::set<std::string> known;
  for (const auto& machine : input.machines)
    if (machine.facts.cpu.model_name) known.insert(machine.fingerprint);
  const auto any = [&](auto&& is_so) {
    return std::any_of(runs.counted().begin(), runs.counted().end(),
                       [&](const StoredRun* run) { return is_so(*run); });
  };
  if (any([&](const StoredRun& run) { return !known.contains(run.machine); }))
    miss("the processor", true);
  // A meter that is called by its source alone names no card.
  if (any([&](const StoredRun& run) {
        return has_gpu(run) &&
               std::none_of(run.meters.begin(), run.meters.end(), [](const MeterInfo& info) {
                 return info.domain == "gpu" && info.name != info.id;
               });
      }))
    miss("the name of the GPU", true);
  if (input.locks.empty()) miss("versions of what ran", !input.is_paired);
  if (!runs.knows_order()) miss("when runs were made, so their order is unknown", true);
  if (any([](const StoredRun& run) { return !run.run.exit_code; })) miss("exit codes", false);
  findings.push_back({"missing-facts",
                      missing.empty() ? AuditSeverity::ok
                      : is_major      ? AuditSeverity::warning
                                      : AuditSeverity::note,
                      {},
                      {{"missing", static_cast<double>(missing.size())}},
                      missing.empty() ? "machine, versions, times and exit codes are recorded"
                                      : "not on record: " + some_of(missing, missing.size()),
                      missing.empty() ? ""
                      : is_major      ? "write it down from another source, or measure again with "
                                        "prengdl run, which records it"
                                 : "lock environments with prengdl setup, which records versions"});
}

void check_events(const AuditRuns& runs, AuditFindings& findings) {
  std::size_t resumed = 0;
  bool has_ended = false;  // the start before: then nothing was stopped that could be resumed
  std::vector<std::string> given_up, lost;
  std::size_t late = 0;
  for (const auto& event : runs.input().events) {
    resumed += event.kind == StudyEventKind::resume && !has_ended;
    if (event.kind == StudyEventKind::end) has_ended = true;
    if (event.kind == StudyEventKind::resume) has_ended = false;
    if (event.kind == StudyEventKind::give_up) given_up.push_back(printable(event.detail));
    if (event.kind == StudyEventKind::job_lost) lost.push_back(printable(event.detail));
    late += event.kind == StudyEventKind::late_run;
  }
  if (!lost.empty() || late > 0)
    findings.push_back(
        {"lost-jobs",
         AuditSeverity::note,
         {},
         {{"jobs", static_cast<double>(lost.size())}, {"late_runs", static_cast<double>(late)}},
         fmt::format(
             "{} did not end as planned{}; cases that they left unfinished were made again "
             "as a whole{}",
             counted(lost.size(), "job"),
             lost.empty() ? std::string() : " (" + some_of(lost, 3) + ")",
             late > 0 ? fmt::format(", and {} that came late are not counted", counted(late, "run"))
                      : std::string()),
         ""});
  if (!given_up.empty())
    findings.push_back({"given-up",
                        AuditSeverity::warning,
                        {},
                        {{"cells", static_cast<double>(given_up.size())}},
                        fmt::format("{} given up after failures: {}",
                                    counted(given_up.size(), "cell"), some_of(given_up)),
                        "find out why (prengdl status), fix it, and continue with prengdl run"});
  if (resumed > 0)
    findings.push_back({"resumed",
                        AuditSeverity::note,
                        {},
                        {{"times", static_cast<double>(resumed)}},
                        fmt::format("the study was stopped and resumed {}",
                                    resumed == 1 ? "once" : fmt::format("{} times", resumed)),
                        ""});
}

}  // namespace

void audit_records(const AuditRuns& runs, AuditFindings& findings) {
  check_machines(runs, findings);
  check_versions(runs, findings);
  check_facts(runs, findings);
  check_events(runs, findings);
}

}  // namespace prengdl
