// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "model/counted_runs.h"
#include "model/flag.h"
#include "model/window.h"
#include "print/answer.h"
#include "print/compare.h"
#include "print/measure.h"
#include "print/meters.h"
#include "print/shown_names.h"
#include "print/words.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// How the first run that failed ended.
std::string failure_words(const Run& run) {
  if (run.timed_out) return "ran out of time";
  if (run.interrupted) return "was interrupted";
  if (run.signal) return fmt::format("was ended by signal {}", *run.signal);
  return fmt::format("failed with exit code {}", run.exit_code.value_or(-1));
}

void add_warnings(const std::vector<Run>& runs, Part& part) {
  std::vector<const Run*> all;
  std::map<std::string, std::size_t> warnings;
  std::size_t failures = 0;
  for (const auto& run : runs) {
    all.push_back(&run);
    for (const auto& warning : run.warnings) ++warnings[warning];
    if (!succeeded(run)) ++failures;
  }
  const auto of = [&](std::size_t count) {
    return runs.size() == 1 ? std::string() : fmt::format(" ({} of {} runs)", count, runs.size());
  };
  if (failures > 0) {
    const auto failed =
        std::find_if(runs.begin(), runs.end(), [](const Run& run) { return !succeeded(run); });
    part.caution(fmt::format("the command {}{}", failure_words(*failed), of(failures)));
    if (!failed->output_tail.empty()) {
      part.note("the end of its output:");
      for (const auto line : split(trimmed(failed->output_tail), '\n'))
        part.say("  " + std::string(line));
    }
  }
  for (const auto& line : flag_lines(all)) part.caution("flag: " + line);
  for (const auto& [warning, count] : warnings)
    part.caution(fmt::format("warning: {}{}", warning, of(count)));
  const auto left = std::find_if(runs.begin(), runs.end(),
                                 [](const Run& run) { return !run.left_behind.empty(); });
  if (left != runs.end())
    part.caution("it left processes behind, and prengdl ended them: " +
                 joined(left->left_behind, ", "));
}

/// The findings with the commands called as they are shown here.
Findings with_names(Findings findings, const std::map<std::string, std::string>& names) {
  const auto change = [&](std::string& level) { level = names.at(level); };
  for (auto& level : findings.levels) change(level);
  for (auto& one : findings.comparisons) {
    for (auto& level : one.pair) change(level);
    for (auto& level : one.levels) change(level.level);
    if (one.winner) change(*one.winner);
  }
  for (auto& group : findings.groups)
    for (auto& level : group.pair) change(level);
  for (auto& cell : findings.failures) change(cell.cell.front());
  return findings;
}

/// The runs that are in no average, one by one.
void add_cut_runs(const std::vector<Run>& runs, const std::vector<Run>& whole, Part& part) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_averaged = std::any_of(
        whole.begin(), whole.end(), [&](const Run& run) { return run.order == runs[i].order; });
    if (is_averaged) continue;
    const std::string which =
        runs.size() == 1 ? "cut short" : fmt::format("run {}, not averaged", i + 1);
    part.caution(fmt::format("{}: {}", which, run_line(runs[i])));
  }
}

/// A command with what was measured of it and what is wrong with that.
Part command_part(const MeasureReport& report, std::size_t index, const std::string& name) {
  const auto& runs = report.runs[index];
  Part part{"command", report.commands.size() > 1 ? fmt::format("{}: {}", index + 1, name) : name};
  part.remark = counted(runs.size(), "run");
  if (runs.empty()) {
    part.say("not run");
    return part;
  }
  const auto whole = runs_to_average(runs, report.ignore_failure);
  if (!whole.empty()) add_figures(whole, measures_of(report.runs), report.plan.window, part);
  if (whole.size() < runs.size()) add_cut_runs(runs, whole, part);
  add_warnings(runs, part);
  return part;
}

std::vector<std::string> domains_of(const Meters& meters) {
  std::vector<const MeterInfo*> infos;
  infos.reserve(meters.size());
  for (const auto& meter : meters) infos.push_back(&meter->info());
  return metered_domains(infos);
}

}  // namespace

std::vector<std::string> command_names(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  std::vector<std::string> lines;
  for (const auto& command : commands) {
    names.push_back(command.label);
    if (command.label.starts_with(command.argv.front())) lines.push_back(command.label);
  }
  // All or none: a name could equal a shortened line.
  return lines.size() == names.size() ? short_commands(lines) : names;
}

std::string run_line(const Run& run) {
  std::string line = for_people(run.wall);
  if (const auto& metered = run.energy.metered)
    line += ", " + with_prefix(metered->value.value, "J") + quality_remark(metered->quality);
  for (const Flag flag : run.flags) line += fmt::format(", {}", name_of(flag));
  if (run.exit_code && *run.exit_code != 0) line += fmt::format(", exit code {}", *run.exit_code);
  if (run.signal) line += fmt::format(", signal {}", *run.signal);
  return line;
}

std::optional<CompareReport> compared_commands(const MeasureReport& report) {
  if (!report.findings) return std::nullopt;
  const Study study = study_of(report.plan);
  CompareReport compared;
  compared.study = study.name;
  compared.domains = domains_of(report.meters);
  for (std::size_t i = 1; i < study.factors.size(); ++i)
    compared.factors.push_back(study.factors[i].name);
  if (report.findings->compare != "command") {
    compared.findings = as_shown(*report.findings, ShownNames::of_study(study));
    return compared;
  }
  const auto shown = command_names(report.plan.commands);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < shown.size(); ++i) names[report.plan.commands[i].label] = shown[i];
  compared.findings = with_names(*report.findings, names);
  return compared;
}

std::string coverage_line(const Meters& meters) {
  std::vector<const MeterInfo*> infos;
  infos.reserve(meters.size());
  for (const auto& meter : meters) infos.push_back(&meter->info());
  const auto domains = metered_domains(infos);
  if (domains.empty()) return "no meter measures energy";
  std::string line = "energy = " + joined(domains, " + ");
  Quality worst = Quality::wall;
  std::vector<std::string> others;
  for (const auto* info : infos) {
    if (!is_energy(*info) || info->counted == Counted::channel) continue;
    const bool counts = std::find(domains.begin(), domains.end(), info->domain) != domains.end();
    if (counts)
      worst = std::max(worst, info->quality);
    else if (std::find(others.begin(), others.end(), info->domain) == others.end())
      others.push_back(info->domain);
  }
  line += fmt::format(" ({})", name_of(worst));
  if (!others.empty()) {
    line += "; also measured, but not added:";
    for (const auto& other : others) line += " " + other;
  }
  if (worst == Quality::model)
    for (const auto* info : infos)
      if (info->quality == Quality::model) line += "; " + info->note;
  return line;
}

std::string measure_text(const MeasureReport& report, const Style& style) {
  std::string out;
  if (const auto compared = compared_commands(report)) out += compare_text(*compared, style);
  if (!out.empty() && !out.ends_with("\n\n")) out += "\n";
  const auto shown = command_names(report.commands);
  for (std::size_t i = 0; i < shown.size(); ++i)
    out += part_text(command_part(report, i, shown[i]), style);
  out += style.dim(coverage_line(report.meters)) + "\n";
  // Meters that could be used and were not; those left out by design have no advice.
  out += left_out_text(report.left_out, style);
  if (report.interrupted)
    out += style.warn("interrupted: only the runs made so far are shown") + "\n";
  return out;
}

std::string measure_quiet_text(const MeasureReport& report, const Style& style) {
  if (const auto compared = compared_commands(report))
    return answer_text(answer_of(compared->findings, {}, compared->domains), style);
  std::string out;
  const auto shown = command_names(report.commands);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto runs = runs_to_average(report.runs[i], report.ignore_failure);
    if (runs.empty()) continue;
    const auto mean = [&](const std::string& measure) {
      const auto values = values_in(runs, report.plan.window, measure);
      return values.empty() ? std::nullopt : std::optional(summarise(values).mean);
    };
    std::vector<std::string> figures;
    if (const auto seconds = mean(measures::seconds))
      figures.push_back(for_people(Seconds{*seconds}));
    if (const auto joules = mean(measures::metered))
      figures.push_back(with_prefix(*joules, "J") +
                        quality_remark(quality_in(runs.front(), measures::metered)));
    if (!figures.empty()) out += printable(shown[i]) + ": " + joined(figures, ", ") + "\n";
  }
  return out;
}

}  // namespace prengdl
