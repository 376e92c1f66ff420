// SPDX-License-Identifier: Apache-2.0
#include "analysis/unit_values.h"

#include <algorithm>

namespace prengdl {

CountedRuns::CountedRuns(const std::vector<Cell>& cells, const std::vector<StoredRun>& runs) {
  std::map<Cell, std::size_t> index;
  for (std::size_t i = 0; i < cells.size(); ++i) index[cells[i]] = i;
  for (const auto& run : runs) {
    const auto cell = index.find(run.cell);
    if (run.is_warmup || cell == index.end()) continue;
    const std::pair key(run.block, cell->second);
    tried_[key] = true;
    if (run.outcome != Outcome::ok || run.excluded) continue;
    const StoredRun*& kept = good_[key];
    if (!kept || run.attempt >= kept->attempt) kept = &run;
  }
}

const StoredRun* CountedRuns::at(std::size_t block, std::size_t cell) const {
  const auto found = good_.find({block, cell});
  return found == good_.end() ? nullptr : found->second;
}

std::size_t CountedRuns::whole_blocks(const std::vector<std::size_t>& unit) const {
  for (std::size_t block = 0;; ++block)
    for (const std::size_t cell : unit)
      if (!tried_.contains({block, cell})) return block;
}

std::vector<PairedValues> paired_values(const Study& study, const std::vector<Cell>& cells,
                                        const std::vector<std::size_t>& unit,
                                        const CountedRuns& runs, std::size_t blocks) {
  const auto compared = factor_index(study, study.analysis.compare);
  const auto window = parse_window(study.analysis.window);
  if (!window) throw Error(window.error());
  std::vector<PairedValues> all;
  for (std::size_t i = 0; compared && i < unit.size(); ++i) {
    for (std::size_t j = i + 1; j < unit.size(); ++j) {
      PairedValues values;
      values.pair = {cells[unit[i]][*compared], cells[unit[j]][*compared]};
      for (std::size_t block = 0; block < blocks; ++block) {
        const StoredRun* a = runs.at(block, unit[i]);
        const StoredRun* b = runs.at(block, unit[j]);
        if (!a || !b) continue;
        const auto first = value_in(a->run, *window, study.analysis.primary);
        const auto second = value_in(b->run, *window, study.analysis.primary);
        if (!first || !second) continue;
        values.first.push_back(*first);
        values.second.push_back(*second);
        for (const auto* run : {a, b})
          values.modelled =
              values.modelled || quality_in(run->run, study.analysis.primary) == Quality::model;
      }
      all.push_back(std::move(values));
    }
  }
  return all;
}

}  // namespace prengdl
