// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "campaign/result_study.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/meter_options.h"
#include "import/import_files.h"
#include "study/study_file.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

constexpr std::size_t most_left_out_shown = 20;
constexpr std::size_t most_levels_shown = 12;

struct ImportCommandOptions {
  std::string kind, output, interval, quality, analysis_file;
  std::vector<std::string> paths;
  ImportOptions import;

  void declare(Arguments& arguments) {
    arguments.word(
        "KIND", kind,
        "icse22, itu23, perf-stat, nvidia-smi, hyperfine, codecarbon, energibridge, csv");
    arguments.words("PATH", paths, "the files, or folders with them");
    arguments.text("-o,--output", output, "the result directory to create", "DIR");
    arguments.flag("--as-published", import.as_published,
                   "icse22, itu23: joules by the study's own recipe");
    arguments.text("--names", import.names,
                   "levels from file names: \"{model}_{framework}_{run}.txt\"", "PATTERN");
    arguments.text("--interval", interval, "nvidia-smi without time stamps: from line to line",
                   "TIME");
    arguments.texts("--map", import.map,
                    "csv: the meaning of its columns, "
                    "seconds=Time,joules_package=Pkg,factor:framework=Fw,block=Rep",
                    "KEY=COLUMN,...");
    arguments.text("--quality", quality,
                   "csv: quality of its joules: wall, sensor, chip, virtual or model", "NAME");
    arguments.text("--compare", import.compare,
                   "the factor to compare (default: framework, else the first that varies)",
                   "FACTOR");
    arguments.text("--analysis", analysis_file,
                   "store the [analysis] of this TOML file with the result", "FILE");
    arguments.footer(
        "Imported runs are compared unpaired, unless csv maps a column to block. Nothing is half "
        "imported.\n"
        "Examples:\n  prengdl import icse22 ~/icse22 -o icse22.result\n"
        "  prengdl import perf-stat runs/ --names '{framework}_{run}.txt' -o perf.result\n"
        "  prengdl import csv t.csv --map seconds=s,joules_gpu=j,factor:framework=fw "
        "--quality sensor -o t.result\n"
        "  prengdl import csv t.csv --map "
        "seconds=s,factor:framework=fw,block=round,machine=host,started_at=begin -o t.result");
  }
};

Quality quality_of(const std::string& name) {
  for (const auto quality :
       {Quality::wall, Quality::sensor, Quality::chip, Quality::virtual_machine, Quality::model})
    if (name == name_of(quality)) return quality;
  throw UsageError(fmt::format("--quality {}: there is no such quality", name),
                   "choose wall, sensor, chip, virtual or model");
}

std::string levels_text(const Factor& factor) {
  std::string text;
  for (std::size_t i = 0; i < std::min(factor.levels.size(), most_levels_shown); ++i)
    text += (i > 0 ? ", " : "") + shortened(factor.levels[i], 40);
  if (factor.levels.size() > most_levels_shown)
    text += fmt::format(", and {} more", factor.levels.size() - most_levels_shown);
  return fmt::format("{} ({})", printable(factor.name), text);
}

std::vector<std::string> domains_of(const Imported& imported) {
  std::set<std::string> domains;
  for (const auto& run : imported.runs)
    for (const auto& meter : run.stored.meters) domains.insert(meter.domain);
  return {domains.begin(), domains.end()};
}

/// What is there, for people.
std::string summary(const Imported& imported, const StudyRecord& study, const std::string& result) {
  std::set<Cell> cells;
  std::map<std::string, std::set<Quality>> domains;
  std::size_t failed = 0;
  for (const auto& run : imported.runs) {
    cells.insert(run.stored.cell);
    failed += run.stored.outcome != Outcome::ok;
    for (const auto& [domain, energy] : run.stored.run.energy.domains)
      domains[domain].insert(energy.quality);
  }
  std::string text = fmt::format("{} in {} are in {}\n", counted(imported.runs.size(), "run"),
                                 counted(cells.size(), "cell"), printable(result));
  for (const auto& factor : study.factors) text += "  " + levels_text(factor) + "\n";
  if (study.blocks > 0)
    text += fmt::format("  {}: runs are paired by block{}\n", counted(study.blocks, "block"),
                        imported.machines.size() > 1 ? " and machine" : "");
  std::string energy;
  for (const auto& [domain, qualities] : domains) {
    energy += (energy.empty() ? "" : ", ") + printable(domain) + " (";
    for (const auto quality : qualities)
      energy += (energy.ends_with('(') ? "" : " and ") + std::string(name_of(quality));
    energy += ")";
  }
  text += energy.empty() ? "  no energy: time only\n" : "  energy: " + energy + "\n";
  if (failed > 0) text += fmt::format("  {} of them failed\n", failed);
  if (!imported.profiles.empty())
    text += fmt::format("  {} cProfile dumps\n", imported.profiles.size());
  return text;
}

void tell_rest(const Imported& imported, const StudyRecord& study, const std::string& result) {
  for (const auto& note : imported.notes) std::cerr << "  " << printable(note) << "\n";
  for (std::size_t i = 0; i < std::min(imported.left_out.size(), most_left_out_shown); ++i)
    std::cerr << fmt::format("  left out: {}: {}\n", printable(imported.left_out[i].file),
                             printable(imported.left_out[i].why));
  if (imported.left_out.size() > most_left_out_shown)
    std::cerr << fmt::format("  left out: {} more\n",
                             imported.left_out.size() - most_left_out_shown);
  const bool can_compare =
      std::any_of(study.factors.begin(), study.factors.end(),
                  [](const Factor& factor) { return factor.levels.size() > 1; });
  std::cerr << fmt::format("next: prengdl {} {}\n", can_compare ? "compare" : "status",
                           shell_line({result}));
}

}  // namespace

int import_command(const std::vector<std::string>& words) {
  ImportCommandOptions options;
  Arguments arguments("import", "Imports measurements of other tools and studies.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (options.output.empty())
    throw UsageError("prengdl import needs -o DIR", "It names the result directory to create.");
  if (std::filesystem::exists(std::filesystem::symlink_status(options.output)))
    throw UsageError(options.output + " already exists",
                     "Choose another directory. Results are never overwritten.");
  if (!options.interval.empty()) {
    options.import.interval = duration_option("--interval", options.interval);
    if (*options.import.interval <= Seconds{0})
      throw UsageError("--interval must be more than 0", "as in --interval 1s");
  }
  if (!options.quality.empty()) options.import.quality = quality_of(options.quality);
  options.import.has_own_analysis = !options.analysis_file.empty();
  if (options.import.has_own_analysis && !options.import.compare.empty())
    throw UsageError("--compare and --analysis cannot be combined",
                     "Write compare in the [analysis] of the file.");
  Imported imported =
      import_files(options.kind, {options.paths.begin(), options.paths.end()}, options.import);
  StudyRecord study = study_of(imported, options.kind, options.import);
  if (options.import.has_own_analysis)
    study.text += load_analysis(options.analysis_file, study.factors).text;
  study.prengdl_version = PRENGDL_VERSION;
  const Study read = read_study(study.text, "study.toml");  // a reader must be able to
  if (options.import.has_own_analysis)
    check_measures(read, options.analysis_file, domains_of(imported));
  keep_imported(imported, study, options.output);
  show(summary(imported, study, options.output));
  tell_rest(imported, study, options.output);
  return 0;
}

}  // namespace prengdl
