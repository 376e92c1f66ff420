// SPDX-License-Identifier: Apache-2.0
//
// emissions.csv of CodeCarbon: a row for each run, energy in kWh.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/escaping.h"
#include "import/csv_table.h"
#include "import/kinds.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

constexpr double joules_in_kwh = 3.6e6;

class CodeCarbonFile {
 public:
  CodeCarbonFile(const ForeignText& text, const std::string& file, Imported& imported)
      : table_(text, likely_separator(text)), file_(file), imported_(imported) {
    for (const auto* name : {"duration", "cpu_energy", "ram_energy"})
      if (!table_.column(name))
        throw foreign_error(text.name, 1, 1, fmt::format("there is no column {}", name),
                            "is it an emissions.csv of CodeCarbon?");
  }

  void read() {
    std::map<std::string, std::size_t> last;  // row of each run_id
    for (std::size_t row = 0; row < table_.rows(); ++row)
      if (const auto id = text(row, "run_id"); !id.empty()) last[id] = row;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const auto id = text(row, "run_id");
      // What flush() writes counts from the begin of the run: the last row has it all.
      if (!id.empty() && last[id] != row)
        imported_.left_out.push_back(
            {fmt::format("{} row {}", file_, row + 1), "a later row is of the same run_id"});
      else
        read_row(row);
    }
  }

 private:
  std::string text(std::size_t row, std::string_view name) const {
    const auto column = table_.column(name);
    return column ? printable(table_.cell(row, *column)) : std::string();
  }

  std::optional<double> number(std::size_t row, std::string_view name) const {
    const auto column = table_.column(name);
    return column ? table_.number(row, *column) : std::nullopt;
  }

  void add_energy(ImportedRun& run, StatedJoules& stated, std::size_t row, const char* name,
                  const std::string& domain, Quality quality, const std::string& note) const {
    const auto kwh = number(row, name);
    if (!kwh || *kwh <= 0) return;  // 0 means that nothing was measured
    MeterInfo meter = imported_meter("codecarbon/" + std::string(name), domain,
                                     "CodeCarbon " + text(row, "codecarbon_version"), quality);
    meter.note = note;
    stated[run.stored.meters.size()] = *kwh * joules_in_kwh;
    run.stored.meters.push_back(std::move(meter));
  }

  void read_row(std::size_t row) {
    const std::size_t duration = *table_.column("duration");
    const auto seconds = table_.number(row, duration);
    if (!seconds || *seconds <= 0 || *seconds > 1e9)
      throw table_.error(row, duration, "this is not a number of seconds");
    ImportedRun run;
    auto project = text(row, "project_name");
    run.levels = {{"project_name", project.empty() ? "codecarbon" : project}};
    run.number = static_cast<std::int64_t>(row) + 1;
    run.file = file_;
    Run& figures = run.stored.run;
    figures.wall = figures.window = Seconds{*seconds};
    // The time stamp is of the end.
    if (const auto end = parse_stamp(text(row, "timestamp"))) {
      figures.begin_ns = *end - nanoseconds(figures.window);
      figures.started_at = stamp_text(figures.begin_ns);
    }
    StatedJoules stated;
    add_energy(
        run, stated, row, "cpu_energy", "package", Quality::model,
        "the file does not say whether it was metered or computed from the processor's name");
    add_energy(run, stated, row, "ram_energy", "dram", Quality::model,
               "computed from the size of the memory");
    const auto gpu = text(row, "gpu_model");
    const bool is_metered =
        gpu.find("NVIDIA") != std::string::npos || gpu.find("Tesla") != std::string::npos;
    if (number(row, "gpu_count").value_or(0) > 0)
      add_energy(run, stated, row, "gpu_energy", "gpu",
                 is_metered ? Quality::sensor : Quality::model,
                 is_metered ? "by NVML" : "the file does not say how");
    if (const auto pue = number(row, "pue"); pue && *pue != 1)
      figures.warnings.push_back(
          fmt::format("a PUE of {} was set: the joules may include it", *pue));
    fill_figures(run, stated);
    run.stored.machine = machine(row, gpu);
    imported_.runs.push_back(std::move(run));
  }

  std::string machine(std::size_t row, const std::string& gpu) {
    MachineRecord record;
    const auto known = [&](std::string_view name, std::optional<std::string>& fact) {
      if (auto value = text(row, name); !value.empty()) fact = std::move(value);
    };
    known("cpu_model", record.facts.cpu.model_name);
    known("os", record.facts.system.os);
    if (!record.facts.cpu.model_name) return "";
    record.fingerprint = fingerprint(
        record.facts, gpu.empty() ? std::vector<std::string>{} : std::vector<std::string>{gpu});
    if (seen_.insert(record.fingerprint).second) imported_.machines.push_back(record);
    return record.fingerprint;
  }

  CsvTable table_;
  const std::string& file_;
  Imported& imported_;
  std::set<std::string> seen_;
};

}  // namespace

Imported import_codecarbon(const ForeignPaths& paths, const ImportOptions&) {
  Imported imported;
  imported.name = "codecarbon";
  imported.factors = {"project_name"};
  for (const auto& file : foreign_files(paths))
    CodeCarbonFile(read_foreign(file.path), file.relative, imported).read();
  imported.notes.emplace_back(
      "CodeCarbon does not say which of its joules were metered: those of processor and memory "
      "count as modelled, so nothing is tested on them");
  return imported;
}

}  // namespace prengdl
