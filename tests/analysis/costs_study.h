// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conclude/case_runs.h"
#include "model/result.h"
#include "model/study.h"

namespace prengdl {

// A study of two frameworks, two phases and one model, for the tests of costs.

inline Study costs_study() {
  Study study;
  study.name = "costs";
  study.factors = {
      {"phase", {"train", "infer"}}, {"model", {"ncf"}}, {"framework", {"pytorch", "tensorflow"}}};
  study.analysis.compare = "framework";
  return study;
}

inline StoredRun costs_run(Cell cell, std::size_t block, double joules, double seconds = 10,
                           Quality quality = Quality::chip) {
  StoredRun stored;
  stored.id = "r" + std::to_string(block);
  for (const auto& level : cell) stored.id += "-" + level;
  stored.cell = std::move(cell);
  stored.block = block;
  stored.machine = "m-1";
  stored.run.exit_code = 0;
  stored.run.wall = Seconds{seconds};
  stored.run.begin_ns = 1'000'000'000;
  stored.run.energy.domains["package"] = {Joules{joules}, Joules{0.1}, quality};
  stored.run.energy.metered = stored.run.energy.domains["package"];
  stored.run.energy.covers = {"package"};
  return stored;
}

/// One run of a cell per value, in blocks from 0 on.
inline void add_runs(std::vector<StoredRun>& runs, const Cell& cell,
                     const std::vector<double>& joules, Quality quality = Quality::chip) {
  for (std::size_t i = 0; i < joules.size(); ++i)
    runs.push_back(costs_run(cell, i, joules[i], 10, quality));
}

}  // namespace prengdl
