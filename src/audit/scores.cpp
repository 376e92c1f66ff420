// SPDX-License-Identifier: Apache-2.0
//
// Whether the compared levels reach the same score: a level that does not learn is cheap.
#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <set>

#include "analysis/score.h"
#include "audit/audited_runs.h"
#include "base/amounts.h"
#include "stats/correction.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// Without a `score_margin` in the study: this share of the better score, also of an accuracy that
/// is emitted as an error.
constexpr double default_margin = 0.01;
/// From this share on the levels do not solve the same task.
constexpr double gross_difference = 0.1;
constexpr double score_alpha = 0.01;

using ScoresByLevel = std::map<std::string, std::vector<double>>;

ScoresByLevel scores_in(const AuditRuns& runs, const std::vector<std::size_t>& one_case,
                        const std::string& metric) {
  ScoresByLevel scores;
  for (const auto cell : one_case)
    for (const auto* run : runs.cells()[cell].runs)
      if (const auto value = final_metric(run->run, metric))
        scores[runs.level(*run)].push_back(*value);
  return scores;
}

/// The study's own score, else of the usual ones the first that most levels of the case emit.
std::string metric_of(const AuditRuns& runs, const std::vector<std::size_t>& one_case) {
  if (!runs.study().analysis.score.empty()) return runs.study().analysis.score;
  std::map<std::string, std::set<std::string>, std::less<>> levels;  // that emit a metric
  for (const auto cell : one_case)
    for (const auto* run : runs.cells()[cell].runs)
      for (const auto& metric : run->run.metrics) levels[metric.name].insert(runs.level(*run));
  std::string best;
  std::size_t most = 0;
  for (const auto& known : score_metrics()) {
    const auto emitted = levels.find(known.metric);
    if (emitted == levels.end() || emitted->second.size() <= most) continue;
    most = emitted->second.size();
    best = known.metric;
  }
  return best;
}

/// Welch's two-sided p; 0 for different scores without spread, and for a single run of a level,
/// whose score is all that is known.
double welch_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return 0;
  const auto part = [](const std::vector<double>& values) {
    return std::pow(standard_deviation(values), 2) / static_cast<double>(values.size());
  };
  const double of_a = part(a), of_b = part(b);
  if (!(of_a + of_b > 0)) return mean(a) == mean(b) ? 1 : 0;
  const double freedom =
      std::pow(of_a + of_b, 2) / (of_a * of_a / static_cast<double>(a.size() - 1) +
                                  of_b * of_b / static_cast<double>(b.size() - 1));
  const double t = std::abs(mean(a) - mean(b)) / std::sqrt(of_a + of_b);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

/// The two levels of a case whose scores differ most.
struct ScoreGap {
  std::vector<std::size_t> one_case;
  std::string metric;
  std::map<std::string, double> means;
  double difference = 0;
  double reached = 0;  // by the better level: what shares are of
  double p = 1;
};

ScoreGap widest_gap(const std::vector<std::size_t>& one_case, const std::string& metric,
                    const ScoresByLevel& scores) {
  ScoreGap gap{one_case, metric, {}, 0, 0, 1};
  for (const auto& [level, values] : scores) gap.means[level] = mean(values);
  const auto [least, most] =
      std::minmax_element(gap.means.begin(), gap.means.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  gap.difference = most->second - least->second;
  // An error of 0.02 instead of 0.01 is an accuracy of 0.98 instead of 0.99, not twice as bad.
  gap.reached = metric.ends_with("_error") && most->second < 1
                    ? 1 - least->second
                    : std::max(std::abs(most->second), std::abs(least->second));
  const auto pairs = static_cast<double>(scores.size() * (scores.size() - 1)) / 2;
  gap.p = std::min(1.0, pairs * welch_p(scores.at(least->first), scores.at(most->first)));
  return gap;
}

std::string listed_scores(const std::map<std::string, double>& means) {
  std::string text;
  for (const auto& [level, value] : means)
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", level, value);
  return text;
}

const char* const same_score =
    "Train all levels to the same score, or compare the cost of reaching it (compare --reach). "
    "Set analysis.score_margin to the difference that is negligible";

AuditFinding unequal_score(const AuditRuns& runs, const ScoreGap& gap, double corrected,
                           double margin) {
  AuditFinding finding;
  finding.check = "unequal-score";
  finding.severity = gap.difference >= gross_difference * gap.reached ? AuditSeverity::severe
                                                                      : AuditSeverity::warning;
  finding.where = runs.where_of_case(runs.cells()[gap.one_case.front()].cell);
  finding.evidence = {{"metric", gap.metric},
                      {"difference", gap.difference},
                      {"margin", margin},
                      {"p_corrected", corrected}};
  for (const auto& [level, value] : gap.means) finding.evidence.emplace_back(level, value);
  finding.message = fmt::format("the levels differ in {}: {} ({})", gap.metric,
                                listed_scores(gap.means), p_text(corrected));
  finding.advice = same_score;
  return finding;
}

/// Levels without the score cannot be judged. True if all have it.
bool all_have_score(const AuditRuns& runs, const std::vector<std::size_t>& one_case,
                    const std::string& metric, const ScoresByLevel& scores,
                    AuditFindings& findings) {
  if (scores.size() == one_case.size()) return true;
  std::vector<std::string> without;
  for (const auto cell : one_case)
    if (const auto& level = runs.cells()[cell].cell.at(*runs.compared()); !scores.contains(level))
      without.push_back(level);
  findings.push_back(
      {"unequal-score",
       AuditSeverity::warning,
       runs.where_of_case(runs.cells()[one_case.front()].cell),
       {{"metric", metric},
        {"levels_without", static_cast<double>(without.size())},
        {"levels", static_cast<double>(one_case.size())}},
       fmt::format("no {} on record for {}, so its score cannot be compared", metric,
                   some_of(without)),
       fmt::format("Emit {} from the workload of every level (docs/reference/events.md)", metric)});
  return false;
}

}  // namespace

void audit_scores(const AuditRuns& runs, AuditFindings& findings) {
  std::vector<ScoreGap> gaps;
  std::vector<double> p_values;
  AuditFindings found;
  for (const auto& one_case : runs.cases()) {
    const std::string metric = metric_of(runs, one_case);
    if (metric.empty()) continue;
    const auto scores = scores_in(runs, one_case, metric);
    if (!all_have_score(runs, one_case, metric, scores, found)) continue;
    gaps.push_back(widest_gap(one_case, metric, scores));
    p_values.push_back(gaps.back().p);
  }
  const auto corrected = benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double margin =
        runs.study().analysis.score_margin.value_or(default_margin * gaps[i].reached);
    if (gaps[i].difference > margin && corrected[i] < score_alpha)
      found.push_back(unequal_score(runs, gaps[i], corrected[i], margin));
  }
  if (found.empty() && !gaps.empty())
    found.push_back(
        {"unequal-score",
         AuditSeverity::ok,
         {},
         {{"cases", static_cast<double>(gaps.size())}},
         fmt::format("the levels reach about the same score in {}", counted(gaps.size(), "case")),
         ""});
  findings.insert(findings.end(), found.begin(), found.end());
}

}  // namespace prengdl
