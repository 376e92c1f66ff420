// SPDX-License-Identifier: Apache-2.0
//
// What a result holds besides its runs: exclusions, events, machines, the registered analysis,
// A/A records, looks, counts.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/escaping.h"
#include "base/json.h"
#include "base/own_files.h"
#include "base/sha256.h"
#include "store/aa_file.h"
#include "store/result.h"
#include "store/run_json.h"
#include "store/stored_words.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// The files of looks that no writer has stored yet, in the order of their runs.
std::vector<fs::path> look_files(const fs::path& records) {
  std::vector<fs::path> found;
  for (const auto& name : list_directory(records))
    if (name.ends_with(".look")) found.push_back(records / name);
  return found;
}

/// One state has one name, so that who looks at it twice leaves one file.
fs::path look_file(const fs::path& records, std::size_t runs) {
  return records / fmt::format("{:09}.look", runs);
}

std::string look_text(const Look& look) {
  return dump(Json{{"at", look.at},
                   {"by", look.by},
                   {"runs", look.runs},
                   {"blocks", look.blocks},
                   {"planned_blocks", look.planned_blocks}});
}

/// Nothing if the file is gone or somebody else's.
std::optional<Look> read_look(const fs::path& file) {
  const auto text = read_optional(file);
  if (!text) return std::nullopt;
  try {
    const Json json = Json::parse(*text);
    return Look{json.at("at"), json.at("by"), json.at("runs"), json.at("blocks"),
                json.at("planned_blocks")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool has_state(const std::vector<Look>& looks, std::size_t runs) {
  return std::any_of(looks.begin(), looks.end(),
                     [&](const Look& look) { return look.runs == runs; });
}

}  // namespace

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

std::optional<Registration> ResultStore::registration() const {
  Statement row = database_.prepare("SELECT at, text FROM registration");
  if (!row.step()) return std::nullopt;
  Registration found;
  found.at = row.text(0);
  found.text = row.text(1);
  found.sha256 = sha256_of(found.text);
  return found;
}

void ResultStore::add_aa(const AaRecord& record) {
  Statement row = database_.prepare("INSERT INTO aa (machine, at, record) VALUES (?, ?, ?)");
  row.bind(0, std::string_view(record.fingerprint));
  row.bind(1, std::string_view(record.at));
  row.bind(2, std::string_view(aa_json_text(record)));
  row.run();
}

std::vector<AaRecord> ResultStore::aa() const {
  std::vector<AaRecord> found;
  Statement rows = database_.prepare("SELECT record FROM aa ORDER BY number");
  while (rows.step()) {
    auto record = aa_of_json(rows.text(0));
    if (!record)
      throw Error(fmt::format("{}: an A/A record cannot be read: {}", directory_.string(),
                              record.error().what()));
    found.push_back(std::move(*record));
  }
  return found;
}

void ResultStore::add_site_energy(const std::vector<SiteEnergy>& found) {
  Transaction transaction(database_);
  Statement row = database_.prepare(
      "INSERT INTO site_energy (run, source, joules) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  for (const auto& one : found) {
    const auto number = number_of(database_, one.run);
    if (!number) continue;
    row.bind(0, *number);
    row.bind(1, std::string_view(one.source));
    row.bind(2, one.energy.value);
    row.run();
  }
  transaction.commit();
}

std::vector<SiteEnergy> ResultStore::site_energy() const {
  std::vector<SiteEnergy> found;
  Statement rows = database_.prepare(
      "SELECT runs.id, source, joules FROM site_energy JOIN runs ON runs.number = run ORDER BY "
      "run");
  while (rows.step())
    found.push_back({std::string(rows.text(0)), std::string(rows.text(1)), Joules{rows.real(2)}});
  return found;
}

std::vector<Look> ResultStore::looks() const {
  // Files first: one that is stored meanwhile is in the table that is read next.
  std::vector<Look> waiting;
  for (const auto& file : look_files(records()))
    if (auto look = read_look(file)) waiting.push_back(std::move(*look));
  std::vector<Look> found;
  Statement rows = database_.prepare("SELECT at, command, runs, blocks, planned_blocks FROM looks");
  while (rows.step())
    found.push_back({std::string(rows.text(0)), std::string(rows.text(1)),
                     static_cast<std::size_t>(rows.integer(2)),
                     static_cast<std::size_t>(rows.integer(3)),
                     static_cast<std::size_t>(rows.integer(4))});
  for (auto& look : waiting)
    if (!has_state(found, look.runs)) found.push_back(std::move(look));
  std::ranges::stable_sort(found, {}, &Look::runs);
  return found;
}

void ResultStore::note_look(const Look& look) const {
  try {
    if (has_state(looks(), look.runs)) return;
    check_directory_owner(directory_);
    replace_file(look_file(records(), look.runs), look_text(look), Durability::quick);
  } catch (const Error&) {
    // A result that this user cannot write to is still read.
  }
}

void ResultStore::take_in_looks() {
  for (const auto& file : look_files(records())) {
    const auto look = read_look(file);
    if (!look) continue;
    Statement row = database_.prepare(
        "INSERT INTO looks (at, command, runs, blocks, planned_blocks) SELECT ?1, ?2, ?3, ?4, ?5"
        " WHERE NOT EXISTS (SELECT 1 FROM looks WHERE runs = ?3)");
    row.bind(0, std::string_view(look->at));
    row.bind(1, std::string_view(look->by));
    row.bind(2, static_cast<std::int64_t>(look->runs));
    row.bind(3, static_cast<std::int64_t>(look->blocks));
    row.bind(4, static_cast<std::int64_t>(look->planned_blocks));
    row.run();
    ::unlink(file.c_str());
  }
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
