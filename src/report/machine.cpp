// SPDX-License-Identifier: Apache-2.0
//
// Of the method: what it ran on, what it cost, how to repeat it and how to cite it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "model/measure.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

void add_machines(const ReportInput& input, Part& part) {
  if (input.machines.empty())
    return part.say("The machine is not on record: the runs were imported without it.");
  for (std::size_t i = 0; i < input.machines.size(); ++i) {
    Table table;
    table.id = fmt::format("machine-{}", i + 1);
    table.title = input.machines.size() == 1 ? "The machine" : fmt::format("Machine {}", i + 1);
    table.is_folded = true;
    table.columns = {text_column("group", "group"), text_column("fact", "fact"),
                     text_column("value", "value")};
    for (const auto& fact : facts(input.machines[i].facts)) {
      // Values of variables and the machine's own name lead to people.
      if (input.is_anonymous && (fact.key == "hostname" || fact.group == "environment")) continue;
      table.rows.push_back({text_cell(fact.group), text_cell(fact.key), text_cell(fact.value)});
    }
    if (!input.is_anonymous)
      table.rows.push_back({text_cell("system"), text_cell("fingerprint"),
                            text_cell(input.machines[i].fingerprint)});
    part.add(std::move(table));
  }
}

void add_meters(const ReportInput& input, Part& part) {
  Table table;
  table.id = "meters";
  table.title = "Meters";
  table.columns = {text_column("name", "meter"),
                   text_column("domain", "domain"),
                   text_column("kind", "kind"),
                   text_column("quality", "quality"),
                   text_column("counted", "in the total"),
                   text_column("source", "source"),
                   text_column("note", "note")};
  std::set<std::string> seen;
  for (const auto& run : *input.runs)
    for (const auto& meter : run.meters) {
      if (!seen.insert(meter.id + "\n" + meter.source).second) continue;
      table.rows.push_back({text_cell(meter.name), text_cell(meter.domain),
                            text_cell(std::string(name_of(meter.kind))),
                            text_cell(std::string(name_of(meter.quality))),
                            text_cell(std::string(name_of(meter.counted))), text_cell(meter.source),
                            text_cell(meter.note)});
    }
  part.add(std::move(table));
}

void add_environments(const ReportInput& input, Part& part) {
  Table table;
  table.id = "environments";
  table.title = "Versions in the environments";
  table.is_folded = true;
  table.columns = {text_column("environment", "environment"), text_column("package", "package"),
                   text_column("version", "version")};
  for (const auto& [environment, text] : input.record.locks)
    for (const auto line : split(text, '\n')) {
      const auto entry = trimmed(line.substr(0, line.find_first_of(" ;\\")));
      const auto at = entry.find("==");
      if (at == std::string_view::npos || entry.starts_with('#')) continue;
      table.rows.push_back({text_cell(environment), text_cell(std::string(entry.substr(0, at))),
                            text_cell(std::string(entry.substr(at + 2)))});
    }
  if (table.rows.empty()) return;
  part.add(std::move(table));
}

/// Versions, threads, precision: what the workloads reported.
void add_reported_facts(const ReportInput& input, Part& part) {
  Table table;
  table.id = "reported-facts";
  table.title = "Facts that the workloads reported";
  table.columns = {text_column("level", level_title(input)), text_column("fact", "fact"),
                   text_column("value", "value"), number_column("runs", "runs")};
  std::vector<std::map<std::pair<std::string, std::string>, std::size_t>> reported(
      input.levels.size());
  for (const auto& one_case : input.cases)
    for (std::size_t i = 0; i < one_case.levels.size(); ++i)
      for (const auto* run : one_case.levels[i])
        for (const auto& fact : run->run.facts) ++reported[i][{fact.name, fact.value}];
  for (std::size_t i = 0; i < reported.size(); ++i)
    for (const auto& [fact, runs] : reported[i])
      table.rows.push_back({text_cell(input.levels[i]), text_cell(fact.first),
                            text_cell(fact.second), count_cell(runs)});
  part.add(std::move(table));
}

void add_aa(const ReportInput& input, Part& part) {
  for (const auto& record : input.aa)
    for (const auto& measure : record.measures)
      part.say(fmt::format(
          "One command was run under two labels on this machine (`prengdl doctor --aa`, {}). Its "
          "{} "
          "differed by {} from run to run; the smallest ratio that {} can show is {}.",
          counted(measure.pairs, "pair"),
          measure.measure == measures::seconds ? "times" : "energies", percent_text(measure.spread),
          counted(measure.pairs, "pair"), significant(measure.detectable_ratio)));
}

void add_repeat(const ReportInput& input, Part& part) {
  if (!input.study.imported.empty()) {
    part.say(
        fmt::format("To repeat the analysis, run `prengdl import {} PATH -o {}` and "
                    "`prengdl report {} -o report.html`. The runs were made by another tool.",
                    input.study.imported, input.result_name, input.result_name));
  } else {
    part.say(fmt::format(
        "To repeat the study, save the study file below as study.toml. Then run `prengdl setup "
        "study.toml`, `prengdl run study.toml{}` and `prengdl report RESULT -o report.html`. Its "
        "seed gives the same order of runs.",
        input.study.preset.empty() ? "" : " --preset " + input.study.preset));
  }
  Table table;
  table.id = "study-file";
  table.title = "The study file";
  table.columns = {number_column("line", "line"), text_column("text", "text")};
  std::size_t number = 0;
  for (const auto line : split(input.record.text, '\n'))
    table.rows.push_back({count_cell(++number), text_cell(shortened(std::string(line), 400))});
  while (!table.rows.empty() && table.rows.back()[1].text.empty()) table.rows.pop_back();
  part.add(std::move(table));
}

/// What the study itself took.
void say_own_cost(const ReportInput& input, Part& part) {
  Joules energy{};
  Seconds time{}, own{};
  std::size_t failed = 0, warmups = 0, profiled = 0, modelled = 0;
  for (const auto& run : *input.runs) {
    if (run.run.energy.metered) energy += run.run.energy.metered->value;
    if (run.run.energy.metered && run.run.energy.metered->quality == Quality::model) ++modelled;
    time += run.run.wall + (run.run.settling ? run.run.settling->took : Seconds{});
    own += run.run.cpu.own;
    const auto& flags = run.run.flags;
    if (flags.contains(Flag::profiled))
      ++profiled;
    else if (run.is_warmup)
      ++warmups;
    else if (run.outcome != Outcome::ok)
      ++failed;
  }
  std::string text = fmt::format("The study took {}", for_people(time));
  if (energy.value > 0)
    text += fmt::format(
        " and {}{}{}", with_prefix(energy.value, "J"),
        energy.value < 3600 ? "" : " (" + significant(energy.value / 3.6e6, 3) + " kWh)",
        modelled == 0                   ? ""
        : modelled < input.runs->size() ? ", partly modelled"
                                        : ", modelled");
  text += fmt::format(" for {}", counted(input.runs->size(), "run"));
  std::vector<std::string> kinds;
  if (warmups > 0) kinds.push_back(fmt::format("{} to warm up", warmups));
  if (profiled > 0) kinds.push_back(fmt::format("{} under the profiler", profiled));
  if (failed > 0) kinds.push_back(fmt::format("{} that failed", failed));
  if (!kinds.empty()) text += ", including " + listed(kinds);
  text += ".";
  if (own.count() > 0) text += fmt::format(" prengdl itself used {} of CPU time.", for_people(own));
  part.say(text);
}

}  // namespace

void add_machine(const ReportInput& input, Part& part) {
  say_own_cost(input, part);
  add_machines(input, part);
  add_meters(input, part);
  add_environments(input, part);
  add_reported_facts(input, part);
  add_aa(input, part);
  part.say(fmt::format("{} with prengdl {}; this report was made by prengdl {}{}.",
                       input.study.imported.empty() ? "Measured" : "Imported",
                       input.record.prengdl_version, input.version,
                       input.made_at.empty() ? "" : " at " + input.made_at));
  add_repeat(input, part);
  part.say(
      fmt::format("To cite it: prengdl developers, \"prengdl: performance and energy of deep "
                  "learning\", version {}, software, Apache-2.0. Name the study ({}), the date of "
                  "this report and what the energy covers.",
                  input.version, input.study.name));
  Table events;
  events.id = "events";
  events.title = "Events of the study";
  events.columns = {text_column("at", "at"), text_column("kind", "kind"),
                    text_column("detail", "detail")};
  for (const auto& event : input.events)
    events.rows.push_back({text_cell(event.at), text_cell(std::string(name_of(event.kind))),
                           text_cell(text_of(event))});
  part.add(std::move(events));
}

}  // namespace prengdl
