// SPDX-License-Identifier: Apache-2.0
//
// Whether the compared levels did the same: by the work that they emitted, the spans that they
// named, and the calls that a profiler counted.
#include "conclude/work.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "audit/audited_runs.h"
#include "base/amounts.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Sums of the same whole numbers differ by rounding only.
constexpr double same_work = 1e-9;
/// Passes of a profile: loops of frameworks count a few more for warm-up and evaluation.
constexpr double same_steps = 0.05;
/// Input by another road: so many times as many reads.
constexpr double many_times = 10;
/// More than the modules of a workload itself: to compile one takes 1 to 2 ms.
constexpr double many_modules = 100;

const char* const do_the_same =
    "let all levels do the same work (data, steps, batch size, evaluation), or compare cost per "
    "sample; "
    "`compare` gives no verdict on cells of unequal work";

/// The figure of each level of a case, by its name.
using ByLevel = std::map<std::string, double>;

std::string listed(const ByLevel& levels) {
  std::string text;
  for (const auto& [level, value] : levels)
    text += fmt::format("{}{} {:.10g}", text.empty() ? "" : ", ", level, value);
  return text;
}

double most_over_least(const ByLevel& levels) {
  const auto [least, most] =
      std::minmax_element(levels.begin(), levels.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  if (least->second == most->second) return 1;
  return least->second > 0 ? most->second / least->second : INFINITY;
}

Evidence evidence_of(const std::string& what, const ByLevel& levels) {
  Evidence evidence{{"what", what}};
  for (const auto& [level, value] : levels) evidence.emplace_back(level, value);
  return evidence;
}

AuditFinding unequal(const AuditRuns& runs, const Cell& cell, AuditSeverity severity,
                     const std::string& what, const ByLevel& levels, const std::string& message) {
  return {"unequal-work", severity,   runs.where_of_case(cell), evidence_of(what, levels),
          message,        do_the_same};
}

/// What each cell of a case emitted or named, by name: the median over its runs of those that have
/// it.
using Emitted = std::map<std::string, std::map<std::string, std::vector<double>>>;

Emitted emitted_work(const AuditRuns& runs, const std::vector<std::size_t>& one_case) {
  Emitted emitted;
  for (const auto cell : one_case)
    for (const auto* run : runs.cells()[cell].runs)
      for (const auto& work : run->run.work)
        emitted[work.name][runs.level(*run)].push_back(work.value);
  return emitted;
}

Emitted named_spans(const AuditRuns& runs, const std::vector<std::size_t>& one_case) {
  Emitted emitted;
  for (const auto cell : one_case)
    for (const auto* run : runs.cells()[cell].runs) {
      std::map<std::string, double> counts;
      for (const auto& span : run->run.spans) ++counts[span.span.span];
      for (const auto& [name, count] : counts) emitted[name][runs.level(*run)].push_back(count);
    }
  return emitted;
}

/// How much a difference in a kind of work means: as much as to `compare`. Up to a partial batch
/// costs are still near.
AuditSeverity severity_of(const AnalysisPlan& plan, const std::string& kind, double ratio) {
  const auto& varies = plan.varies;
  const bool counts = plan.per.empty()
                          ? std::find(varies.begin(), varies.end(), kind) == varies.end()
                          : kind == plan.per;
  if (!counts) return AuditSeverity::note;
  return ratio <= 1 + equal_work ? AuditSeverity::warning : AuditSeverity::severe;
}

/// True if anything was emitted.
bool check_emitted(const AuditRuns& runs, const std::vector<std::size_t>& one_case, bool are_spans,
                   AuditFindings& findings) {
  const Emitted emitted = are_spans ? named_spans(runs, one_case) : emitted_work(runs, one_case);
  const Cell& cell = runs.cells()[one_case.front()].cell;
  for (const auto& [name, by_level] : emitted) {
    ByLevel medians;
    for (const auto& [level, values] : by_level) medians[level] = median(values);
    const std::string what = are_spans ? "spans " + name : name;
    if (medians.size() < one_case.size()) {
      findings.push_back(unequal(
          runs, cell, are_spans ? AuditSeverity::note : AuditSeverity::warning, what, medians,
          fmt::format("only {} of {} levels emit their {}: {}", medians.size(), one_case.size(),
                      what, listed(medians))));
      continue;
    }
    const double ratio = most_over_least(medians);
    if (ratio <= 1 + same_work) continue;
    const auto severity =
        are_spans ? AuditSeverity::warning : severity_of(runs.study().analysis, name, ratio);
    findings.push_back(unequal(runs, cell, severity, what, medians,
                               fmt::format("the levels do not do the same work: {}: {}, a ratio of "
                                           "{:.4g}",
                                           what, listed(medians), ratio)));
  }
  return !emitted.empty();
}

/// All levels tell the same amounts of all that they tell.
bool tells_equal_work(const AuditRuns& runs, const std::vector<std::size_t>& one_case) {
  const Emitted emitted = emitted_work(runs, one_case);
  return !emitted.empty() && std::all_of(emitted.begin(), emitted.end(), [&](const auto& one) {
    ByLevel medians;
    for (const auto& [level, values] : one.second) medians[level] = median(values);
    return medians.size() == one_case.size() && most_over_least(medians) <= 1 + same_work;
  });
}

/// One pass of a training loop shows as one call of these, whatever the framework.
constexpr std::array<std::string_view, 4> pass_functions{
    "run_backward", "TF_SessionRun_wrapper", "TFE_Py_Execute", "_backward_compute_grad"};
/// Input that Python itself reads.
constexpr std::array<std::string_view, 5> read_functions{
    "posix.read>", "'read' of '_io", "'readinto' of '_io", "ReadLineAsString", "'recv' of"};

template <class Names>
double calls_of(const CellProfile& profile, const Names& names) {
  double calls = 0;
  for (const auto& one : profile.functions)
    if (one.file == "~" && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
          return one.function.find(name) != std::string::npos;
        }))
      calls += one.calls;
  return calls;
}

/// The updates of weights in a profile of PyTorch, whose optimisers are Python.
std::optional<double> updates_of(const CellProfile& profile) {
  std::optional<double> calls;
  for (const auto& one : profile.functions) {
    if (one.function != "step" || one.file.find("torch/optim/") == std::string::npos ||
        one.file.find("lr_scheduler") != std::string::npos)
      continue;
    calls = std::max(calls.value_or(0), one.calls);
  }
  return calls;
}

/// Modules that Python compiled from their source while it imported them.
double compiled_modules(const CellProfile& profile) {
  double calls = 0;
  for (const auto& one : profile.functions)
    if (one.function == "source_to_code" && one.file.find("importlib") != std::string::npos)
      calls += one.calls;
  return calls;
}

/// Packages whose bytecode is kept in one environment and not in the other.
void check_compiled(const AuditRuns& runs, const std::vector<const CellProfile*>& one_case,
                    AuditFindings& findings) {
  ByLevel modules;
  double least = INFINITY, most = 0;
  for (const auto* profile : one_case) {
    const double count = compiled_modules(*profile);
    modules[profile->cell[*runs.compared()]] = count;
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (most < many_modules + least) return;
  findings.push_back(
      {"unequal-work", AuditSeverity::warning, runs.where_of_case(one_case.front()->cell),
       evidence_of("modules compiled", modules),
       fmt::format("modules that each run compiles from source when it imports them: {}",
                   listed(modules)),
       "compile all environments to bytecode: python -m compileall -q -j 0 LIB"});
}

/// What a workload emits about itself weighs more than the calls of a framework, which also traces,
/// evaluates and copies by them: these then are worth a note.
void check_profiles(const AuditRuns& runs, const std::vector<const CellProfile*>& one_case,
                    bool equal_work_is_known, AuditFindings& findings) {
  ByLevel passes, reads, updates;
  const auto compared = *runs.compared();
  for (const auto* profile : one_case) {
    const std::string& level = profile->cell[compared];
    if (const double calls = calls_of(*profile, pass_functions); calls > 0) passes[level] = calls;
    reads[level] = calls_of(*profile, read_functions);
    if (const auto calls = updates_of(*profile)) updates[level] = *calls;
  }
  const Cell& cell = one_case.front()->cell;
  const std::size_t before = findings.size();
  if (passes.size() == one_case.size() && most_over_least(passes) > 1 + same_steps)
    findings.push_back(
        unequal(runs, cell, equal_work_is_known ? AuditSeverity::note : AuditSeverity::severe,
                "passes", passes,
                fmt::format("profiles count unequal numbers of passes: {}, a ratio of {:.3g}{}",
                            listed(passes), most_over_least(passes),
                            equal_work_is_known ? "; the workloads emit equal work" : "")));
  for (const auto& [level, calls] : updates) {
    const auto all = passes.find(level);
    if (all == passes.end() || calls >= all->second * (1 - same_steps)) continue;
    findings.push_back(
        unequal(runs, cell, AuditSeverity::warning, "updates",
                {{level + " passes", all->second}, {level + " updates", calls}},
                fmt::format("in {} only {:.10g} of {:.10g} passes update the weights "
                            "(skipped, or gathered over several)",
                            level, calls, all->second)));
  }
  const double most_passes =
      passes.empty()
          ? 1
          : std::max_element(passes.begin(), passes.end(), [](const auto& a, const auto& b) {
              return a.second < b.second;
            })->second;
  const auto most_reads = std::max_element(
      reads.begin(), reads.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most_reads->second >= most_passes && most_over_least(reads) > many_times)
    findings.push_back(unequal(runs, cell, AuditSeverity::warning, "reads", reads,
                               fmt::format("the input is read differently: reads from files and "
                                           "pipes that the profiles count: {}",
                                           listed(reads))));
  check_compiled(runs, one_case, findings);
  if (findings.size() == before)
    findings.push_back({"unequal-work", AuditSeverity::ok, runs.where_of_case(cell),
                        evidence_of("passes", passes), "profiles count about equal work", ""});
}

}  // namespace

void audit_work(const AuditRuns& runs, AuditFindings& findings) {
  if (!runs.compared()) return;
  const auto case_of = [&](const Cell& cell) {
    std::string one_case;
    for (const auto& [factor, level] : runs.where_of_case(cell)) one_case += level + '\0';
    return one_case;
  };
  std::set<std::string> equal;
  for (const auto& one_case : runs.cases())
    if (tells_equal_work(runs, one_case))
      equal.insert(case_of(runs.cells()[one_case.front()].cell));
  std::map<std::string, std::vector<const CellProfile*>> profiled;
  for (const auto& profile : runs.input().profiles)
    if (*runs.compared() < profile.cell.size()) profiled[case_of(profile.cell)].push_back(&profile);
  for (const auto& [one_case, profiles] : profiled)
    if (profiles.size() > 1) check_profiles(runs, profiles, equal.contains(one_case), findings);
  if (runs.cases().empty()) return;
  bool any = false;
  const std::size_t before = findings.size();
  for (const auto& one_case : runs.cases()) {
    any = check_emitted(runs, one_case, false, findings) || any;
    check_emitted(runs, one_case, true, findings);
  }
  if (!any)
    findings.push_back(
        {"unequal-work",
         AuditSeverity::note,
         {},
         {{"cases", static_cast<double>(runs.cases().size())}},
         "no run emitted how much work it did (samples, tokens, steps), so it is unknown "
         "whether the levels did the same",
         "Emit it from the workloads: prengdl.work(\"samples\", n), docs/reference/events.md"});
  else if (findings.size() == before)
    findings.push_back({"unequal-work",
                        AuditSeverity::ok,
                        {},
                        {{"cases", static_cast<double>(runs.cases().size())}},
                        fmt::format("the compared levels emit the same work in {}",
                                    counted(runs.cases().size(), "comparison")),
                        ""});
}

}  // namespace prengdl
