// SPDX-License-Identifier: Apache-2.0
//
// A table of somebody's own, a row for each run, and a map that says what its columns are.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/escaping.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "import/csv_design.h"
#include "import/csv_map.h"
#include "import/csv_table.h"
#include "import/kinds.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

using What = MappedColumn::What;

/// What flags say of a run besides what is written down: whether it counts.
void take_flags(const Flags& flags, StoredRun& stored) {
  stored.run.flags.insert(flags.begin(), flags.end());
  if (flags.contains(Flag::profiled)) stored.is_warmup = true;
  if (flags.contains(Flag::timeout)) {
    stored.run.timed_out = true;
    stored.outcome = Outcome::timeout;
  }
  if (flags.contains(Flag::interrupted)) {
    stored.run.interrupted = true;
    stored.outcome = Outcome::interrupted;
  }
}

std::string known_flags() {
  return joined(all_flags(), ", ", [](Flag flag) { return name_of(flag); });
}

class TidyTable {
 public:
  TidyTable(const ForeignText& text, const std::string& file, const std::vector<MappedColumn>& map,
            Quality quality)
      : table_(text, likely_separator(text)),
        name_(text.name),
        file_(file),
        map_(map),
        quality_(quality) {
    for (const auto& one : map_) {
      const auto column = table_.column(one.column);
      if (!column) {
        const auto near = nearest(one.column, table_.names());
        throw UsageError(
            fmt::format("{} has no column '{}'", text.name, one.column),
            near ? fmt::format("did you mean '{}'?", *near) : "its first line names the columns");
      }
      columns_.push_back(*column);
    }
  }

  void read(Imported& imported, std::vector<RowDesign>& designs) const {
    for (std::size_t row = 0; row < table_.rows(); ++row)
      if (auto run = run_of(row)) {
        imported.runs.push_back(std::move(*run));
        designs.push_back(design_of(row));
      } else {
        imported.left_out.push_back({fmt::format("{} row {}", file_, row + 1), "it has no time"});
      }
  }

 private:
  std::optional<double> number(std::size_t row, std::size_t i) const {
    const auto value = table_.number(row, columns_[i]);
    return value ? std::optional(*value * map_[i].scale) : std::nullopt;
  }

  /// Nothing where the row has no time: a run that did not happen, or was not measured.
  std::optional<ImportedRun> run_of(std::size_t row) const {
    ImportedRun run;
    run.number = static_cast<std::int64_t>(row) + 1;
    run.file = file_;
    Run& figures = run.stored.run;
    for (std::size_t i = 0; i < map_.size(); ++i) {
      if (map_[i].what != What::seconds) continue;
      const auto seconds = number(row, i);
      if (!seconds) return std::nullopt;
      if (*seconds <= 0 || *seconds > 1e9)
        throw table_.error(row, columns_[i], "a run cannot take this time");
      figures.wall = figures.window = Seconds{*seconds};
    }
    StatedJoules stated;
    for (std::size_t i = 0; i < map_.size(); ++i) add(run, stated, row, i);
    fill_figures(run, stated);
    return run;
  }

  void add(ImportedRun& run, StatedJoules& stated, std::size_t row, std::size_t i) const {
    const MappedColumn& one = map_[i];
    Run& figures = run.stored.run;
    switch (one.what) {
      case What::seconds:
        return;
      case What::joules:
      case What::watts: {
        auto joules = number(row, i);
        if (joules && (*joules < 0 || *joules > 1e15))
          throw table_.error(row, columns_[i], "a run cannot use this energy");
        if (joules && one.what == What::watts) *joules *= figures.wall.count();
        stated[run.stored.meters.size()] = joules;
        run.stored.meters.push_back(
            imported_meter("csv/" + one.column, one.name, "column " + one.column, quality_));
        return;
      }
      case What::factor: {
        const auto level = printable(table_.cell(row, columns_[i]));
        if (level.empty()) throw table_.error(row, columns_[i], "a level must not be empty");
        run.levels[one.name] = level;
        return;
      }
      case What::metric:
        if (const auto value = number(row, i))
          figures.metrics.push_back({one.name, *value, 0, std::nullopt});
        return;
      case What::work:
        if (const auto value = number(row, i)) figures.work.push_back({one.name, *value});
        return;
      case What::exit_code:
        if (const auto value = number(row, i)) {
          if (*value < -256 || *value > 256)
            throw table_.error(row, columns_[i], "this is no exit code");
          figures.exit_code = static_cast<int>(*value);
          if (*value != 0) run.stored.outcome = Outcome::failed;
        }
        return;
      case What::machine:
        if (const auto name = trimmed(table_.cell(row, columns_[i])); !says_missing(name))
          run.stored.machine = printable(name);
        return;
      case What::flags:
        return take_flags(flags(row, i), run.stored);
      case What::block:
      case What::started_at:
        return;  // part of the design
    }
  }

  Flags flags(std::size_t row, std::size_t i) const {
    Flags found;
    std::string text(table_.cell(row, columns_[i]));
    if (says_missing(text)) return found;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    for (const auto word : words(text)) {
      const auto flag = flag_of(word);
      if (!flag)
        throw table_.error(row, columns_[i],
                           fmt::format("row {}: there is no flag '{}'", row + 1, printable(word)),
                           "known: " + known_flags());
      found.insert(*flag);
    }
    return found;
  }

  RowDesign design_of(std::size_t row) const {
    RowDesign design;
    design.file = name_;
    for (std::size_t i = 0; i < map_.size(); ++i) {
      const auto cell = trimmed(table_.cell(row, columns_[i]));
      const bool is_missing = says_missing(cell);
      if (map_[i].what == What::block) {
        design.block_place = table_.place(row, columns_[i]);
        if (!is_missing) design.block = cell;
      } else if (map_[i].what == What::started_at && !is_missing) {
        design.start_place = table_.place(row, columns_[i]);
        design.start = parse_moment(cell);
        if (!design.start)
          throw table_.error(
              row, columns_[i],
              fmt::format("'{}' is not a start time", shortened(printable(cell), 40)),
              "Write 2026-11-16T10:20:30Z, 2026-11-16 10:20:30.5+01:00, or Unix time in seconds.");
      }
    }
    return design;
  }

  CsvTable table_;
  std::string name_;         // of the file, for messages
  const std::string& file_;  // as runs know it
  const std::vector<MappedColumn>& map_;
  Quality quality_;
  std::vector<std::size_t> columns_;
};

/// Of a machine that is only named, its name is all there is to know it by.
std::vector<MachineRecord> machines_of(const std::vector<ImportedRun>& runs) {
  std::set<std::string> names;
  for (const auto& run : runs)
    if (!run.stored.machine.empty()) names.insert(run.stored.machine);
  std::vector<MachineRecord> machines;
  for (const auto& name : names) {
    MachineRecord& machine = machines.emplace_back();
    machine.fingerprint = name;
    machine.facts.system.hostname = name;
  }
  return machines;
}

}  // namespace

Imported import_csv(const ForeignPaths& paths, const ImportOptions& options) {
  const auto map = read_csv_map(options.map);
  const bool has_energy = has_column(map, What::joules) || has_column(map, What::watts);
  if (has_energy && !options.quality)
    throw UsageError("a table does not state whether its joules were metered or computed",
                     "State it with --quality wall, sensor, chip, virtual or model.");
  Imported imported;
  imported.name = "csv";
  for (const auto& one : map)
    if (one.what == What::factor) imported.factors.push_back(one.name);
  std::vector<RowDesign> designs;
  for (const auto& file : foreign_files(paths))
    TidyTable(read_foreign(file.path), file.relative, map, options.quality.value_or(Quality::model))
        .read(imported, designs);
  apply_design(std::move(designs), imported);
  imported.machines = machines_of(imported.runs);
  return imported;
}

}  // namespace prengdl
