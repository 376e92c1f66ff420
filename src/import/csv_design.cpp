// SPDX-License-Identifier: Apache-2.0
#include "import/csv_design.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t largest_block = 1'000'000'000;

std::optional<std::size_t> block_number(const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > largest_block) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

void number_blocks(const std::vector<RowDesign>& rows, Imported& imported) {
  const auto has_none = [](const RowDesign& row) { return row.block.empty(); };
  if (std::all_of(rows.begin(), rows.end(), has_none)) return;
  if (const auto row = std::find_if(rows.begin(), rows.end(), has_none); row != rows.end())
    throw foreign_error(row->file, row->block_place.line, row->block_place.column,
                        "this row has no block, but others have one",
                        "Give every row its block, remove the row, or leave block out of --map.");
  const bool are_numbers = std::all_of(rows.begin(), rows.end(), [](const RowDesign& row) {
    return block_number(row.block).has_value();
  });
  std::map<std::string, std::size_t> by_name;
  std::set<std::size_t> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    StoredRun& run = imported.runs[i].stored;
    run.block = are_numbers ? *block_number(rows[i].block)
                            : by_name.try_emplace(rows[i].block, by_name.size()).first->second;
    run.run.block = run.block;
    blocks.insert(run.block);
  }
  imported.blocks = blocks.size();
}

/// All times are written alike, so that their texts sort as the times do. Without fractions of a
/// second nobody knows whether one run ended before the next began, so begin_ns stays unknown.
void set_start_times(const std::vector<RowDesign>& rows, Imported& imported) {
  const RowDesign* first = nullptr;
  bool has_fractions = false;
  for (const auto& row : rows) {
    if (!row.start) continue;
    has_fractions = has_fractions || row.start->at_ns % second_ns != 0;
    if (!first) first = &row;
    if (row.start->has_zone != first->start->has_zone)
      throw foreign_error(row.file, row.start_place.line, row.start_place.column,
                          fmt::format("the start time has {} time zone, unlike that in line {}",
                                      row.start->has_zone ? "a" : "no", first->start_place.line),
                          "Write all start times with a zone (Z or +02:00), or all without one.");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].start) continue;
    Run& run = imported.runs[i].stored.run;
    const auto& [at_ns, has_zone] = *rows[i].start;
    std::string text = stamp_text(at_ns);
    if (!has_fractions) text.resize(text.find('.'));
    run.started_at = text + (has_zone ? "Z" : "");
    if (!has_fractions) continue;
    run.begin_ns = at_ns;
    for (auto& metric : run.metrics) metric.at_ns = at_ns + nanoseconds(run.window);
  }
}

void sort_by_time(std::vector<RowDesign>& rows, Imported& imported) {
  const bool knows = std::all_of(rows.begin(), rows.end(),
                                 [](const RowDesign& row) { return row.start.has_value(); });
  if (!knows) return;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rows[a].start->at_ns < rows[b].start->at_ns;
  });
  std::vector<RowDesign> sorted_rows;
  std::vector<ImportedRun> sorted_runs;
  for (const auto i : order) {
    sorted_rows.push_back(std::move(rows[i]));
    sorted_runs.push_back(std::move(imported.runs[i]));
  }
  rows = std::move(sorted_rows);
  imported.runs = std::move(sorted_runs);
  imported.is_in_order_of_time = true;
}

std::string levels_text(const ImportedRun& run) {
  return joined(run.levels, " ",
                [](const auto& level) { return level.first + "=" + level.second; });
}

/// A run that failed may be followed by another attempt; of those that went well each place has
/// one, or nobody would know which of them is the partner.
void number_attempts(const std::vector<RowDesign>& rows, Imported& imported) {
  using Place = std::tuple<std::string, std::size_t, std::map<std::string, std::string>>;
  struct Held {
    std::size_t attempts = 0;
    const RowDesign* good = nullptr;
  };
  std::map<Place, Held> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    StoredRun& run = imported.runs[i].stored;
    Held& place = places[{run.machine, run.block, imported.runs[i].levels}];
    run.attempt = place.attempts++;
    if (run.outcome != Outcome::ok || run.is_warmup) continue;
    if (place.good) {
      const RowDesign* earlier = place.good;
      const RowDesign* later = &rows[i];
      if (std::tie(later->file, later->block_place.line) <
          std::tie(earlier->file, earlier->block_place.line))
        std::swap(earlier, later);
      throw foreign_error(
          later->file, later->block_place.line, later->block_place.column,
          fmt::format("block '{}' holds {}{} twice: here and in {}:{}", printable(later->block),
                      levels_text(imported.runs[i]),
                      run.machine.empty() ? "" : " on machine " + run.machine, earlier->file,
                      earlier->block_place.line),
          "A block has each cell once per machine. Keep the run that counts, map the machine, or "
          "give it another block.");
    }
    place.good = &rows[i];
  }
}

}  // namespace

void apply_design(std::vector<RowDesign> rows, Imported& imported) {
  number_blocks(rows, imported);
  set_start_times(rows, imported);
  sort_by_time(rows, imported);
  if (imported.blocks > 0) number_attempts(rows, imported);
}

}  // namespace prengdl
