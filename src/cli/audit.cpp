// SPDX-License-Identifier: Apache-2.0
#include "audit/audit.h"

#include <unistd.h>

#include <array>
#include <cmath>
#include <iostream>
#include <limits>

#include "base/parse.h"
#include "base/strings.h"
#include "cli/analysis_options.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "print/checks.h"
#include "report/gather.h"
#include "store/result.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct AuditOptions {
  std::string result, gpu_memory, gpu_power_limit, analysis_file;
  bool json = false;

  void declare(Arguments& arguments) {
    arguments.word("RESULT", result, "the result directory");
    arguments.text("--gpu-memory", gpu_memory, "memory of the card that the study names: 8GiB",
                   "SIZE");
    arguments.text("--gpu-power-limit", gpu_power_limit, "power limit of that card: 250W", "WATTS");
    declare_analysis_file(arguments, analysis_file);
    arguments.flag("--json", json, "as JSON");
    arguments.footer(
        "Exit: 0 nothing severe, 3 a finding is severe, 1 failed, 2 wrong usage.\n"
        "Examples:\n  prengdl audit study.result\n"
        "  prengdl audit itu23.result --gpu-memory 8GiB --gpu-power-limit 175W");
  }
};

std::uint64_t memory_option(const std::string& text) {
  static constexpr std::array<NamedUnit, 6> units{
      {{"GiB", 0x1p30}, {"MiB", 0x1p20}, {"TiB", 0x1p40}, {"GB", 1e9}, {"MB", 1e6}, {"TB", 1e12}}};
  const auto bytes = number_with_unit(text, units);
  if (!bytes || !(*bytes > 0) || *bytes >= 0x1p62)
    throw UsageError("--gpu-memory " + text + " is not a size", "write it as 8GiB or 40GB");
  return static_cast<std::uint64_t>(*bytes);
}

Watts power_option(const std::string& text) {
  static constexpr std::array<NamedUnit, 4> units{{{"", 1}, {"W", 1}, {"kW", 1e3}, {"mW", 1e-3}}};
  const auto watts = number_with_unit(text, units);
  if (!watts || !(*watts > 0))
    throw UsageError("--gpu-power-limit " + text + " is not a power", "write it as 250W");
  return {*watts};
}

}  // namespace

int audit_command(const std::vector<std::string>& words) {
  AuditOptions options;
  Arguments arguments("audit", "Finds threats to validity in the data of a study.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  std::optional<std::uint64_t> gpu_memory;
  std::optional<Watts> gpu_power_limit;
  if (!options.gpu_memory.empty()) gpu_memory = memory_option(options.gpu_memory);
  if (!options.gpu_power_limit.empty()) gpu_power_limit = power_option(options.gpu_power_limit);

  const auto store = ResultStore::open(options.result, Access::read_only);
  ResultStudy found = read_result(store, options.analysis_file);
  AuditInput input = audit_input(store, found);
  input.gpu_memory_bytes = gpu_memory;
  input.gpu_power_limit = gpu_power_limit;
  const auto findings = audit_result(store, std::move(input), found.runs);
  if (options.json)
    std::cout << audit_json(findings);
  else
    show(audit_text(findings, style_of(STDOUT_FILENO)));
  return worst(findings) == AuditSeverity::severe ? 3 : 0;
}

}  // namespace prengdl
