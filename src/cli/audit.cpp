// SPDX-License-Identifier: Apache-2.0
#include "analysis/audit.h"

#include <unistd.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <map>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/result_study.h"
#include "pstats/call_profile.h"
#include "report/audit_report.h"
#include "report/terminal.h"
#include "run/study_file.h"
#include "run/study_workload.h"
#include "store/profiles.h"
#include "store/result.h"

namespace prengdl {
namespace {

struct AuditOptions {
  std::string result, gpu_memory, gpu_power_limit;
  bool json = false;

  void declare(Arguments& arguments) {
    arguments.word("RESULT", result, "the result directory");
    arguments.text("--gpu-memory", gpu_memory, "of the card that the study says it used: 8GiB",
                   "SIZE");
    arguments.text("--gpu-power-limit", gpu_power_limit, "of that card: 250W", "WATTS");
    arguments.flag("--json", json, "as JSON");
    arguments.footer(
        "Exit: 0 nothing severe, 3 a finding is severe, 1 failed, 2 wrong usage.\n"
        "Examples:\n  prengdl audit study.result\n"
        "  prengdl audit itu23.result --gpu-memory 8GiB --gpu-power-limit 175W");
  }
};

/// The number in front of a unit, times what the unit is worth.
std::optional<double> amount(std::string_view text, const std::map<std::string, double>& units) {
  text = trimmed(text);
  const auto end = text.find_first_not_of("0123456789.");
  const auto number = parse_number(text.substr(0, end));
  const std::string unit(end == std::string_view::npos ? "" : trimmed(text.substr(end)));
  const auto factor = units.find(unit);
  if (!number || factor == units.end() || !(*number > 0)) return std::nullopt;
  return *number * factor->second;
}

std::uint64_t memory_option(const std::string& text) {
  const auto bytes = amount(
      text,
      {{"GiB", 0x1p30}, {"MiB", 0x1p20}, {"TiB", 0x1p40}, {"GB", 1e9}, {"MB", 1e6}, {"TB", 1e12}});
  if (!bytes || *bytes >= 0x1p62)
    throw UsageError("--gpu-memory " + text + " is not a size", "write it as 8GiB or 40GB");
  return static_cast<std::uint64_t>(*bytes);
}

Watts power_option(const std::string& text) {
  const auto watts = amount(text, {{"", 1}, {"W", 1}, {"kW", 1e3}, {"mW", 1e-3}});
  if (!watts) throw UsageError("--gpu-power-limit " + text + " is not a power", "write it as 250W");
  return {*watts};
}

/// Profiles that came with an import, or that `run --profile` made.
std::vector<CellProfile> profiles_of(const ResultStore& store, const Study& study) {
  std::vector<CellProfile> profiles;
  for (const auto& cell : cells_of(study)) {
    const auto path = profile_of(store.directory(), cell);
    if (std::error_code none; !std::filesystem::exists(path, none)) continue;
    const auto profile = read_profile(path);
    if (!profile) throw Error(profile.error());
    auto& kept = profiles.emplace_back();
    kept.cell = cell;
    for (const auto& function : profile->functions)
      if (function.is_listed)
        kept.functions.push_back({std::string(function.file), std::string(function.name),
                                  static_cast<double>(function.calls)});
  }
  return profiles;
}

}  // namespace

int audit_command(const std::vector<std::string>& words) {
  AuditOptions options;
  Arguments arguments("audit", "Finds threats to validity in the data of a study.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  AuditInput input;
  if (!options.gpu_memory.empty()) input.gpu_memory_bytes = memory_option(options.gpu_memory);
  if (!options.gpu_power_limit.empty())
    input.gpu_power_limit = power_option(options.gpu_power_limit);

  const auto store = ResultStore::open(options.result, Access::read_only);
  const StudyRecord record = store.study();
  input.study = load_study(store.directory() / "study.toml", record.preset);
  input.is_paired = record.blocks > 0;
  input.runs = store.runs(Detail::all);
  check_measures(input.study, store.directory() / "study.toml", domains_of(store, input.runs));
  if (!has_measured(input.runs, input.study.analysis.primary))
    go_without_meter(input.study.analysis);
  input.machines = store.machines();
  input.events = store.events();
  input.locks = record.locks;
  input.environment_of = [&](const Cell& cell) {
    return label_of(environment_for(input.study, cell));
  };
  input.samples = [&](const StoredRun& run, const TakeReading& take) {
    store.samples(run.id, take);
  };
  input.profiles = profiles_of(store, input.study);
  const auto findings = audit(input);
  if (options.json)
    std::cout << audit_json(findings);
  else
    show(audit_text(findings, style_of(STDOUT_FILENO)));
  return worst(findings) == AuditSeverity::severe ? 3 : 0;
}

}  // namespace prengdl
