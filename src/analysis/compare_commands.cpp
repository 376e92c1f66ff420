// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_commands.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "model/window.h"
#include "stats/correction.h"
#include "stats/log_ratio.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

struct Pairs {
  std::vector<double> a;
  std::vector<double> b;
  bool modelled = false;
};

Pairs pair_up(const std::vector<Run>& first, const std::vector<Run>& second,
              const std::string& measure, bool ignore_failure) {
  std::map<std::size_t, const Run*> by_block;
  for (const auto& run : second)
    if (is_whole(run, ignore_failure)) by_block[run.block] = &run;
  Pairs pairs;
  for (const auto& run : first) {
    const auto partner = by_block.find(run.block);
    if (!is_whole(run, ignore_failure) || partner == by_block.end()) continue;
    const auto x = value_of(run, measure);
    const auto y = value_of(*partner->second, measure);
    if (!x || !y || *x <= 0 || *y <= 0) continue;
    pairs.a.push_back(*x);
    pairs.b.push_back(*y);
    const auto is_modelled = [](const Run& one) {
      return one.energy.metered && one.energy.metered->quality == Quality::model;
    };
    if (is_energy_measure(measure) && (is_modelled(run) || is_modelled(*partner->second)))
      pairs.modelled = true;
  }
  return pairs;
}

std::optional<Finding> compare_pair(const std::string& measure, const std::string& first,
                                    const std::string& second, const Pairs& pairs) {
  if (pairs.a.empty()) return std::nullopt;
  Finding finding;
  finding.measure = measure;
  finding.pair = {first, second};
  finding.paired = true;
  finding.n = pairs.a.size();
  if (pairs.a.size() < 2) {
    finding.ratio = pairs.a[0] / pairs.b[0];
    finding.verdict = pairs.modelled ? "derived" : "inconclusive";
    return finding;
  }
  const auto estimate = paired_log_ratio(pairs.a, pairs.b);
  if (!estimate) return std::nullopt;
  finding.ratio = estimate->ratio;
  if (pairs.modelled) {
    finding.verdict = "derived";
    return finding;
  }
  finding.ci95 = estimate->ci95;
  finding.p = estimate->p;
  const auto rank = signed_rank(pairs.a, pairs.b);
  if (rank) {
    finding.rank_test = rank->test;
    finding.rank_p = rank->p;
  }
  finding.a12 = a12(pairs.a, pairs.b);
  return finding;
}

/// Verdicts come from the interval; with several comparisons, from the corrected p as well.
void conclude(std::vector<Finding>& family) {
  std::vector<double> p;
  std::vector<double> rank_p;
  for (const auto& finding : family) {
    if (finding.p) p.push_back(*finding.p);
    if (finding.rank_p) rank_p.push_back(*finding.rank_p);
  }
  const auto corrected = holm(p);
  const auto rank_corrected = holm(rank_p);
  std::size_t next = 0;
  std::size_t next_rank = 0;
  for (auto& finding : family) {
    if (finding.rank_p) finding.rank_p_corrected = rank_corrected[next_rank++];
    if (!finding.p) continue;
    finding.p_corrected = corrected[next++];
    const bool is_clear =
        *finding.p_corrected < 0.05 && ((*finding.ci95)[1] < 1 || (*finding.ci95)[0] > 1);
    finding.verdict = is_clear ? "less" : "inconclusive";
    if (is_clear) finding.winner = finding.pair[finding.ratio < 1 ? 0 : 1];
  }
}

}  // namespace

bool is_whole(const Run& run, bool ignore_failure) {
  return succeeded(run) || (ignore_failure && !run.timed_out && !run.interrupted);
}

std::vector<Run> runs_to_average(const std::vector<Run>& runs, bool ignore_failure) {
  const bool all = ignore_failure || std::none_of(runs.begin(), runs.end(), succeeded);
  std::vector<Run> whole;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(whole),
               [&](const Run& run) { return is_whole(run, all); });
  return whole;
}

std::optional<double> value_of(const Run& run, const std::string& measure) {
  return value_in(run, Window{}, measure);
}

std::vector<double> values_of(const std::vector<Run>& runs, const std::string& measure) {
  std::vector<double> values;
  for (const auto& run : runs)
    if (const auto value = value_of(run, measure)) values.push_back(*value);
  return values;
}

std::vector<Finding> compare_commands(const std::vector<std::string>& labels,
                                      const std::vector<std::vector<Run>>& runs,
                                      bool ignore_failure) {
  std::vector<Finding> findings;
  for (const std::string measure : {"metered", "seconds", "cpu_seconds"}) {
    std::vector<Finding> family;
    for (std::size_t i = 0; i < labels.size(); ++i)
      for (std::size_t j = i + 1; j < labels.size(); ++j)
        if (auto finding = compare_pair(measure, labels[i], labels[j],
                                        pair_up(runs[i], runs[j], measure, ignore_failure)))
          family.push_back(std::move(*finding));
    conclude(family);
    findings.insert(findings.end(), family.begin(), family.end());
  }
  return findings;
}

}  // namespace prengdl
