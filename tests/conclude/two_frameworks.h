// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "conclude/compare.h"

namespace prengdl {

// Two frameworks and two models, for the tests of the rules of concluding.

inline Study two_frameworks() {
  Study study;
  study.name = "small";
  study.runs = 5;
  study.factors = {{"framework", {"jax", "torch"}}, {"model", {"a", "b"}}};
  study.analysis.compare = "framework";
  study.analysis.within = {"model"};
  study.analysis.secondary = {"seconds"};
  study.analysis.margin = 0.05;
  return study;
}

inline StoredRun run_of(const Cell& cell, std::size_t block, double joules, double seconds = 1,
                        Quality quality = Quality::chip) {
  StoredRun run;
  run.cell = cell;
  run.block = block;
  run.machine = "m";
  // Levels start in turns: jax first in even blocks.
  const bool is_second = (cell[0] == "torch") == (block % 2 == 0);
  run.run.begin_ns = static_cast<std::int64_t>(2 * block + (is_second ? 1 : 0) + 1) * 1'000'000'000;
  run.run.exit_code = 0;
  run.run.wall = run.run.window = Seconds{seconds};
  const Energy energy{Joules{joules}, Joules{0}, quality};
  run.run.energy.domains["package"] = energy;
  run.run.energy.metered = energy;
  run.run.energy.covers = {"package"};
  return run;
}

/// Blocks of pairs: jax takes `ratio` times what torch takes, each block its own level.
inline std::vector<StoredRun> pairs(const std::string& model, double ratio, std::size_t blocks,
                                    double scatter = 0.001) {
  std::vector<StoredRun> runs;
  for (std::size_t block = 0; block < blocks; ++block) {
    const double level = 100 * (1 + 0.3 * static_cast<double>(block % 3));
    const double wobble = std::exp(scatter * (static_cast<double>(block % 4) - 1.5));
    runs.push_back(run_of({"jax", model}, block, level * ratio * wobble, 2));
    runs.push_back(run_of({"torch", model}, block, level, 1));
  }
  return runs;
}

inline const Comparison& first_of(const Findings& findings, const std::string& measure) {
  for (const auto& one : findings.comparisons)
    if (one.measure == measure) return one;
  throw Error("no comparison by " + measure);
}

/// Joules of each framework, block by block, on one machine; levels start in turns.
inline std::vector<StoredRun> blocks_of(const std::vector<double>& jax,
                                        const std::vector<double>& torch,
                                        const std::string& model = "a",
                                        const std::string& machine = "m") {
  std::vector<StoredRun> runs;
  for (std::size_t i = 0; i < jax.size(); ++i) {
    runs.push_back(run_of({"jax", model}, i, jax[i]));
    runs.push_back(run_of({"torch", model}, i, torch[i]));
  }
  for (auto& run : runs) run.machine = machine;
  return runs;
}

}  // namespace prengdl
