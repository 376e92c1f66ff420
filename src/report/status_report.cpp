// SPDX-License-Identifier: Apache-2.0
#include "report/status_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "model/flags.h"
#include "report/json.h"
#include "report/table.h"
#include "report/terminal.h"

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

bool has_flag(const StoredRun& run, const std::string& flag) {
  return std::find(run.run.flags.begin(), run.run.flags.end(), flag) != run.run.flags.end();
}

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
    cell.disturbed += has_flag(run, "disturbed");
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
    if (event.kind == "planned")
      planned = static_cast<std::size_t>(parse_integer(event.detail).value_or(0));
  return planned;
}

/// Whether someone who cleans up a result wants to know about a run.
bool is_worth_a_look(const StoredRun& run) {
  return !run.is_warmup && (run.outcome != Outcome::ok || !run.run.flags.empty() || run.excluded);
}

std::string cell_name(const Status& status, const Cell& cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.size() && i < status.study.factors.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", status.study.factors[i].name, printable(cell[i]));
  return text;
}

/// The runs that failed, were flagged or are excluded, by the ids that `exclude` takes.
std::string runs_text(const Status& status, const Style& style) {
  constexpr std::size_t most = 20;
  Table table({{"run", Table::Align::left},
               {"outcome", Table::Align::left},
               {"flags", Table::Align::left},
               {"cell", Table::Align::left, 1}});
  std::vector<const Run*> flagged;
  std::size_t count = 0;
  for (const auto& run : status.runs) {
    if (!run.is_warmup) flagged.push_back(&run.run);
    if (!is_worth_a_look(run) || ++count > most) continue;
    std::string flags;
    for (const auto& flag : run.run.flags) flags += (flags.empty() ? "" : " ") + flag;
    table.add({run.id, std::string(name_of(run.outcome)) + (run.excluded ? ", excluded" : ""),
               flags, cell_name(status, run.cell)});
  }
  if (count == 0) return "";
  std::string text = style.bold("runs that failed, are flagged or excluded") + "\n";
  text += table.text("  ", style);
  if (count > most)
    text += style.dim(fmt::format("  and {} more: `prengdl export RESULT --table runs` lists all\n",
                                  count - most));
  for (const auto& line : flag_lines(flagged)) text += "  " + style.dim(line) + "\n";
  return text;
}

}  // namespace

std::string status_text(const Status& status, const Style& style) {
  const StatusSummary summary = summary_of(status);
  std::string text = style.bold("study " + printable(status.study.name));
  if (!status.study.preset.empty()) text += ", preset " + printable(status.study.preset);
  text +=
      fmt::format("\n  {} of {} planned runs are done, {}; {}{}\n", summary.good.size(),
                  planned_runs(status), counted(summary.warmups, "warm-up"),
                  with_prefix(summary.energy.value, "J"), summary.modelled ? " by estimate" : "");
  if (summary.failures > 0)
    text += style.bad(fmt::format("  {} failed and burnt {}\n", summary.failures,
                                  with_prefix(summary.burnt.value, "J")));
  if (summary.places.size() > summary.good.size() && status.study.blocks > 0)
    text += "  `prengdl run STUDY --retry-failed` makes the failed runs once more\n";
  for (const auto& machine : status.machines)
    text += fmt::format("  on {} ({}), fingerprint {}\n",
                        printable(machine.facts.system.hostname.value_or("a machine")),
                        printable(machine.facts.cpu.model_name.value_or("unknown processor")),
                        machine.fingerprint);
  for (const auto& cell : summary.cells) {
    text += fmt::format("  {}: {}", cell_name(status, cell.cell), counted(cell.tries, "run"));
    if (cell.failures > 0)
      text += style.bad(fmt::format(
          ", {} failed ({:.0f} %)", cell.failures,
          100.0 * static_cast<double>(cell.failures) / static_cast<double>(cell.tries)));
    if (cell.made_good > 0) text += fmt::format(", {} of them made good later", cell.made_good);
    if (cell.disturbed > 0) text += fmt::format(", {} disturbed", cell.disturbed);
    if (cell.repeated > 0) text += fmt::format(", {} of them repeats", cell.repeated);
    if (cell.excluded > 0) text += fmt::format(", {} excluded", cell.excluded);
    text += "\n";
    if (!cell.last_failure) continue;
    const StoredRun& run = *cell.last_failure;
    text += fmt::format("    last: {} {}", run.id, name_of(run.outcome));
    if (run.run.exit_code) text += fmt::format(", exit {}", *run.run.exit_code);
    if (run.run.signal) text += fmt::format(", signal {}", *run.run.signal);
    text += "\n";
    for (const auto& warning : run.run.warnings)
      text += fmt::format("    {}\n", shortened(printable(warning), 200));
    const auto tail = trimmed(run.log_tail);
    const auto line =
        tail.substr(tail.rfind('\n') == std::string_view::npos ? 0 : tail.rfind('\n') + 1);
    if (!line.empty())
      text += fmt::format("    its output ends: {}\n", shortened(printable(line), 200));
  }
  text += runs_text(status, style);
  for (const auto& trouble : status.troubles) text += style.warn("  " + trouble) + "\n";
  std::vector<std::string> lines;
  for (const auto& event : status.events)
    if (event.kind != "planned")
      lines.push_back(fmt::format("  {}  {}{}{}\n", event.at, event.kind,
                                  event.detail.empty() ? "" : ": ", printable(event.detail)));
  if (!lines.empty()) text += style.bold("what happened") + "\n";
  for (std::size_t i = lines.size() - std::min<std::size_t>(lines.size(), 8); i < lines.size(); ++i)
    text += lines[i];
  return text;
}

std::string status_json(const Status& status) {
  const StatusSummary summary = summary_of(status);
  Json json;
  json["schema"] = "prengdl.status/1";
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
                              {"flags", run.run.flags},
                              {"excluded", run.excluded.has_value()}});
  json["machines"] = Json::array();
  for (const auto& machine : status.machines)
    json["machines"].push_back(
        {{"fingerprint", machine.fingerprint}, {"facts", machine_json(machine.facts)}});
  json["events"] = Json::array();
  for (const auto& event : status.events)
    json["events"].push_back({{"at", event.at}, {"kind", event.kind}, {"detail", event.detail}});
  json["troubles"] = status.troubles;
  return dump(json);
}

}  // namespace prengdl
