// SPDX-License-Identifier: Apache-2.0
//
// What became of the runs: failed and left out evenly, undisturbed, with joules that were measured.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "audit/audited_runs.h"
#include "audit/checks.h"

namespace prengdl {
namespace {

/// Counts by compared level.
struct Counts {
  std::size_t part = 0;
  std::size_t all = 0;
};
using CountsByLevel = std::map<std::string, Counts>;

/// The smallest Fisher p of any two levels, times the number of pairs.
double most_unequal_p(const CountsByLevel& counts) {
  double least = 1;
  std::size_t pairs = 0;
  for (auto a = counts.begin(); a != counts.end(); ++a)
    for (auto b = std::next(a); b != counts.end(); ++b) {
      ++pairs;
      least = std::min(
          least, fisher_exact_p(a->second.part, a->second.all, b->second.part, b->second.all));
    }
  return std::min(1.0, least * static_cast<double>(std::max<std::size_t>(1, pairs)));
}

std::string listed(const CountsByLevel& counts) {
  std::string text;
  for (const auto& [level, one] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", level.empty() ? "" : level + " ",
                        of(one.part, one.all));
  return text;
}

std::string level_or_none(const AuditRuns& runs, const StoredRun& run) {
  return runs.compared() && *runs.compared() < run.cell.size() ? runs.level(run) : "";
}

Evidence evidence_of(const CountsByLevel& counts, double p) {
  Evidence evidence{{"p", p}};
  for (const auto& [level, one] : counts)
    evidence.emplace_back(
        level.empty() ? "runs" : level,
        std::vector<double>{static_cast<double>(one.part), static_cast<double>(one.all)});
  return evidence;
}

void check_failures(const AuditRuns& runs, AuditFindings& findings) {
  CountsByLevel failed, excluded;
  std::size_t failures = 0;
  std::size_t left_out = 0;
  for (const auto* run : runs.made()) {
    if (run->is_warmup || run->outcome == Outcome::interrupted) continue;
    auto& of_level = failed[level_or_none(runs, *run)];
    ++of_level.all;
    of_level.part += run->outcome != Outcome::ok;
    failures += run->outcome != Outcome::ok;
    auto& out = excluded[level_or_none(runs, *run)];
    ++out.all;
    out.part += run->excluded.has_value();
    left_out += run->excluded.has_value();
  }
  const auto add = [&](const CountsByLevel& counts, std::size_t total, const std::string& what,
                       const std::string& advice) {
    const double p = most_unequal_p(counts);
    const bool is_unequal = total > 0 && p < 0.05;
    findings.push_back(
        {what == "failed" ? "failures" : "excluded",
         is_unequal  ? AuditSeverity::warning
         : total > 0 ? AuditSeverity::note
                     : AuditSeverity::ok,
         {},
         evidence_of(counts, p),
         is_unequal
             ? fmt::format("runs {} unevenly between the levels: {} ({}): those "
                           "that remain are a selection",
                           what == "failed" ? "failed" : "were left out", listed(counts), p_text(p))
         : total > 0 ? fmt::format("{} runs: {}", what, listed(counts))
                     : fmt::format("no run {}", what),
         is_unequal ? advice : ""});
  };
  if (failed.empty()) return;
  add(failed, failures, "failed",
      "report failures as an outcome of their own; find out why (prengdl status), and do not "
      "compare "
      "the survivors alone");
  if (left_out > 0)
    add(excluded, left_out, "excluded",
        "state in the report why more runs of one level were excluded");
}

void check_disturbed(const AuditRuns& runs, AuditFindings& findings) {
  CountsByLevel counts;
  std::map<Flag, std::size_t> by_flag;
  std::size_t disturbed = 0;
  for (const auto* run : runs.counted()) {
    bool is_disturbed = false;
    for (const Flag flag : {Flag::disturbed, Flag::throttled, Flag::band_widened}) {
      if (!run->run.flags.contains(flag)) continue;
      is_disturbed = true;
      ++by_flag[flag];
    }
    auto& of_level = counts[level_or_none(runs, *run)];
    ++of_level.all;
    of_level.part += is_disturbed;
    disturbed += is_disturbed;
  }
  if (runs.counted().empty()) return;
  const double p = most_unequal_p(counts);
  const double share = static_cast<double>(disturbed) / static_cast<double>(runs.counted().size());
  const bool is_unequal = disturbed > 0 && p < 0.05;
  std::vector<std::string> flags;
  flags.reserve(by_flag.size());
  for (const auto& [flag, count] : by_flag)
    flags.push_back(fmt::format("{} {}", name_of(flag), count));
  findings.push_back(
      {"disturbed",
       share >= 0.1 || is_unequal ? AuditSeverity::warning
       : disturbed > 0            ? AuditSeverity::note
                                  : AuditSeverity::ok,
       {},
       evidence_of(counts, p),
       disturbed > 0
           ? fmt::format("{} runs were disturbed ({}){}", of(disturbed, runs.counted().size()),
                         some_of(flags), is_unequal ? ", unevenly: " + listed(counts) : "")
           : fmt::format("none of {} runs was disturbed", runs.counted().size()),
       disturbed > 0 ? "stop what else runs, cool the machine; repeat_disturbed = true makes such "
                       "runs again"
                     : ""});
}

void check_quality(const AuditRuns& runs, AuditFindings& findings) {
  const std::string& primary = runs.study().analysis.primary;
  if (!is_energy_measure(primary)) return;
  std::size_t modelled = 0;
  std::size_t measured = 0;
  std::size_t absent = 0;
  std::map<std::string, std::size_t> covers;
  for (const auto* run : runs.counted()) {
    const auto quality = quality_in(run->run, primary);
    if (!quality)
      ++absent;
    else
      ++(*quality == Quality::model ? modelled : measured);
    if (!run->run.energy.metered) continue;
    std::string parts;
    for (const auto& domain : run->run.energy.covers)
      parts += (parts.empty() ? "" : " + ") + domain;
    ++covers[parts];
  }
  const std::size_t all = runs.counted().size();
  if (all == 0) return;
  AuditFinding finding;
  finding.check = "modelled-energy";
  finding.evidence = {{"measure", primary},
                      {"modelled", static_cast<double>(modelled)},
                      {"measured", static_cast<double>(measured)},
                      {"absent", static_cast<double>(absent)}};
  finding.message = fmt::format("the {} joules of {} runs were measured", primary, measured);
  if (modelled > 0 && measured > 0) {
    finding.severity = AuditSeverity::severe;
    finding.message = fmt::format(
        "the {} joules of {} runs are modelled and those of {} measured: "
        "they cannot be compared",
        primary, modelled, measured);
  } else if (modelled > 0) {
    finding.severity = AuditSeverity::warning;
    finding.message = fmt::format(
        "the {} joules of all {} runs are modelled: a function of run time "
        "and CPU time, not a measurement",
        primary, modelled);
  } else if (measured == 0) {
    finding.severity = AuditSeverity::warning;
    finding.message = fmt::format("no run has {} joules: only times can be compared", primary);
  } else if (absent > 0) {
    finding.severity = AuditSeverity::warning;
    finding.message = fmt::format("{} runs have no {} joules", of(absent, all), primary);
  }
  if (finding.severity != AuditSeverity::ok)
    finding.advice =
        "measure with a meter (prengdl doctor, prengdl meters), and with the same one "
        "for all runs";
  findings.push_back(std::move(finding));
  if (covers.size() < 2 || primary != measures::metered) return;
  std::vector<std::string> names;
  names.reserve(covers.size());
  for (const auto& [parts, count] : covers)
    names.push_back(fmt::format("{} ({} runs)", parts, count));
  findings.push_back({"modelled-energy",
                      AuditSeverity::severe,
                      {},
                      {{"coverages", static_cast<double>(covers.size())}},
                      fmt::format("runs have the energy of different domains: {}", some_of(names)),
                      "compare a domain that all have (analysis.primary), or measure again"});
}

}  // namespace

void audit_outcomes(const AuditRuns& runs, AuditFindings& findings) {
  check_failures(runs, findings);
  check_disturbed(runs, findings);
  check_quality(runs, findings);
}

}  // namespace prengdl
