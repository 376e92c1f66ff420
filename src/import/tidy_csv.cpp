// SPDX-License-Identifier: Apache-2.0
//
// A table of somebody's own, a row for each run, and a map that says what its columns are.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/escaping.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "import/csv_table.h"
#include "import/file_names.h"
#include "import/kinds.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

struct NamedScale {
  std::string_view name;
  double scale;
};
constexpr std::array<NamedScale, 3> times{
    {{"seconds", 1}, {"milliseconds", 1e-3}, {"minutes", 60}}};
constexpr std::array<NamedScale, 5> energies{{{"joules_", 1},
                                              {"kilojoules_", 1e3},
                                              {"millijoules_", 1e-3},
                                              {"watt_hours_", 3600},
                                              {"kilowatt_hours_", 3.6e6}}};

/// What one column is.
struct Mapped {
  enum class What { seconds, joules, watts, factor, metric, work, exit_code, started_at } what{};
  std::string name;    // of the domain, factor, metric or work
  std::string column;  // of the table
  double scale = 1;
};

Mapped mapped(const std::string& key, const std::string& column) {
  Mapped one;
  one.column = column;
  for (const auto& [name, scale] : times)
    if (key == name) return {Mapped::What::seconds, "seconds", column, scale};
  for (const auto& [name, scale] : energies)
    if (key.starts_with(name) && key.size() > name.size())
      return {Mapped::What::joules, key.substr(name.size()), column, scale};
  constexpr std::string_view watts = "watts_";
  if (key.starts_with(watts) && key.size() > watts.size())
    return {Mapped::What::watts, key.substr(watts.size()), column, 1};
  if (key == "exit_code") return {Mapped::What::exit_code, "", column, 1};
  if (key == "started_at") return {Mapped::What::started_at, "", column, 1};
  const auto colon = key.find(':');
  const std::string before = key.substr(0, colon);
  const std::string after = colon == std::string::npos ? "" : key.substr(colon + 1);
  if (before == "factor") {
    check_factor_name(after);
    return {Mapped::What::factor, after, column, 1};
  }
  if (before == "metric" && !after.empty()) return {Mapped::What::metric, after, column, 1};
  if (before == "work" && !after.empty()) return {Mapped::What::work, after, column, 1};
  throw UsageError(fmt::format("--map {}={}: nothing is called {}", key, column, key),
                   "known: seconds, milliseconds, minutes, joules_DOMAIN, kilojoules_DOMAIN, "
                   "millijoules_DOMAIN, watt_hours_DOMAIN, kilowatt_hours_DOMAIN, watts_DOMAIN, "
                   "factor:NAME, metric:NAME, work:NAME, exit_code, started_at");
}

std::vector<Mapped> read_map(const std::vector<std::string>& texts) {
  std::vector<Mapped> map;
  std::set<std::string> keys;
  for (const auto& text : texts)
    for (const auto item : split(text, ',')) {
      const auto equals = item.find('=');
      if (equals == std::string_view::npos)
        throw UsageError(fmt::format("--map {}: it is not KEY=COLUMN", item),
                         "as in --map seconds=Time,joules_package=Pkg,factor:framework=Framework; "
                         "a column with a comma in its name cannot be mapped");
      const auto key = std::string(trimmed(item.substr(0, equals)));
      Mapped one = mapped(key, std::string(trimmed(item.substr(equals + 1))));
      const std::string meaning = fmt::format("{} {}", static_cast<int>(one.what), one.name);
      if (!keys.insert(meaning).second)
        throw UsageError(fmt::format("--map {}: this is mapped twice", item));
      map.push_back(std::move(one));
    }
  const auto has = [&](Mapped::What what) {
    return std::any_of(map.begin(), map.end(), [&](const Mapped& one) { return one.what == what; });
  };
  if (!has(Mapped::What::seconds))
    throw UsageError("--map does not say which column is the time of a run",
                     "as in --map seconds=Time");
  if (!has(Mapped::What::factor))
    throw UsageError("--map names no factor", "as in --map factor:framework=Framework");
  return map;
}

class TidyTable {
 public:
  TidyTable(const ForeignText& text, const std::string& file, const std::vector<Mapped>& map,
            Quality quality)
      : table_(text, likely_separator(text)), file_(file), map_(map), quality_(quality) {
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

  void read(Imported& imported) const {
    for (std::size_t row = 0; row < table_.rows(); ++row)
      if (auto run = run_of(row))
        imported.runs.push_back(std::move(*run));
      else
        imported.left_out.push_back({fmt::format("{} row {}", file_, row + 1), "it has no time"});
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
      if (map_[i].what != Mapped::What::seconds) continue;
      const auto seconds = number(row, i);
      if (!seconds) return std::nullopt;
      if (*seconds <= 0 || *seconds > 1e9)
        throw table_.error(row, columns_[i], "this is no time that a run can take");
      figures.wall = figures.window = Seconds{*seconds};
    }
    StatedJoules stated;
    for (std::size_t i = 0; i < map_.size(); ++i) add(run, stated, row, i);
    fill_figures(run, stated);
    return run;
  }

  void add(ImportedRun& run, StatedJoules& stated, std::size_t row, std::size_t i) const {
    const Mapped& one = map_[i];
    Run& figures = run.stored.run;
    switch (one.what) {
      case Mapped::What::seconds:
        return;
      case Mapped::What::joules:
      case Mapped::What::watts: {
        auto joules = number(row, i);
        if (joules && (*joules < 0 || *joules > 1e15))
          throw table_.error(row, columns_[i], "this is no energy that a run can take");
        if (joules && one.what == Mapped::What::watts) *joules *= figures.wall.count();
        stated[run.stored.meters.size()] = joules;
        run.stored.meters.push_back(
            imported_meter("csv/" + one.column, one.name, "column " + one.column, quality_));
        return;
      }
      case Mapped::What::factor: {
        const auto level = printable(table_.cell(row, columns_[i]));
        if (level.empty()) throw table_.error(row, columns_[i], "a level must not be empty");
        run.levels[one.name] = level;
        return;
      }
      case Mapped::What::metric:
        if (const auto value = number(row, i))
          figures.metrics.push_back({one.name, *value, 0, std::nullopt});
        return;
      case Mapped::What::work:
        if (const auto value = number(row, i)) figures.work.push_back({one.name, *value});
        return;
      case Mapped::What::exit_code:
        if (const auto value = number(row, i)) {
          if (*value < -256 || *value > 256)
            throw table_.error(row, columns_[i], "this is no exit code");
          figures.exit_code = static_cast<int>(*value);
          if (*value != 0) run.stored.outcome = Outcome::failed;
        }
        return;
      case Mapped::What::started_at:
        figures.started_at = printable(table_.cell(row, columns_[i]));
        return;
    }
  }

  CsvTable table_;
  const std::string& file_;
  const std::vector<Mapped>& map_;
  Quality quality_;
  std::vector<std::size_t> columns_;
};

}  // namespace

Imported import_csv(const ForeignPaths& paths, const ImportOptions& options) {
  const auto map = read_map(options.map);
  const bool has_energy = std::any_of(map.begin(), map.end(), [](const Mapped& one) {
    return one.what == Mapped::What::joules || one.what == Mapped::What::watts;
  });
  if (has_energy && !options.quality)
    throw UsageError("a table does not say what its joules are worth: metered or computed?",
                     "say it with --quality wall, sensor, chip, virtual or model");
  Imported imported;
  imported.name = "csv";
  for (const auto& one : map)
    if (one.what == Mapped::What::factor) imported.factors.push_back(one.name);
  for (const auto& file : foreign_files(paths))
    TidyTable(read_foreign(file.path), file.relative, map, options.quality.value_or(Quality::model))
        .read(imported);
  return imported;
}

}  // namespace prengdl
