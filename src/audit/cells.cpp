// SPDX-License-Identifier: Apache-2.0
//
// The runs of one cell as a series: do they come from one machine in one state?
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "audit/audited_runs.h"
#include "audit/checks.h"
#include "stats/correction.h"
#include "stats/correlation.h"
#include "stats/trend.h"

namespace prengdl {
namespace {

/// A trend below this p before the correction is worth a note.
constexpr double note_p = 0.05;
/// Outliers are tested against normal values, which runs never quite are.
constexpr double outlier_p = 0.01;
/// Steps are tested against the worse of two shapes of noise, which keeps false alarms rare enough.
constexpr double step_p = 0.05;
/// Below this a trend, a step or a first run is there but changes nothing that anyone would report.
constexpr double least_change = 0.01;
/// From this on the mean of a cell describes none of its runs.
constexpr double gross_change = 0.25;

/// One test of one measure of one cell.
struct CellTest {
  const AuditCell* cell = nullptr;
  std::string measure;
  double p = 1;
  double corrected = 1;
  double size = 0;  // difference of logs
  Evidence evidence;
  std::string message;
};

/// Corrects over all cells and measures, and keeps of each cell the test that says most.
std::vector<CellTest> sharpest(std::vector<CellTest> tests) {
  std::vector<double> p_values;
  p_values.reserve(tests.size());
  for (const auto& test : tests) p_values.push_back(test.p);
  const auto corrected = benjamini_hochberg(p_values);
  std::map<const AuditCell*, CellTest> best;
  std::vector<const AuditCell*> order;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    tests[i].corrected = corrected[i];
    const auto [place, is_new] = best.try_emplace(tests[i].cell, tests[i]);
    if (is_new)
      order.push_back(tests[i].cell);
    else if (tests[i].p < place->second.p)
      place->second = tests[i];
  }
  std::vector<CellTest> kept;
  kept.reserve(order.size());
  for (const auto* cell : order) kept.push_back(best[cell]);
  return kept;
}

struct CheckWords {
  std::string check;
  std::string nothing;  // "no trend"
  std::string advice;
  bool notes_chance = false;  // p below note_p before the correction is worth a note
  double limit = alarm_p;     // of p
};

void report(const AuditRuns& runs, const CheckWords& words, std::vector<CellTest> tests,
            AuditFindings& findings) {
  if (tests.empty()) return;
  const std::size_t count = tests.size();
  bool any = false;
  for (const auto& test : sharpest(std::move(tests))) {
    const bool is_shown = test.corrected < words.limit;
    if (!is_shown && !(words.notes_chance && test.p < note_p)) continue;
    const double size = std::abs(std::expm1(std::abs(test.size)));
    AuditFinding finding;
    finding.check = words.check;
    finding.severity = !is_shown || size < least_change ? AuditSeverity::note
                       : size < gross_change            ? AuditSeverity::warning
                                                        : AuditSeverity::severe;
    finding.where = runs.where(test.cell->cell);
    finding.evidence = test.evidence;
    finding.evidence.emplace_back("measure", test.measure);
    finding.evidence.emplace_back("runs", static_cast<double>(test.cell->runs.size()));
    finding.evidence.emplace_back("p", test.p);
    finding.evidence.emplace_back("p_corrected", test.corrected);
    finding.message =
        fmt::format("{} ({}{})", test.message, p_text(is_shown ? test.corrected : test.p),
                    is_shown ? "" : ", may be chance among so many cells");
    finding.advice = is_shown ? words.advice : "";
    findings.push_back(std::move(finding));
    any = true;
  }
  if (any) return;
  findings.push_back({words.check,
                      AuditSeverity::ok,
                      {},
                      {{"tests", static_cast<double>(count)}},
                      fmt::format("{} in {} series of runs", words.nothing, count),
                      ""});
}

/// Calls `test` with the logs of each measure of each cell.
template <class Test>
std::vector<CellTest> each_series(const AuditRuns& runs, Test&& test) {
  std::vector<CellTest> tests;
  for (const auto& cell : runs.cells())
    for (const auto& measure : runs.measures()) {
      const auto logs = runs.logs(cell, measure);
      CellTest one;
      one.cell = &cell;
      one.measure = measure;
      if (test(logs, one)) tests.push_back(std::move(one));
    }
  return tests;
}

std::string name_of_measure(const std::string& measure) {
  return is_energy_measure(measure) ? measure + " joules" : measure;
}

void check_drift(const AuditRuns& runs, AuditFindings& findings) {
  auto tests = each_series(runs, [](const std::vector<double>& logs, CellTest& test) {
    if (logs.size() < 4) return false;
    const auto trend = mann_kendall(logs);
    const auto line = theil_sen(logs);
    if (!trend || !line) return false;
    test.p = trend->p;
    test.size = line->slope * static_cast<double>(logs.size() - 1);
    test.evidence = {{"tau", trend->value}, {"change", std::expm1(test.size)}};
    test.message =
        fmt::format("{} {} over {} runs, Mann-Kendall tau {:.2f}", name_of_measure(test.measure),
                    change(test.size), logs.size(), trend->value);
    return true;
  });
  report(runs,
         {"drift", "no trend over the runs",
          runs.input().is_paired
              ? "compare within blocks, which takes out what all levels share; find out what warms "
                "up, "
                "fills up or ages"
              : "measure again with alternating levels (order = \"adjacent\"), warm up first, and "
                "find out what warms up, fills up or ages",
          true},
         std::move(tests), findings);
}

void check_steps(const AuditRuns& runs, AuditFindings& findings) {
  auto tests = each_series(runs, [](const std::vector<double>& logs, CellTest& test) {
    const auto point = level_step(logs);
    const auto groups = two_groups(logs);
    if (!point || !groups) return false;
    // Two looks at one series: the better of the two, at twice its p.
    const bool is_step = point->p <= groups->p;
    test.p = std::min(1.0, 2 * std::min(point->p, groups->p));
    test.size = is_step ? point->step : groups->apart;
    if (is_step) {
      test.evidence = {{"kind", "step"},
                       {"after_run", static_cast<double>(point->before)},
                       {"change", std::expm1(point->step)}};
      test.message = fmt::format("{} {} after run {} of {}: a step, not a constant level",
                                 name_of_measure(test.measure), change(point->step), point->before,
                                 logs.size());
    } else {
      test.evidence = {{"kind", "two groups"},
                       {"lower_runs", static_cast<double>(groups->lower)},
                       {"change", std::expm1(groups->apart)}};
      test.message = fmt::format(
          "{} fall into two groups, {} runs {:.3g} times as high as the "
          "other {}",
          name_of_measure(test.measure), logs.size() - groups->lower, std::exp(groups->apart),
          groups->lower);
    }
    return true;
  });
  report(runs,
         {"stationary", "one level and no step",
          "its mean describes none of its runs: find out what changed (caches, clocks, another "
          "program, "
          "the input), then measure this cell again",
          false, step_p},
         std::move(tests), findings);
}

void check_outliers(const AuditRuns& runs, AuditFindings& findings) {
  auto tests = each_series(runs, [](const std::vector<double>& logs, CellTest& test) {
    const auto far = farthest_value(logs);
    if (!far) return false;
    const auto n = static_cast<double>(logs.size());
    double others = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) others += i == far->index ? 0 : logs[i];
    others /= n - 1;
    const double away = logs[far->index] - others;
    test.p = far->p;
    test.size = away / n;  // what it does to the cell's geometric mean
    test.evidence = {{"run", test.cell->runs[far->index]->id},
                     {"number", static_cast<double>(far->index + 1)},
                     {"mad_deviations", far->deviations},
                     {"ratio_to_others", std::exp(away)},
                     {"change_of_mean", std::expm1(test.size)}};
    test.message = fmt::format(
        "run {} of {} has {:.3g} times the {} of the others, {:.1f} MADs off", far->index + 1,
        logs.size(), std::exp(away), name_of_measure(test.measure), std::abs(far->deviations));
    return true;
  });
  report(runs,
         {"outliers", "no run far from the others",
          "look at its flags and log; exclude it only for a reason other than its value "
          "(prengdl exclude RESULT RUN --why ...), and report medians next to means",
          false, outlier_p},
         std::move(tests), findings);
}

/// The first runs of all cells together: a small effect that every cell has is seen here first.
void check_first_runs_together(const AuditRuns& runs, const std::vector<CellTest>& tests,
                               AuditFindings& findings) {
  struct Together {
    std::vector<double> ranks;
    std::vector<std::size_t> sizes;
    double sum = 0;  // of differences of logs
  };
  std::map<std::string, Together> by_measure;
  for (const auto& test : tests) {
    const auto logs = runs.logs(*test.cell, test.measure);
    const auto found = first_value(logs);
    auto& together = by_measure[test.measure];
    together.ranks.push_back(found->rank);
    together.sizes.push_back(logs.size());
    together.sum += found->difference;
  }
  for (const auto& [measure, together] : by_measure) {
    const std::size_t cells = together.ranks.size();
    if (cells < 2) continue;
    const double p =
        first_ranks_p(together.ranks, together.sizes) * static_cast<double>(by_measure.size());
    const double size = together.sum / static_cast<double>(cells);
    if (p >= alarm_p / 2) continue;
    AuditFinding finding;
    finding.check = "first-run";
    finding.severity =
        std::abs(std::expm1(size)) < least_change ? AuditSeverity::note : AuditSeverity::warning;
    finding.evidence = {{"measure", measure},
                        {"cells", static_cast<double>(cells)},
                        {"ratio_to_others", std::exp(size)},
                        {"p_corrected", p}};
    finding.message =
        fmt::format("the first runs of {} cells have {:.3g} times the {} of the later ones ({})",
                    cells, std::exp(size), name_of_measure(measure), p_text(p));
    finding.advice =
        "give each cell an uncounted first run (warmup = 1), or leave the first ones "
        "out of all cells alike";
    findings.push_back(std::move(finding));
    return;
  }
}

void check_first_runs(const AuditRuns& runs, AuditFindings& findings) {
  const auto tests = each_series(runs, [](const std::vector<double>& logs, CellTest& test) {
    const auto first = first_value(logs);
    if (!first) return false;
    // The other half of the limit is for all cells together.
    test.p = std::min(1.0, 2 * first->p);
    test.size = first->difference;
    test.evidence = {{"ratio_to_others", std::exp(first->difference)}};
    test.message = fmt::format("the first run has {:.3g} times the {} of the later ones",
                               std::exp(first->difference), name_of_measure(test.measure));
    return true;
  });
  AuditFindings found;
  check_first_runs_together(runs, tests, found);
  const bool together = !found.empty();
  report(runs,
         {"first-run", "no first run stands out",
          "give each cell an uncounted first run (warmup = 1)", false},
         tests, found);
  if (together && found.back().severity == AuditSeverity::ok) found.pop_back();
  findings.insert(findings.end(), found.begin(), found.end());
}

}  // namespace

void audit_cells(const AuditRuns& runs, AuditFindings& findings) {
  check_drift(runs, findings);
  check_steps(runs, findings);
  check_first_runs(runs, findings);
  check_outliers(runs, findings);
}

}  // namespace prengdl
