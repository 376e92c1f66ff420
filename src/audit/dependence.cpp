// SPDX-License-Identifier: Apache-2.0
//
// Whether runs depend on the runs before them: then there are fewer independent ones than counted.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "audit/audited_runs.h"
#include "audit/checks.h"
#include "audit/time_checks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

void centre(std::vector<double>& values) {
  const double middle = mean(values);
  for (auto& value : values) value -= middle;
}

/// The runs of one case on one machine: logs by block, of all levels of the case.
using Blocks = std::map<std::size_t, std::map<Cell, double>>;

/// Differences between the levels of each block: rows of logs less the means of their block and of
/// their level. Neighbours are blocks that follow each other.
SerialValues differences(const AuditRuns& runs, const std::string& measure) {
  SerialValues values;
  std::size_t group = 0;
  for (const auto& one_case : runs.cases()) {
    std::map<std::string, Blocks> machines;
    for (const auto index : one_case)
      for (const auto* run : runs.cells()[index].runs)
        if (const auto figure = runs.value(*run, measure); figure && *figure > 0)
          machines[run->machine][run->block][run->cell] = std::log(*figure);
    for (const auto& [machine, blocks] : machines) {
      std::vector<std::vector<double>> columns(one_case.size());
      for (const auto& [block, logs] : blocks) {
        if (logs.size() < one_case.size()) continue;
        std::vector<double> row;
        for (const auto& [cell, log] : logs) row.push_back(log);
        centre(row);
        for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
      }
      if (columns.front().size() < 3) continue;
      for (auto& column : columns) centre(column);
      for (std::size_t i = 0; i < columns.front().size(); ++i) {
        std::vector<double> row;
        row.reserve(columns.size());
        for (const auto& column : columns) row.push_back(column[i]);
        if (i > 0) values.neighbours.emplace_back(values.rows.size() - 1, values.rows.size());
        values.rows.push_back(std::move(row));
        values.group.push_back(group);
      }
      ++group;
    }
  }
  return values;
}

/// Logs of runs less the mean of their cell. Neighbours follow each other on their machine; if only
/// the order within cells is known, within their cell.
SerialValues residuals(const AuditRuns& runs, const std::string& measure) {
  SerialValues values;
  std::map<const StoredRun*, std::pair<double, std::size_t>> known;  // residual, cell
  for (std::size_t c = 0; c < runs.cells().size(); ++c) {
    auto logs = runs.logs(runs.cells()[c], measure);
    if (logs.size() < 3) continue;
    centre(logs);
    for (std::size_t i = 0; i < logs.size(); ++i) known[runs.cells()[c].runs[i]] = {logs[i], c};
  }
  std::map<std::pair<std::string, Cell>, std::size_t> last;
  for (const auto* run : runs.counted()) {
    const auto found = known.find(run);
    if (found == known.end()) continue;
    const auto [before, is_first] = last.try_emplace(
        {run->machine, runs.knows_order() ? Cell{} : run->cell}, values.rows.size());
    if (!is_first) values.neighbours.emplace_back(before->second, values.rows.size());
    before->second = values.rows.size();
    values.rows.push_back({found->second.first});
    values.group.push_back(found->second.second);
  }
  return values;
}

/// The measure that shows it best, corrected for looking at several.
struct Dependence {
  std::string measure;
  SerialCorrelation serial;
  std::size_t values = 0;
};

template <class Values>
std::optional<Dependence> strongest(const AuditRuns& runs, Values&& values_of) {
  std::optional<Dependence> best;
  for (const auto& measure : runs.measures()) {
    const SerialValues values = values_of(runs, measure);
    auto found = serial_correlation(values);
    if (!found) continue;
    found->p = std::min(1.0, found->p * static_cast<double>(runs.measures().size()));
    if (!best || found->p < best->serial.p) best = {measure, *found, values.rows.size()};
  }
  return best;
}

AuditFinding dependent(const Dependence& one, bool is_of_blocks, AuditSeverity severity,
                       const std::string& follows, const std::string& advice) {
  const double r = std::clamp(one.serial.correlation, 0.0, 0.99);
  const std::string what =
      is_of_blocks
          ? fmt::format("differences in {} follow those of the block before", title_of(one.measure))
          : fmt::format("the {} of a run follows that of the run before", title_of(one.measure));
  return {"autocorrelation",
          severity,
          {},
          {{"of", is_of_blocks ? "differences within blocks" : "runs"},
           {"measure", one.measure},
           {"correlation", one.serial.correlation},
           {"effective_share", (1 - r) / (1 + r)},
           {"values", static_cast<double>(one.values)},
           {"p_corrected", one.serial.p}},
          fmt::format("{} (correlation {:.2f}, {}): {}", what, one.serial.correlation,
                      p_text(one.serial.p), follows),
          advice};
}

}  // namespace

void audit_dependence(const AuditRuns& runs, AuditFindings& findings) {
  AuditFindings found;
  std::size_t looked_at = 0;
  if (runs.input().is_paired)
    if (const auto one = strongest(runs, differences)) {
      looked_at += one->values;
      if (one->serial.p < alarm_p)
        found.push_back(dependent(
            *one, true, AuditSeverity::warning, "p values are too small and intervals too narrow",
            "Add blocks and spread them over several days, or find what changes slowly "
            "and acts on one level only"));
    }
  if (const auto one = strongest(runs, residuals)) {
    looked_at += one->values;
    const bool is_harmless = runs.input().is_paired;
    if (one->serial.p < alarm_p)
      found.push_back(dependent(
          *one, false, is_harmless ? AuditSeverity::note : AuditSeverity::warning,
          is_harmless ? "comparisons within blocks are not affected"
                      : "there are fewer independent runs than counted",
          is_harmless ? ""
                      : "Measure again in blocks with alternating levels (prengdl run), which "
                        "takes out what changes slowly"));
  }
  if (found.empty() && looked_at > 0)
    found.push_back({"autocorrelation",
                     AuditSeverity::ok,
                     {},
                     {{"values", static_cast<double>(looked_at)}},
                     "runs do not depend on the runs before them",
                     ""});
  findings.insert(findings.end(), found.begin(), found.end());
}

}  // namespace prengdl
