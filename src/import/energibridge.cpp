// SPDX-License-Identifier: Apache-2.0
//
// CSV of EnergiBridge: a file for each run, a row for each sample; Time in milliseconds since 1970.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "import/csv_table.h"
#include "import/file_names.h"
#include "import/kinds.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

/// A column that is kept. Numbers in a name (GPU0, CORE12) are written as '#'.
struct Known {
  std::string_view name;
  std::string_view domain;  // of energy, or the name of a channel
  Kind kind;
  Unit unit;
  Quality quality;
  double scale;  // value times this is in SI
  bool is_channel;
};
constexpr std::array<Known, 15> known_columns{{
    {"PACKAGE_ENERGY (J)", "package", Kind::counter, Unit::joule, Quality::chip, 1, false},
    {"PACAKGE_ENERGY (J)", "package", Kind::counter, Unit::joule, Quality::chip, 1, false},
    {"CPU_ENERGY (J)", "package", Kind::counter, Unit::joule, Quality::chip, 1, false},
    {"DRAM_ENERGY (J)", "dram", Kind::counter, Unit::joule, Quality::chip, 1, false},
    {"PP#_ENERGY (J)", "cores", Kind::counter, Unit::joule, Quality::chip, 1, false},
    {"CORE#_ENERGY (J)", "cores", Kind::counter, Unit::joule, Quality::chip, 1, false},
    {"CPU_POWER (Watts)", "package", Kind::gauge, Unit::watt, Quality::chip, 1, false},
    {"SYSTEM_POWER (Watts)", "machine", Kind::gauge, Unit::watt, Quality::sensor, 1, false},
    {"GPU#_POWER", "gpu", Kind::gauge, Unit::watt, Quality::sensor, 1e-3, false},
    {"GPU#_POWER (mWatts)", "gpu", Kind::gauge, Unit::watt, Quality::sensor, 1e-3, false},
    {"GPU#_USAGE", "gpu_utilisation", Kind::gauge, Unit::share, Quality::sensor, 0.01, true},
    {"GPU#_MEMORY_USED", "gpu_memory_used", Kind::gauge, Unit::byte, Quality::sensor, 1048576,
     true},
    {"GPU#_TEMPERATURE", "gpu_temperature", Kind::gauge, Unit::celsius, Quality::sensor, 1, true},
    {"USED_MEMORY", "memory_used", Kind::gauge, Unit::byte, Quality::sensor, 1, true},
    {"CPU_USAGE_#", "cpu_utilisation", Kind::gauge, Unit::share, Quality::sensor, 0.01, true},
}};

const Known* known(const std::string& name) {
  std::string shape;
  for (const char c : name) {
    if (!is_digit(c))
      shape += c;
    else if (!shape.ends_with('#'))
      shape += '#';
  }
  const auto found = std::find_if(known_columns.begin(), known_columns.end(),
                                  [&](const Known& one) { return one.name == shape; });
  return found == known_columns.end() ? nullptr : &*found;
}

MeterInfo meter_of(const std::string& name, const Known& column) {
  std::string domain(column.domain);
  if (name.starts_with("PP1")) domain = "igpu";
  MeterInfo meter = imported_meter("energibridge/" + name, domain, "EnergiBridge", column.quality);
  meter.kind = column.kind;
  meter.unit = column.unit;
  if (column.is_channel) meter.counted = Counted::channel;
  meter.step = column.unit == Unit::byte || column.unit == Unit::celsius ? 1 : 1e-6;
  return meter;
}

/// EnergiBridge may have been stopped in the middle of its last line.
void drop_unfinished_line(ForeignText& text, std::vector<std::string>& warnings) {
  if (text.text.empty() || text.text.back() == '\n') return;
  const auto newline = text.text.rfind('\n');
  if (newline == std::string::npos) return;
  text.text.resize(newline + 1);
  warnings.emplace_back("its last line has no end and is left out");
}

void read_run(const ForeignText& text, ImportedRun& run) {
  const CsvTable table(text, likely_separator(text));
  const auto time = table.column("Time");
  if (!time)
    throw foreign_error(text.name, 1, 1, "there is no column Time",
                        "is it a CSV file of EnergiBridge?");
  if (table.rows() < 2)
    throw foreign_error(text.name, 1, 1, "it has fewer than two samples",
                        "nothing can be computed");
  struct Column {
    std::size_t place;
    const Known* known;
    double scale;  // value times this is raw
  };
  std::vector<Column> columns;
  auto& meters = run.stored.meters;
  for (std::size_t i = 0; i < table.names().size(); ++i)
    if (const Known* column = known(table.names()[i])) {
      meters.push_back(meter_of(printable(table.names()[i]), *column));
      columns.push_back({i, column, column->scale / meters.back().step});
    }
  std::int64_t last = 0;
  std::int64_t begin = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto milliseconds = table.number(row, *time);
    if (!milliseconds || *milliseconds < 0 || *milliseconds > 7e12)
      throw table.error(row, *time, "this is not a time in milliseconds");
    const std::int64_t at = std::llround(*milliseconds * 1e6);
    if (row == 0) begin = at;
    if (at < last) throw table.error(row, *time, "time goes backwards");
    last = at;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto value = table.number(row, columns[i].place);
      Reading reading;
      reading.at_ns = at;
      if (value && std::abs(*value * columns[i].scale) < 9e18)
        reading.raw = static_cast<std::uint64_t>(std::llround(*value * columns[i].scale));
      else
        reading.status = ReadStatus::not_a_number;
      run.samples.push_back({static_cast<std::uint16_t>(i), reading});
    }
  }
  if (last == begin) throw foreign_error(text.name, 2, 1, "its samples cover no time");
  Run& figures = run.stored.run;
  figures.begin_ns = begin;
  figures.started_at = stamp_text(begin);
  figures.wall = figures.window = seconds_between(begin, last);
  const double mean_gap = figures.window.count() / static_cast<double>(table.rows() - 1);
  for (auto& meter : meters) meter.period = Seconds{std::round(mean_gap * 100) / 100};
  fill_figures(run, {});
  for (const auto& meter : meters)
    if (meter.kind == Kind::counter && !figures.energy.domains.contains(meter.domain))
      figures.warnings.push_back(
          meter.id +
          " has no figure: it does not change, or it restarted at a value that the file "
          "does not contain");
}

}  // namespace

Imported import_energibridge(const ForeignPaths& paths, const ImportOptions& options) {
  const FileNames names(options.names);
  Imported imported;
  imported.name = "energibridge";
  imported.factors = names.factors();
  for (const auto& file : foreign_files(paths)) {
    ImportedRun run;
    run.file = file.relative;
    if (!names.read(file.relative, run)) {
      imported.left_out.push_back({file.relative, "its name does not fit --names"});
      continue;
    }
    ForeignText text = read_foreign(file.path);
    drop_unfinished_line(text, run.stored.run.warnings);
    read_run(text, run);
    imported.runs.push_back(std::move(run));
  }
  std::stable_sort(imported.runs.begin(), imported.runs.end(),
                   [](const ImportedRun& a, const ImportedRun& b) {
                     return a.stored.run.begin_ns < b.stored.run.begin_ns;
                   });
  imported.is_in_order_of_time = true;
  return imported;
}

}  // namespace prengdl
