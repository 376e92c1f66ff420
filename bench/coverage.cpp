// SPDX-License-Identifier: Apache-2.0
// coverage [--full]: how often prengdl's intervals, gate and early stopping are wrong, as tables.
//
// 2,000 simulated studies of each kind, with --full 10,000, from fixed seeds. Shares that are
// promised (docs/reference/gate.md, docs/explanation/stopping.md) are held against their limits;
// exit code 3 and a mark where one is missed.
#include <fmt/core.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "bench/simulated_studies.h"

namespace {

using bench::Noise;

std::size_t studies = 2'000;
int missed = 0;

/// A share in percent. Promised to lie within one point of `nominal`, or four times the
/// simulation's own standard error where that is more.
std::string share(double value, double nominal) {
  const double error = std::sqrt(nominal * (1 - nominal) / static_cast<double>(studies));
  const bool is_kept = std::abs(value - nominal) <= std::max(0.01, 4 * error);
  if (!is_kept) ++missed;
  return fmt::format("{:.2f}{}", value * 100, is_kept ? "" : " (missed)");
}

std::string at_most(double value, double nominal) {
  return value <= nominal ? fmt::format("{:.2f}", value * 100) : share(value, nominal);
}

std::string at_least(double value, double limit) {
  if (value < limit) ++missed;
  return fmt::format("{:.2f}{}", value * 100, value < limit ? " (missed)" : "");
}

std::string plain(double value) { return fmt::format("{:.2f}", value * 100); }

const char* name(bool paired) { return paired ? "paired" : "not paired"; }

void intervals() {
  fmt::print("## 95 % interval of the ratio: how often it holds the truth, %\n\n");
  fmt::print("| runs of each | n = 5 | n = 10 | n = 30 |\n|---|---:|---:|---:|\n");
  const auto row = [](const char* label, bool paired, Noise noise, double spread, bool promised) {
    fmt::print("| {}, {} |", name(paired), label);
    std::uint64_t seed = 100;
    for (const std::size_t n : {5, 10, 30}) {
      const double found = bench::interval_coverage(studies, n, paired, ++seed, noise, spread);
      fmt::print(" {} |", promised ? share(found, 0.95) : plain(found));
    }
    fmt::print("\n");
  };
  row("normal", true, Noise::normal, 1, true);
  row("normal", false, Noise::normal, 1, true);
  row("normal, three times the spread in one", false, Noise::normal, 3, true);
  row("skewed", true, Noise::skewed, 1, false);
  row("skewed", false, Noise::skewed, 1, false);
  row("outliers in one", true, Noise::outliers, 1, false);
  row("outliers in one", false, Noise::outliers, 1, false);
}

void nodes() {
  fmt::print("\n## Blocks spread over nodes: how often 95 % intervals hold the truth, %\n\n");
  fmt::print("| nodes | ratio, for nodes like these | share between nodes |\n|---:|---:|---:|\n");
  for (const std::size_t count : {2, 3, 4, 6, 8}) {
    const auto found = bench::node_coverage(studies, count, 150 + count);
    fmt::print("| {} | {} | {} |\n", count, at_least(found.ratio, 0.93),
               at_least(found.share, 0.93));
  }
}

void gate() {
  constexpr double limit = 1.03;
  fmt::print("\n## gate with the true ratio at the limit: wrong fail / wrong pass, %\n\n");
  fmt::print("| runs of each | n = 5 | n = 10 | n = 30 |\n|---|---:|---:|---:|\n");
  const auto row = [](const char* label, bool paired, Noise noise, bool promised) {
    fmt::print("| {}, {} |", name(paired), label);
    std::uint64_t seed = 200;
    for (const std::size_t n : {5, 10, 30}) {
      const auto found = bench::gate_shares(studies, n, limit, limit, paired, ++seed, noise);
      fmt::print(" {} / {} |", promised ? share(found.fail, 0.05) : plain(found.fail),
                 promised ? share(found.pass, 0.05) : plain(found.pass));
    }
    fmt::print("\n");
  };
  row("normal", true, Noise::normal, true);
  row("normal", false, Noise::normal, true);
  row("skewed", true, Noise::skewed, false);
  row("skewed", false, Noise::skewed, false);
  row("outliers in one", true, Noise::outliers, false);
  row("outliers in one", false, Noise::outliers, false);

  fmt::print("\n## gate with 10 pairs, limit 1.03, sd of a pair 4.2 %\n\n");
  fmt::print(
      "| true ratio | pass | fail | cannot tell | runs that it asks for, mean | decided by that "
      "many "
      "new runs |\n|---:|---:|---:|---:|---:|---:|\n");
  std::uint64_t seed = 300;
  for (const double ratio : {0.95, 1.0, 1.02, 1.04, 1.06, 1.10}) {
    const auto found =
        bench::gate_shares(studies, 10, ratio, limit, true, ++seed, Noise::normal, true);
    const bool asked = found.mean_needed > 0;
    fmt::print("| {:.2f} | {} | {} | {} | {} | {} |\n", ratio,
               ratio > limit ? at_most(found.pass, 0.05) : plain(found.pass),
               ratio > limit ? plain(found.fail) : at_most(found.fail, 0.05),
               plain(found.cannot_tell), asked ? fmt::format("{:.0f}", found.mean_needed) : "–",
               asked ? plain(found.decided_by_needed) : "–");
  }
}

void occasions() {
  constexpr double limit = 1.03;
  constexpr double sd = 0.02;
  fmt::print("\n## gate of two results, 2 % sd between occasions, true ratio at the limit, %\n\n");
  fmt::print(
      "| stated spread | runs of each | wrong fail | wrong pass | cannot tell |\n"
      "|---|---:|---:|---:|---:|\n");
  const auto row = [](const char* label, std::optional<double> stated, bool promised) {
    std::uint64_t seed = 350;
    for (const std::size_t n : {5, 10, 30}) {
      const auto found = bench::occasion_shares(studies, n, limit, limit, sd, stated, ++seed);
      fmt::print("| {} | {} | {} | {} | {} |\n", label, n,
                 promised ? share(found.fail, 0.05) : plain(found.fail),
                 promised ? share(found.pass, 0.05) : plain(found.pass), plain(found.cannot_tell));
    }
  };
  row("nothing", std::nullopt, false);
  row("0 %, as if it were one occasion", 0.0, false);
  row("`--between 2%`", sd, true);
  row("`--between 1%`, too little", sd / 2, false);
  row("`--between 4%`, too much", 2 * sd, false);
}

void stopping() {
  fmt::print("\n## Stopping early, no difference: how often one is found, %\n\n");
  fmt::print(
      "| blocks | finds one | 95 % intervals of all looks hold the truth | plain t test at every "
      "look | plain t test of all blocks |\n|---|---:|---:|---:|---:|\n");
  std::uint64_t seed = 400;
  for (const std::size_t last : {11, 20, 30, 60, 100}) {
    const auto found = bench::stopping_shares(studies, {10, last}, 0, 0, ++seed);
    fmt::print("| 10 to {} | {} | {} | {} | {} |\n", last, share(found.differs, 0.05),
               share(found.always_covered, 0.95), plain(found.naive_differs),
               plain(found.fixed_differs));
  }
  for (const auto& [noise, label] :
       {std::pair{Noise::balanced, "balanced"}, std::pair{Noise::outliers, "outliers in one"},
        std::pair{Noise::skewed, "skewed"}}) {
    const auto found = bench::stopping_shares(studies, {10, 30}, 0, 0, ++seed, noise);
    fmt::print("| 10 to 30, {} | {} | {} | {} | {} |\n", label, plain(found.differs),
               plain(found.always_covered), plain(found.naive_differs), plain(found.fixed_differs));
  }

  fmt::print("\n## Stopping early, 10 to 30 blocks, by shape of the boundary\n\n");
  fmt::print(
      "| true difference, sd | shape | finds it, % | a plain test of 30, % | mean blocks | "
      "interval "
      "misses the truth, % | mean estimate / truth |\n|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const double effect : {0.25, 0.5, 0.75, 1.0, 2.0})
    for (const double shape : {0.0, 0.25, 0.5}) {
      const auto found = bench::stopping_shares(studies, {10, 30, shape}, effect, 0, ++seed);
      fmt::print("| {} | {} | {} | {} | {:.1f} | {} | {:.3f} |\n", effect, shape,
                 plain(found.differs), plain(found.fixed_differs), found.mean_n,
                 at_most(1 - found.covered, 0.05), found.mean_log_ratio);
    }

  fmt::print("\n## Stopping early, 10 to 30 blocks, with a margin\n\n");
  fmt::print(
      "| margin, sd | true difference, sd | finds one, % | says equivalent, % | mean blocks |\n"
      "|---:|---:|---:|---:|---:|\n");
  for (const auto& [margin, effect] :
       {std::pair{0.5, 0.0}, std::pair{1.0, 0.0}, std::pair{2.0, 0.0}, std::pair{1.0, 1.0},
        std::pair{2.0, 2.0}}) {
    const auto found = bench::stopping_shares(studies, {10, 30}, effect, margin, ++seed);
    fmt::print("| {} | {} | {} | {} | {:.1f} |\n", margin, effect,
               effect == 0 ? at_most(found.differs, 0.05) : plain(found.differs),
               effect == 0 ? plain(found.equivalent) : at_most(found.equivalent, 0.025),
               found.mean_n);
  }

  fmt::print(
      "\n## Stopping early, several comparisons without a difference: any false winner, %\n\n");
  fmt::print("| study | any |\n|---|---:|\n");
  fmt::print("| 6 units of 2 levels, 10 to 30 blocks | {} |\n",
             share(bench::family_error(studies, 6, 2, 30, ++seed), 0.05));
  fmt::print("| 2 units of 3 levels, 10 to 30 blocks | {} |\n",
             at_most(bench::family_error(studies, 2, 3, 30, ++seed), 0.05));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "--full") != 0)) {
    fmt::print(stderr, "usage: coverage [--full]\n");
    return 2;
  }
  if (argc == 2) studies = 10'000;
  fmt::print("{} simulated studies behind each figure.\n\n", studies);
  intervals();
  nodes();
  gate();
  occasions();
  stopping();
  if (missed > 0) fmt::print(stderr, "{} shares are not as promised\n", missed);
  return missed > 0 ? 3 : 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "coverage: %s\n", e.what());
  return 1;
}
