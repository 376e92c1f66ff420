// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "model/counted_runs.h"
#include "model/flag.h"
#include "model/measure.h"
#include "model/window.h"
#include "print/compare.h"
#include "print/measure.h"
#include "print/meters.h"
#include "print/words.h"
#include "stats/summary.h"
#include "tables/cells.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

std::string plus_minus(const Summary& summary, std::string_view unit) {
  if (!summary.sd) return figure_text(summary.mean, unit);
  return fmt::format("{} ± {}", figure_text(summary.mean, unit), figure_text(*summary.sd, unit));
}

/// "median 1.2 s, 1.1 s … 1.3 s, 10 runs"; nothing to say about one run.
std::string spread(const Summary& summary, std::string_view unit) {
  if (summary.n < 2) return "";
  return fmt::format("median {}, {} … {}", figure_text(summary.median, unit),
                     figure_text(summary.min, unit), figure_text(summary.max, unit));
}

/// What stands behind a joule on every line that shows one.
std::string quality_words(Quality quality) {
  switch (quality) {
    case Quality::model:
      return "modelled, not measured";
    case Quality::virtual_machine:
      return "reported by the hypervisor";
    default:
      return "";
  }
}

const Energy* energy_of(const Run& run, const std::string& measure) {
  if (measure == measures::metered) return run.energy.metered ? &*run.energy.metered : nullptr;
  const auto domain = run.energy.domains.find(measure);
  return domain == run.energy.domains.end() ? nullptr : &domain->second;
}

double mean_of(const std::vector<Run>& runs, double (*value)(const Run&)) {
  double sum = 0;
  for (const auto& run : runs) sum += value(run);
  return sum / static_cast<double>(runs.size());
}

void energy_lines(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                  const Style& style, std::string& out) {
  // One domain alone is `metered` itself; a second line would only repeat it.
  const bool only_one = runs.front().energy.domains.size() == 1;
  for (const auto& measure : measures) {
    if (!is_energy_measure(measure) || (measure != measures::metered && only_one)) continue;
    const auto values = values_of(runs, measure);
    if (values.empty()) continue;
    const Summary summary = summarise(values);
    double watts = 0;
    double uncertainty = 0;
    Quality quality = Quality::wall;
    for (const auto& run : runs) {
      const Energy* energy = energy_of(run, measure);
      if (!energy) continue;
      watts += energy->value.value / run.window.count() / static_cast<double>(values.size());
      uncertainty = std::max(uncertainty, energy->uncertainty.value);
      quality = std::max(quality, energy->quality);
    }
    const bool is_total = measure == measures::metered;
    const std::string name = is_total ? "energy" : "  " + measure;
    std::string line = fmt::format("  {:<10}  {:>10}", name, plus_minus(summary, "J"));
    line += fmt::format("   {}", with_prefix(watts, "W"));
    if (const auto words = quality_words(quality); !words.empty())
      line += "   " + style.warn("[" + words + "]");
    else if (values.size() == 1)
      line += style.dim(fmt::format("   read to ±{}", with_prefix(uncertainty, "J")));
    if (const auto more = spread(summary, "J"); !more.empty()) line += style.dim("   " + more);
    out += line + "\n";
  }
  std::vector<double> net;
  Quality quality = Quality::wall;
  for (const auto& run : runs)
    if (run.net && run.net->metered) {
      net.push_back(run.net->metered->value.value);
      quality = std::max(quality, run.net->metered->quality);
    }
  if (!net.empty()) {
    const auto words = quality_words(quality);
    out += fmt::format(
        "  {:<10}  {:>10}{}\n", "  net", plus_minus(summarise(net), "J"),
        words.empty() ? "   above idle" : "   above idle   " + style.warn("[" + words + "]"));
  }
}

/// Means over the runs, span by span in the order in which they first came.
void span_lines(const std::vector<Run>& runs, const Style& style, std::string& out) {
  struct Row {
    std::vector<double> seconds;
    std::vector<double> joules;
    Quality quality = Quality::wall;
  };
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  for (const auto& run : runs)
    for (const auto& [span, energy, channels] : run.spans) {
      const std::string key = span.name.empty() ? span.span : span.span + " " + span.name;
      const auto [row, is_new] = rows.try_emplace(key);
      if (is_new) order.push_back(key);
      row->second.seconds.push_back(seconds_between(span.begin_ns, span.end_ns).count());
      if (!energy.metered) continue;
      row->second.joules.push_back(energy.metered->value.value);
      row->second.quality = std::max(row->second.quality, energy.metered->quality);
    }
  constexpr std::size_t most = 30;
  for (std::size_t i = 0; i < order.size() && i < most; ++i) {
    const Row& row = rows[order[i]];
    std::string line = fmt::format("  {:<24}  {}", shortened(printable(order[i]), 60),
                                   plus_minus(summarise(row.seconds), "s"));
    if (row.joules.size() == row.seconds.size()) {
      line += "   " + plus_minus(summarise(row.joules), "J");
      if (const auto words = quality_words(row.quality); !words.empty())
        line += "   " + style.warn("[" + words + "]");
    } else {
      line += style.dim("   too short for the meters");
    }
    out += line + "\n";
  }
  if (order.size() > most)
    out += style.dim(fmt::format("  … and {} more spans (see --json)\n", order.size() - most));
}

void warning_lines(const std::vector<Run>& runs, const Style& style, std::string& out) {
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
    const std::string how =
        failed->timed_out     ? "ran out of time"
        : failed->interrupted ? "was interrupted"
        : failed->signal      ? fmt::format("was ended by signal {}", *failed->signal)
                         : fmt::format("failed with exit code {}", failed->exit_code.value_or(-1));
    out += "  " + style.bad(fmt::format("the command {}{}", how, of(failures))) + "\n";
    if (!failed->output_tail.empty()) {
      out += style.dim("  the end of its output:") + "\n";
      for (const auto line : split(trimmed(failed->output_tail), '\n'))
        out += "    " + printable(line) + "\n";
    }
  }
  for (const auto& line : flag_lines(all)) out += "  " + style.warn("flag: " + line) + "\n";
  for (const auto& [warning, count] : warnings)
    out += "  " + style.warn(fmt::format("warning: {}{}", printable(warning), of(count))) + "\n";
  for (const auto& run : runs)
    if (!run.left_behind.empty()) {
      const std::string names = joined(run.left_behind, ", ");
      out += "  " + style.warn("it left processes behind, which were ended: " + printable(names)) +
             "\n";
      break;
    }
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
  for (auto& cell : findings.failures)
    for (auto& level : cell.cell) change(level);
  return findings;
}

/// What was measured of a command, over its whole runs.
void figure_lines(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                  const Style& style, std::string& out) {
  const Summary seconds = summarise(values_of(runs, "seconds"));
  const auto more = spread(seconds, "s");
  out += fmt::format("  {:<10}  {:>10}", "time", plus_minus(seconds, "s"));
  out += style.dim(fmt::format(
      "   user {}, system {}, {} resident",
      for_people(Seconds{mean_of(runs, [](const Run& r) { return r.user.count(); })}),
      for_people(Seconds{mean_of(runs, [](const Run& r) { return r.system.count(); })}),
      with_prefix(mean_of(runs, [](const Run& r) { return static_cast<double>(r.max_rss_bytes); }),
                  "B")));
  if (!more.empty()) out += style.dim("   " + more);
  out += "\n";
  energy_lines(runs, measures, style, out);
  span_lines(runs, style, out);
  for (const auto& work : runs.front().work)
    out += fmt::format("  {:<10}  {:.6g}\n", printable(work.name), work.value);
}

/// The runs that are in no average, one by one.
void cut_lines(const std::vector<Run>& runs, const std::vector<Run>& whole, const Style& style,
               std::string& out) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_averaged = std::any_of(
        whole.begin(), whole.end(), [&](const Run& run) { return run.order == runs[i].order; });
    if (is_averaged) continue;
    const std::string which =
        runs.size() == 1 ? "cut short" : fmt::format("run {}, not averaged", i + 1);
    out += "  " + style.warn(fmt::format("{}: {}", which, run_line(runs[i]))) + "\n";
  }
}

}  // namespace

std::vector<std::string> command_names(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  std::vector<std::string> lines;
  for (const auto& command : commands) {
    names.push_back(command.label);
    if (command.label.starts_with(command.argv.front())) lines.push_back(command.label);
  }
  // All or none: a mixture of names and shortened lines could meet.
  return lines.size() == names.size() ? short_commands(lines) : names;
}

std::string run_line(const Run& run) {
  std::string line = for_people(run.wall);
  if (run.energy.metered) {
    line += ", " + with_prefix(run.energy.metered->value.value, "J");
    if (const auto words = quality_words(run.energy.metered->quality); !words.empty())
      line += " [" + words + "]";
  }
  for (const Flag flag : run.flags) line += fmt::format(", {}", name_of(flag));
  if (run.exit_code && *run.exit_code != 0) line += fmt::format(", exit code {}", *run.exit_code);
  if (run.signal) line += fmt::format(", signal {}", *run.signal);
  return line;
}

std::string coverage_line(const Meters& meters) {
  std::vector<const MeterInfo*> infos;
  infos.reserve(meters.size());
  for (const auto& meter : meters) infos.push_back(&meter->info());
  const auto domains = metered_domains(infos);
  if (domains.empty()) return "energy: no meter";
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
    line += "; measured but not added:";
    for (const auto& other : others) line += " " + other;
  }
  if (worst == Quality::model)
    for (const auto* info : infos)
      if (info->quality == Quality::model) line += "; " + info->note;
  return line;
}

std::string measure_text(const MeasureReport& report, const Style& style) {
  const auto measures = measures_of(report.runs);
  std::string out;
  const bool several = report.plan.commands.size() > 1;
  const auto shown = command_names(report.plan.commands);
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < shown.size(); ++i) names[report.plan.commands[i].label] = shown[i];
  for (std::size_t i = 0; i < report.plan.commands.size(); ++i) {
    const auto& runs = report.runs[i];
    out += style.bold(
        fmt::format("{}{}", several ? fmt::format("{}: ", i + 1) : "", printable(shown[i])));
    out += style.dim("   " + counted(runs.size(), "run")) + "\n";
    if (runs.empty()) {
      out += "  not run\n";
      continue;
    }
    const auto whole = runs_to_average(runs, report.ignore_failure);
    if (!whole.empty()) figure_lines(whole, measures, style, out);
    if (whole.size() < runs.size()) cut_lines(runs, whole, style, out);
    warning_lines(runs, style, out);
    out += "\n";
  }
  out += style.dim(coverage_line(report.meters)) + "\n";
  // What could be measured and was not; what is left out by design has no advice.
  out += left_out_text(report.left_out, style);
  if (report.findings)
    out += "\n" + compare_text({"measure", with_names(*report.findings, names), {}, {}}, style);
  if (report.interrupted)
    out += style.warn("interrupted: these are the runs that were made") + "\n";
  return out;
}

}  // namespace prengdl
