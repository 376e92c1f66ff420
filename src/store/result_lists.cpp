// SPDX-License-Identifier: Apache-2.0
//
// What a result holds besides its runs: exclusions, events, machines, counts.
#include <fmt/core.h>

#include <utility>

#include "base/escaping.h"
#include "store/result.h"
#include "store/run_json.h"
#include "store/stored_words.h"

namespace prengdl {

std::vector<Exclusion> ResultStore::exclusions() const {
  std::vector<Exclusion> found;
  Statement rows = database_.prepare(
      "SELECT runs.id, excluded, reason, who, at FROM exclusions"
      " JOIN runs ON runs.number = exclusions.run ORDER BY exclusions.number");
  while (rows.step())
    found.push_back({std::string(rows.text(0)), rows.integer(1) != 0, std::string(rows.text(2)),
                     std::string(rows.text(3)), std::string(rows.text(4))});
  return found;
}

void ResultStore::add_event(const StudyEvent& event) {
  Statement row =
      database_.prepare("INSERT INTO events (at, kind, detail, cell) VALUES (?, ?, ?, ?)");
  row.bind(0, std::string_view(event.at));
  row.bind(1, stored_name(event.kind));
  row.bind(2, std::string_view(event.detail));
  row.bind(3, std::string_view(event.cell));
  row.run();
}

void ResultStore::add_lock(const std::string& environment, const std::string& text) {
  Statement row = database_.prepare(
      "INSERT INTO locks (environment, text) VALUES (?, ?) ON CONFLICT DO NOTHING");
  row.bind(0, std::string_view(environment));
  row.bind(1, std::string_view(text));
  row.run();
}

std::vector<StudyEvent> ResultStore::events() const {
  std::vector<StudyEvent> found;
  Statement rows = database_.prepare("SELECT at, kind, detail, cell FROM events ORDER BY number");
  while (rows.step()) {
    const auto kind = stored_value<StudyEventKind>(rows.text(1));
    if (!kind)
      throw Error(fmt::format("the result has an event that this prengdl does not know: '{}'",
                              printable(rows.text(1))),
                  "update prengdl");
    found.push_back(
        {std::string(rows.text(0)), *kind, std::string(rows.text(2)), std::string(rows.text(3))});
  }
  return found;
}

void ResultStore::add_machine(const MachineRecord& machine) {
  Statement row = database_.prepare(
      "INSERT INTO machines (fingerprint, hostname, cpu, facts) VALUES (?, ?, ?, ?)"
      " ON CONFLICT DO NOTHING");
  row.bind(0, std::string_view(machine.fingerprint));
  int column = 1;
  for (const auto& fact : {machine.facts.system.hostname, machine.facts.cpu.model_name}) {
    if (fact)
      row.bind(column, std::string_view(*fact));
    else
      row.bind(column, nullptr);
    ++column;
  }
  row.bind(column, std::string_view(machine_json_text(machine.facts)));
  row.run();
}

std::vector<MachineRecord> ResultStore::machines() const {
  std::vector<MachineRecord> found;
  Statement rows = database_.prepare("SELECT fingerprint, facts FROM machines ORDER BY rowid");
  while (rows.step()) {
    auto facts = machine_of_json(rows.text(1));
    if (!facts)
      throw Error(fmt::format("{}: the facts of machine {} cannot be read: {}", directory_.string(),
                              rows.text(0), facts.error().what()));
    found.push_back({std::string(rows.text(0)), std::move(*facts)});
  }
  return found;
}

std::size_t ResultCounts::runs() const {
  std::size_t sum = 0;
  for (const auto& [outcome, count] : by_outcome) sum += count;
  return sum;
}

ResultCounts ResultStore::counts() const {
  ResultCounts counts;
  const auto records = waiting();
  const Snapshot snapshot(database_);
  Statement rows = database_.prepare("SELECT warmup, outcome, count(*) FROM runs GROUP BY 1, 2");
  while (rows.step()) {
    const auto count = static_cast<std::size_t>(rows.integer(2));
    if (rows.integer(0) != 0)
      counts.warmups += count;
    else
      counts.by_outcome[std::string(rows.text(1))] += count;
  }
  for (const auto& record : records) {
    if (number_of(database_, record.run.id)) continue;
    if (record.run.is_warmup)
      ++counts.warmups;
    else
      ++counts.by_outcome[std::string(name_of(record.run.outcome))];
  }
  counts.excluded = static_cast<std::size_t>(database_.integer("SELECT count(*) FROM excluded"));
  return counts;
}

std::string ResultStore::integrity() const {
  std::string found = database_.text("PRAGMA integrity_check");
  Statement broken = database_.prepare("PRAGMA foreign_key_check");
  if (broken.step()) found += fmt::format(", a row of {} belongs to nothing", broken.text(0));
  return found;
}

}  // namespace prengdl
