// SPDX-License-Identifier: Apache-2.0
#pragma once

// Studies whose truth is known, to see how often prengdl's conclusions are wrong. The unit tests
// run some thousands of them, bench/coverage.cpp ten thousand of each kind.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "conclude/early_stopping.h"
#include "conclude/gate.h"
#include "conclude/ratio_estimate.h"
#include "stats/group_effect.h"
#include "stats/limit_test.h"
#include "stats/log_ratio.h"
#include "stats/stopping.h"

namespace bench {

/// Errors of a run's logarithm, with mean 0 and about sd 1.
enum class Noise {
  normal,
  skewed,    // exponential: a fastest time, and delays on top
  balanced,  // the difference of two such ones
  outliers,  // normal, but one candidate run in ten is 4 sd dearer; its mean is taken off again
};

/// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double normal() {  // Box and Muller
    return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
  }
  double error(Noise noise, bool of_candidate) {
    if (noise == Noise::skewed) return -std::log(uniform()) - 1;
    if (noise == Noise::balanced) return std::log(uniform() / uniform()) / std::sqrt(2.0);
    const double value = normal();
    if (noise != Noise::outliers || !of_candidate) return value;
    return value + (uniform() < 0.1 ? 4 : 0) - 0.4;
  }

 private:
  std::mt19937_64 engine_;
};

constexpr double run_sd = 0.03;    // of a run's logarithm
constexpr double block_sd = 0.10;  // of what a block has in common; pairs do not feel it

struct Sample {
  std::vector<double> base;
  std::vector<double> candidate;
};

/// n runs of each; `spread` times as much noise in the candidate's.
inline Sample sample(Random& random, std::size_t n, double ratio, bool paired,
                     Noise noise = Noise::normal, double spread = 1) {
  Sample made;
  for (std::size_t i = 0; i < n; ++i) {
    const double block = paired ? block_sd * random.normal() : 0;
    made.base.push_back(std::exp(3 + block + run_sd * random.error(noise, false)));
    made.candidate.push_back(
        std::exp(3 + block + std::log(ratio) + spread * run_sd * random.error(noise, true)));
  }
  return made;
}

/// The share of studies whose 95 % interval holds the true ratio.
inline double interval_coverage(std::size_t studies, std::size_t n, bool paired, std::uint64_t seed,
                                Noise noise = Noise::normal, double spread = 1) {
  Random random(seed);
  constexpr double truth = 1.07;
  std::size_t covered = 0;
  for (std::size_t i = 0; i < studies; ++i) {
    const auto [base, candidate] = sample(random, n, truth, paired, noise, spread);
    const auto found = paired ? prengdl::paired_log_ratio(candidate, base)
                              : prengdl::unpaired_log_ratio(candidate, base);
    if (found && found->ci95[0] <= truth && truth <= found->ci95[1]) ++covered;
  }
  return static_cast<double>(covered) / static_cast<double>(studies);
}

struct NodeShares {
  double ratio = 0;  // intervals of the ratio that hold that of nodes like these
  double share = 0;  // intervals of the share between nodes that hold it
};

/// Pairs in blocks that are spread over nodes, 10 to 24 in all and each node with at least one:
/// nodes differ by a standard deviation of 20 %, and what a node does to one level by 3 %.
/// bench/verdicts sends such studies through the command line.
inline NodeShares node_coverage(std::size_t studies, std::size_t nodes, std::uint64_t seed) {
  Random random(seed);
  constexpr double truth = 1.07, node_sd = 0.2, crossed_sd = 0.03;
  constexpr double between = node_sd * node_sd + crossed_sd * crossed_sd / 2;
  constexpr double share =
      between / (between + crossed_sd * crossed_sd / 2 + block_sd * block_sd + run_sd * run_sd);
  NodeShares shares;
  for (std::size_t i = 0; i < studies; ++i) {
    prengdl::TwoSamples samples;
    std::vector<prengdl::GroupLogs> groups(nodes, {{{}, {}}});
    std::vector<std::array<double, 2>> effects(nodes);
    for (auto& effect : effects) {
      const double common = node_sd * random.normal();
      for (double& one : effect) one = common + crossed_sd * random.normal();
    }
    const auto blocks = 10 + static_cast<std::size_t>(15 * random.uniform());
    for (std::size_t block = 0; block < blocks; ++block) {
      const auto free = static_cast<std::size_t>(static_cast<double>(nodes) * random.uniform());
      const std::size_t node = block < nodes ? block : free;
      const double common = 3 + block_sd * random.normal();
      const std::array<double, 2> logs{
          common + effects[node][0] + std::log(truth) + run_sd * random.normal(),
          common + effects[node][1] + run_sd * random.normal()};
      samples.a.push_back(std::exp(logs[0]));
      samples.b.push_back(std::exp(logs[1]));
      samples.machines_a.push_back(std::to_string(node));
      samples.machines_b.push_back(std::to_string(node));
      for (std::size_t level : {0, 1}) groups[node].levels[level].push_back(logs[level]);
    }
    const auto ratio = prengdl::log_ratio_of_samples(samples, {.is_paired = true});
    shares.ratio += ratio && ratio->ci95[0] <= truth && truth <= ratio->ci95[1];
    const auto variation = prengdl::variation_between_groups(groups, true);
    shares.share += variation && variation->ci95[0] <= share && share <= variation->ci95[1];
  }
  shares.ratio /= static_cast<double>(studies);
  shares.share /= static_cast<double>(studies);
  return shares;
}

struct GateShares {
  double pass = 0;
  double fail = 0;
  double cannot_tell = 0;
  /// Of those that could not tell and named a number of runs: decided by as many new ones.
  double decided_by_needed = 0;
  double mean_needed = 0;
};

/// Samples that are not paired are of one occasion: there is nothing between them.
inline prengdl::GateInput gate_input(const Sample& sample, bool paired, double limit) {
  prengdl::GateInput input;
  input.base.label = "base";
  input.candidate.label = "new";
  input.measures = {{"metered", sample.base, sample.candidate, false}};
  input.paired = paired;
  input.between = 0;
  input.limit = limit;
  return input;
}

/// What gate says of a candidate that costs `ratio` times the base. With `follow`, each study that
/// could not tell is measured again with the runs that it asked for.
inline GateShares gate_shares(std::size_t studies, std::size_t n, double ratio, double limit,
                              bool paired, std::uint64_t seed, Noise noise = Noise::normal,
                              bool follow = false) {
  Random random(seed);
  GateShares shares;
  double asked = 0;
  for (std::size_t i = 0; i < studies; ++i) {
    const auto first =
        prengdl::judge(gate_input(sample(random, n, ratio, paired, noise), paired, limit));
    shares.pass += first.verdict == prengdl::GateVerdict::pass;
    shares.fail += first.verdict == prengdl::GateVerdict::fail;
    shares.cannot_tell += first.verdict == prengdl::GateVerdict::cannot_tell;
    if (!follow || !first.needed) continue;
    ++asked;
    shares.mean_needed += static_cast<double>(first.needed->of_each);
    const auto again = prengdl::judge(
        gate_input(sample(random, first.needed->of_each, ratio, paired, noise), paired, limit));
    shares.decided_by_needed += again.verdict != prengdl::GateVerdict::cannot_tell;
  }
  const auto all = static_cast<double>(studies);
  shares.pass /= all;
  shares.fail /= all;
  shares.cannot_tell /= all;
  if (asked > 0) {
    shares.decided_by_needed /= asked;
    shares.mean_needed /= asked;
  }
  return shares;
}

/// What gate says of two results of different occasions, not paired: each occasion makes all its
/// runs dearer or cheaper by a factor of its own, with this sd of logs. `stated` is what gate is
/// emitted of it.
inline GateShares occasion_shares(std::size_t studies, std::size_t n, double ratio, double limit,
                                  double occasion_sd, std::optional<double> stated,
                                  std::uint64_t seed) {
  Random random(seed);
  GateShares shares;
  for (std::size_t i = 0; i < studies; ++i) {
    auto made = sample(random, n, ratio, false);
    for (auto* side : {&made.base, &made.candidate}) {
      const double occasion = std::exp(occasion_sd * random.normal());
      for (double& value : *side) value *= occasion;
    }
    auto input = gate_input(made, false, limit);
    input.between = stated;
    const auto verdict = prengdl::judge(input).verdict;
    shares.pass += verdict == prengdl::GateVerdict::pass;
    shares.fail += verdict == prengdl::GateVerdict::fail;
    shares.cannot_tell += verdict == prengdl::GateVerdict::cannot_tell;
  }
  for (double* share : {&shares.pass, &shares.fail, &shares.cannot_tell})
    *share /= static_cast<double>(studies);
  return shares;
}

struct StoppingShares {
  double differs = 0;         // stopped or ended with an interval that excludes 1
  double equivalent = 0;      // ... that includes 1 and lies within the margin
  double covered = 0;         // the interval at the end holds the truth
  double always_covered = 0;  // those of all looks do, also of looks that were not made
  double mean_n = 0;
  double mean_log_ratio = 0;  // at the end, in units of the true one; only if that is not 0
  double fixed_differs = 0;   // by a plain t test of all planned pairs
  double naive_differs = 0;   // by a plain t test at any look
};

/// Studies of one comparison that may stop at each look. `effect` is the mean log difference over
/// its sd; `margin` is on the same scale, 0 for none.
inline StoppingShares stopping_shares(std::size_t studies, const prengdl::LookPlan& plan,
                                      double effect, double margin, std::uint64_t seed,
                                      Noise noise = Noise::normal) {
  Random random(seed);
  StoppingShares shares;
  constexpr double alpha = 0.05;
  constexpr double unit = 0.04;
  const double truth = std::exp(effect * unit);
  const double widest = std::expm1(margin * unit);
  std::vector<double> fixed_t;
  for (std::size_t n = plan.first; n <= plan.last; ++n)
    fixed_t.push_back(prengdl::t_boundary({n, n}, alpha).t[0]);
  for (std::size_t study = 0; study < studies; ++study) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < plan.last; ++i)
      differences.push_back(unit * (effect + random.error(noise, true)));
    bool is_over = false;
    bool always = true;
    bool naive = false;
    for (std::size_t n = plan.first; n <= plan.last; ++n) {
      const auto look = *prengdl::log_ratio_sequence(std::span(differences).first(n), plan, alpha);
      const bool covers = look.interval[0] <= truth && truth <= look.interval[1];
      always &= covers;
      // Back from the interval to |t|, to hold it against the boundary of a single look.
      const double t = std::abs(std::log(look.ratio)) / std::log(look.interval[1] / look.ratio) *
                       prengdl::t_boundary(plan, alpha).t[n - plan.first];
      const bool is_plain = t > fixed_t[n - plan.first];
      naive |= is_plain;
      if (n == plan.last) shares.fixed_differs += is_plain;
      if (is_over) continue;
      const bool excludes_1 = look.interval[0] > 1 || look.interval[1] < 1;
      const auto verdict = prengdl::verdict_of(look.interval, widest);
      is_over = n == plan.last || verdict != prengdl::Verdict::inconclusive;
      if (!is_over) continue;
      shares.differs += excludes_1;
      shares.equivalent += verdict == prengdl::Verdict::equivalent;
      shares.covered += covers;
      shares.mean_n += static_cast<double>(n);
      if (effect != 0) shares.mean_log_ratio += std::log(look.ratio) / std::log(truth);
    }
    shares.always_covered += always;
    shares.naive_differs += naive;
  }
  for (double* share :
       {&shares.differs, &shares.equivalent, &shares.covered, &shares.always_covered,
        &shares.mean_n, &shares.mean_log_ratio, &shares.fixed_differs, &shares.naive_differs})
    *share /= static_cast<double>(studies);
  return shares;
}

/// The share of studies with any false winner, where no cell differs from another: `units` units of
/// `levels` cells, each stopped by the rule.
inline double family_error(std::size_t studies, std::size_t units, std::size_t levels,
                           std::size_t planned, std::uint64_t seed) {
  Random random(seed);
  prengdl::StopRule rule;
  rule.planned = planned;
  rule.comparisons = units * levels * (levels - 1) / 2;
  std::size_t wrong = 0;
  for (std::size_t study = 0; study < studies; ++study) {
    bool is_wrong = false;
    for (std::size_t unit = 0; unit < units; ++unit) {
      prengdl::StoppingInput input;
      input.rule = rule;
      for (std::size_t i = 0; i < levels; ++i)
        for (std::size_t j = i + 1; j < levels; ++j) input.comparisons.emplace_back();
      prengdl::StopDecision decision;
      while (!decision.stop) {
        const double block = block_sd * random.normal();
        std::vector<double> values;
        for (std::size_t i = 0; i < levels; ++i)
          values.push_back(std::exp(3 + block + run_sd * random.normal()));
        auto comparison = input.comparisons.begin();
        for (std::size_t i = 0; i < levels; ++i)
          for (std::size_t j = i + 1; j < levels; ++j, ++comparison) {
            comparison->first.push_back(values[i]);
            comparison->second.push_back(values[j]);
          }
        ++input.blocks;
        if (input.blocks >= rule.first) decision = prengdl::may_stop(input);
      }
      for (const auto& state : decision.comparisons)
        is_wrong |= state.verdict == prengdl::Verdict::less;
    }
    wrong += is_wrong;
  }
  return static_cast<double>(wrong) / static_cast<double>(studies);
}

}  // namespace bench
