// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "base/this_process.h"
#include "campaign/pace.h"
#include "model/flag.h"
#include "print/meters.h"
#include "print/status_parts.h"
#include "print/study.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

/// The runs of one cell, counted.
struct CellStatus {
  Cell cell;
  std::map<std::string, std::size_t> outcomes;
  std::size_t tries = 0;
  std::size_t failures = 0;
  std::size_t made_good = 0;  // failures whose place has a good run by now
  std::size_t disturbed = 0;
  std::size_t repeated = 0;
  std::size_t excluded = 0;
  Joules burnt{};  // by runs that failed
  const StoredRun* last_failure = nullptr;
};

struct StatusSummary {
  std::vector<CellStatus> cells;  // in the order in which they first ran
  std::set<std::size_t> places;   // with at least one run
  std::set<std::size_t> good;     // with a good one
  std::size_t warmups = 0;
  std::size_t failures = 0;
  Joules energy{};
  Joules burnt{};
  bool modelled = false;
};

StatusSummary summary_of(const Status& status) {
  StatusSummary summary;
  std::map<Cell, std::size_t> index;
  for (const auto& run : status.runs) {
    const auto& metered = run.run.energy.metered;
    if (metered) {
      summary.energy += metered->value;
      summary.modelled = summary.modelled || metered->quality == Quality::model;
    }
    if (run.is_warmup) {
      ++summary.warmups;
      continue;
    }
    summary.places.insert(run.place);
    const auto [place, is_new] = index.try_emplace(run.cell, summary.cells.size());
    if (is_new) summary.cells.emplace_back().cell = run.cell;
    CellStatus& cell = summary.cells[place->second];
    ++cell.tries;
    ++cell.outcomes[std::string(name_of(run.outcome))];
    cell.disturbed += run.run.flags.contains(Flag::disturbed);
    cell.repeated += run.repeats.has_value();
    cell.excluded += run.excluded.has_value();
    if (run.outcome == Outcome::ok) {
      summary.good.insert(run.place);
      continue;
    }
    ++cell.failures;
    ++summary.failures;
    cell.last_failure = &run;
    if (metered) {
      cell.burnt += metered->value;
      summary.burnt += metered->value;
    }
  }
  for (const auto& run : status.runs)
    if (!run.is_warmup && run.outcome != Outcome::ok && summary.good.contains(run.place))
      ++summary.cells[index.at(run.cell)].made_good;
  return summary;
}

/// What the last start was to make: `run --runs` may ask for more or fewer than the study file.
std::size_t planned_runs(const Status& status) {
  std::size_t planned = status.study.planned_runs;
  for (const auto& event : status.events)
    if (event.kind == StudyEventKind::planned)
      planned = static_cast<std::size_t>(parse_integer(event.detail).value_or(0));
  return planned;
}

/// Whether someone who cleans up a result wants to know about a run.
bool is_worth_a_look(const StoredRun& run) {
  return !run.is_warmup && (run.outcome != Outcome::ok || !run.run.flags.empty() || run.excluded);
}

double unix_time() { return Seconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string cell_name(const Status& status, const Cell& cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.size() && i < status.study.factors.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", status.study.factors[i].name, cell[i]);
  return text;
}

/// "running: side=left, about 22 s left"; empty if nothing is known to run.
std::string what_happens_now(const Status& status) {
  if (!status.live || state_of(status.live, status.events).word != "running") return "";
  const Json& live = *status.live;
  std::string text = live.value("doing", "running");
  if (const std::string cell = live.value("cell", ""); !cell.empty()) text += ": " + cell;
  const double age = unix_time() - live.value("at", unix_time());
  if (live.contains("seconds_left"))
    text += ", " + about_left(Seconds{std::max(0.0, live["seconds_left"].get<double>() - age)});
  constexpr double longest_silence = 30;
  if (age > longest_silence)
    text += fmt::format(" (last update {} ago)", for_people(Seconds{std::round(age)}));
  return printable(text);
}

Part study_part(const Status& status, const StatusSummary& summary) {
  Part part{"study", "study " + status.study.name};
  if (!status.study.preset.empty()) part.remark = "preset " + status.study.preset;
  part.say(fmt::format("{} of {} planned runs are done, {}; {}{}", summary.good.size(),
                       planned_runs(status), counted(summary.warmups, "warm-up"),
                       with_prefix(summary.energy.value, "J"),
                       summary.modelled ? ", as modelled" : ""));
  if (summary.failures > 0)
    part.caution(fmt::format("{} failed and used {}", counted(summary.failures, "run"),
                             with_prefix(summary.burnt.value, "J")));
  const bool are_imported = std::any_of(
      status.events.begin(), status.events.end(),
      [](const StudyEvent& event) { return event.kind == StudyEventKind::import_runs; });
  if (summary.places.size() > summary.good.size() && !are_imported)
    part.say("`prengdl run STUDY --retry-failed` repeats the failed runs");
  if (const StudyState state = state_of(status.live, status.events); state.word == "killed")
    part.caution(state.why);
  if (const std::string now = what_happens_now(status); !now.empty()) part.say(now);
  if (const auto line = site_energy_line(status)) part.say(*line);
  constexpr std::size_t most_machines = 4;
  if (status.machines.size() > most_machines)
    part.say(fmt::format("on {}", counted(status.machines.size(), "machine")));
  else
    for (const auto& machine : status.machines)
      part.say(fmt::format(
          "on {} ({}), fingerprint {}", machine.facts.system.hostname.value_or("a machine"),
          machine.facts.cpu.model_name.value_or("unknown processor"), machine.fingerprint));
  for (const auto& trouble : status.troubles) part.caution(trouble);
  return part;
}

TableCell count_or_nothing(std::size_t count) {
  return count > 0 ? count_cell(count) : TableCell{};
}

Part cells_part(const Status& status, const StatusSummary& summary) {
  Table table;
  table.columns = {text_column("cell", "cell"),
                   number_column("runs", "runs"),
                   number_column("failed", "failed"),
                   number_column("good", "made good later"),
                   number_column("disturbed", "disturbed"),
                   number_column("repeats", "repeats"),
                   number_column("excluded", "excluded")};
  for (const auto& cell : summary.cells) {
    const double share = static_cast<double>(cell.failures) / static_cast<double>(cell.tries);
    table.add({text_cell(cell_name(status, cell.cell)), count_cell(cell.tries),
               cell.failures > 0
                   ? TableCell{fmt::format("{} ({:.0f} %)", cell.failures, 100 * share),
                               static_cast<double>(cell.failures), false}
                   : TableCell{},
               count_or_nothing(cell.made_good), count_or_nothing(cell.disturbed),
               count_or_nothing(cell.repeated), count_or_nothing(cell.excluded)});
  }
  Part part{"cells", "cells"};
  part.add(std::move(table));
  return part;
}

/// Of each cell that failed, how the last failure ended.
Part last_failures_part(const Status& status, const StatusSummary& summary) {
  constexpr std::size_t longest = 200;
  Part part{"failures", "last failures"};
  for (const auto& cell : summary.cells) {
    if (!cell.last_failure) continue;
    const StoredRun& run = *cell.last_failure;
    std::string text =
        fmt::format("{}: {} {}", cell_name(status, cell.cell), run.id, name_of(run.outcome));
    if (run.run.exit_code) text += fmt::format(", exit {}", *run.run.exit_code);
    if (run.run.signal) text += fmt::format(", signal {}", *run.run.signal);
    part.say(text);
    for (const auto& warning : run.run.warnings) part.say("  " + shortened(warning, longest));
    const auto tail = trimmed(run.log_tail);
    const auto end = tail.rfind('\n');
    const auto line = tail.substr(end == std::string_view::npos ? 0 : end + 1);
    if (!line.empty()) part.say("  its output ends: " + shortened(printable(line), longest));
  }
  return part;
}

/// The runs that failed, were flagged or are excluded, by the ids that `exclude` takes.
Part runs_part(const Status& status) {
  constexpr std::size_t most = 20;
  Table table;
  table.columns = {text_column("run", "run"), text_column("outcome", "outcome"),
                   text_column("flags", "flags"), text_column("cell", "cell")};
  table.columns.back().spare = 1;
  std::vector<const Run*> flagged;
  std::size_t count = 0;
  for (const auto& run : status.runs) {
    if (!run.is_warmup) flagged.push_back(&run.run);
    if (!is_worth_a_look(run) || ++count > most) continue;
    table.add({text_cell(run.id),
               text_cell(std::string(name_of(run.outcome)) + (run.excluded ? ", excluded" : "")),
               text_cell(names_of(run.run.flags)), text_cell(cell_name(status, run.cell))});
  }
  Part part{"runs", "runs that failed, are flagged or excluded"};
  part.add(std::move(table));
  if (count > most)
    part.note(
        fmt::format("and {} more: `prengdl export RESULT --table runs` lists all", count - most));
  if (count > 0)
    for (const auto& line : flag_lines(flagged)) part.note(line);
  return part;
}

Part events_part(const Status& status) {
  constexpr std::size_t most = 8;
  Table table;
  table.columns = {text_column("at", "time"), text_column("event", "event"),
                   text_column("detail", "detail")};
  table.has_headings = false;
  for (const auto& event : status.events)
    if (event.kind != StudyEventKind::planned)
      table.add({text_cell(event.at), text_cell(std::string(name_of(event.kind))),
                 text_cell(text_of(event))});
  if (table.rows.size() > most) table.rows.erase(table.rows.begin(), table.rows.end() - most);
  Part part{"events", "what happened"};
  part.add(std::move(table));
  return part;
}

}  // namespace

StudyPhase phase_of(const Status& status) {
  const std::string word = state_of(status.live, status.events).word;
  const bool is_complete = summary_of(status).good.size() >= planned_runs(status);
  if (word == "quiet") return is_complete ? StudyPhase::ended : StudyPhase::unknown;
  if (word != "running") return StudyPhase::ended;
  // One on another machine that was killed looks as if it still ran.
  const bool is_elsewhere = status.live->at("host") != host_name();
  return is_elsewhere && is_complete ? StudyPhase::ended : StudyPhase::running;
}

std::string status_text(const Status& status, const Style& style) {
  const StatusSummary summary = summary_of(status);
  std::string text = part_text(study_part(status, summary), style);
  const bool is_done = summary.good.size() >= planned_runs(status);
  for (const auto& part : {jobs_part(status, is_done), nodes_part(status)})
    if (part) text += part_text(*part, style);
  for (const Part& part : {cells_part(status, summary), last_failures_part(status, summary),
                           runs_part(status), events_part(status)})
    if (!part.blocks.empty()) text += part_text(part, style);
  text.pop_back();  // the line behind the last part
  return text;
}

std::string status_json(const Status& status) {
  const StatusSummary summary = summary_of(status);
  Json json;
  json["schema"] = "prengdl.status/2";
  json["study"] = status.study.name;
  if (!status.study.preset.empty()) json["preset"] = status.study.preset;
  json["planned_runs"] = planned_runs(status);
  json["done_runs"] = summary.places.size();
  json["good_runs"] = summary.good.size();
  json["warmups"] = summary.warmups;
  json["failures"] = summary.failures;
  json["joules"] = summary.energy.value;
  json["joules_of_failures"] = summary.burnt.value;
  json["modelled"] = summary.modelled;
  json["cells"] = Json::array();
  for (const auto& cell : summary.cells) {
    Json levels = Json::object();
    for (std::size_t i = 0; i < cell.cell.size() && i < status.study.factors.size(); ++i)
      levels[status.study.factors[i].name] = cell.cell[i];
    Json one{{"cell", std::move(levels)},   {"runs", cell.tries},
             {"outcomes", cell.outcomes},   {"failures", cell.failures},
             {"made_good", cell.made_good}, {"disturbed", cell.disturbed},
             {"excluded", cell.excluded},   {"joules_of_failures", cell.burnt.value}};
    if (cell.last_failure) one["last_failure"] = cell.last_failure->id;
    json["cells"].push_back(std::move(one));
  }
  json["runs"] = Json::array();
  for (const auto& run : status.runs)
    if (is_worth_a_look(run))
      json["runs"].push_back({{"run", run.id},
                              {"outcome", name_of(run.outcome)},
                              {"flags", flags_json(run.run.flags)},
                              {"excluded", run.excluded.has_value()}});
  json["machines"] = Json::array();
  for (const auto& machine : status.machines)
    json["machines"].push_back(
        {{"fingerprint", machine.fingerprint}, {"facts", machine_json(machine.facts)}});
  json["nodes"] = nodes_json(status);
  if (status.cluster) json["cluster"] = cluster_json(*status.cluster);
  json["events"] = Json::array();
  for (const auto& event : status.events)
    json["events"].push_back(
        {{"at", event.at}, {"kind", name_of(event.kind)}, {"detail", text_of(event)}});
  json["troubles"] = status.troubles;
  return dump(json);
}

}  // namespace prengdl
