// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/escaping.h"
#include "base/own_files.h"
#include "base/strings.h"
#include "store/stored_words.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Each commit waits for the disk; so many runs share one.
constexpr std::size_t runs_a_commit = 200;

std::string factor_line(const std::vector<Factor>& factors) {
  return joined(factors, ", ", [](const Factor& factor) {
    return factor.name + " (" + joined(factor.levels, " ") + ")";
  });
}

/// "line 12: 'runs = 10' and 'runs = 5'": the first line that differs.
std::string first_difference(const std::string& a, const std::string& b) {
  const auto lines = split(a, '\n');
  const auto others = split(b, '\n');
  for (std::size_t i = 0; i < std::max(lines.size(), others.size()); ++i) {
    const auto line = i < lines.size() ? trimmed(lines[i]) : "";
    const auto other = i < others.size() ? trimmed(others[i]) : "";
    if (line != other)
      return fmt::format("line {}: '{}' and '{}'", i + 1, printable(line), printable(other));
  }
  return "white space only";
}

void check_same_study(const ResultStore& into, const StudyRecord& here, const ResultStore& from,
                      const StudyRecord& there) {
  std::string difference;
  if (trimmed(here.text) != trimmed(there.text))
    difference = "their study files differ in " + first_difference(here.text, there.text);
  else if (here.preset != there.preset)
    difference = fmt::format("one is of preset '{}', the other of '{}'", here.preset, there.preset);
  else if (factor_line(here.factors) != factor_line(there.factors))
    difference = fmt::format("their factors are {} and {}", factor_line(here.factors),
                             factor_line(there.factors));
  if (difference.empty()) return;
  throw Error(fmt::format("{} and {} are not results of the same study: {}",
                          into.directory().string(), from.directory().string(), difference),
              "merge results of the same study file and preset only");
}

/// Locks of another machine are kept next to those that are here.
void merge_locks(const Database& database, const StudyRecord& here, const StudyRecord& there,
                 MergeReport& report) {
  Statement row = database.prepare(
      "INSERT INTO locks (environment, text) VALUES (?, ?) ON CONFLICT DO NOTHING");
  for (const auto& lock : there.locks) {
    if (std::find(here.locks.begin(), here.locks.end(), lock) != here.locks.end()) continue;
    report.notes.push_back(fmt::format("environment {} was locked differently", lock.first));
    row.bind(0, std::string_view(lock.first));
    row.bind(1, std::string_view(lock.second));
    row.run();
  }
}

void merge_events(const Database& database, const std::vector<StudyEvent>& events) {
  Statement row = database.prepare(
      "INSERT INTO events (at, kind, detail, cell) SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS"
      " (SELECT 1 FROM events WHERE at = ?1 AND kind = ?2 AND detail = ?3 AND cell = ?4)");
  for (const auto& event : events) {
    row.bind(0, std::string_view(event.at));
    row.bind(1, stored_name(event.kind));
    row.bind(2, std::string_view(event.detail));
    row.bind(3, std::string_view(event.cell));
    row.run();
  }
}

void merge_exclusions(const Database& database, const std::vector<Exclusion>& exclusions) {
  Statement row = database.prepare(
      "INSERT INTO exclusions (run, excluded, reason, who, at)"
      " SELECT number, ?2, ?3, ?4, ?5 FROM runs WHERE id = ?1 AND NOT EXISTS"
      " (SELECT 1 FROM exclusions WHERE run = runs.number AND excluded = ?2 AND reason = ?3"
      "  AND who = ?4 AND at = ?5)");
  for (const auto& one : exclusions) {
    row.bind(0, std::string_view(one.run));
    row.bind(1, std::int64_t{one.excluded});
    row.bind(2, std::string_view(one.reason));
    row.bind(3, std::string_view(one.who));
    row.bind(4, std::string_view(one.at));
    row.run();
  }
}

void merge_looks(const Database& database, const std::vector<Look>& looks) {
  Statement row = database.prepare(
      "INSERT INTO looks (at, command, runs, blocks, planned_blocks) SELECT ?1, ?2, ?3, ?4, ?5"
      " WHERE NOT EXISTS (SELECT 1 FROM looks WHERE at = ?1 AND command = ?2 AND runs = ?3)");
  for (const auto& look : looks) {
    row.bind(0, std::string_view(look.at));
    row.bind(1, std::string_view(look.by));
    row.bind(2, static_cast<std::int64_t>(look.runs));
    row.bind(3, static_cast<std::int64_t>(look.blocks));
    row.bind(4, static_cast<std::int64_t>(look.planned_blocks));
    row.run();
  }
}

void merge_aa(ResultStore& into, const ResultStore& from) {
  const auto here = into.aa();
  for (const auto& record : from.aa())
    if (std::none_of(here.begin(), here.end(), [&](const AaRecord& known) {
          return known.fingerprint == record.fingerprint && known.at == record.at;
        }))
      into.add_aa(record);
}

/// Runs that were made under another registered analysis, or under none, come in with a note.
void compare_registrations(const StudyRecord& here, const StudyRecord& there, MergeReport& report) {
  if (here.registered == there.registered) return;
  report.notes.push_back(there.registered.empty()  ? "the merged runs' analysis was not registered"
                         : here.registered.empty() ? "only the merged runs' analysis was registered"
                                                   : "the analyses were registered differently");
}

/// Copies a directory of one result into another. Links in it are left out: the files that they
/// name are no part of the result.
void copy_below(const ResultStore& into, const ResultStore& from, const fs::path& below,
                const std::string& what, MergeReport& report) {
  std::error_code trouble;
  if (!fs::is_directory(from.directory() / below, trouble)) return;
  std::string why;
  try {
    make_own_directory(into.directory(), below);
    fs::copy(from.directory() / below, into.directory() / below,
             fs::copy_options::recursive | fs::copy_options::skip_existing |
                 fs::copy_options::skip_symlinks,
             trouble);
    if (trouble) why = trouble.message();
  } catch (const Error& error) {
    why = error.what();
  }
  if (!why.empty()) report.notes.push_back(fmt::format("{} were not copied: {}", what, why));
}

/// Logs are for people: one that cannot be copied keeps no run out.
void copy_logs(const ResultStore& into, const ResultStore& from, const std::string& run,
               MergeReport& report) {
  copy_below(into, from, fs::path("logs") / run, "the logs of run " + run, report);
}

/// Profiles are of cells, not of runs (store/profiles.h); one that is there stays.
void copy_profiles(const ResultStore& into, const ResultStore& from, MergeReport& report) {
  copy_below(into, from, "profiles", "the profiles", report);
}

}  // namespace

MergeReport merge(ResultStore& into, const ResultStore& from) {
  std::error_code ignored;
  if (fs::equivalent(into.directory(), from.directory(), ignored))
    throw Error(fmt::format("{} cannot be merged into itself", into.directory().string()));
  const StudyRecord here = into.study();
  const StudyRecord there = from.study();
  check_same_study(into, here, from, there);
  MergeReport report;
  for (const auto& machine : from.machines()) into.add_machine(machine);

  const Database& database = into.database();
  RunInserter inserter(database, factor_names(database));
  std::optional<Transaction> transaction;
  from.each_run(Detail::all, [&](StoredRun&& run) {
    if (!transaction) transaction.emplace(database);
    const bool is_new =
        inserter.insert(run, [&](const TakeChunk& take) { from.chunks(run.id, take); });
    ++(is_new ? report.added : report.known);
    copy_logs(into, from, run.id, report);
    if (!is_new || report.added % runs_a_commit != 0) return;
    transaction->commit();
    transaction.reset();
  });
  if (!transaction) transaction.emplace(database);
  merge_locks(database, here, there, report);
  merge_events(database, from.events());
  merge_exclusions(database, from.exclusions());
  merge_looks(database, from.looks());
  merge_aa(into, from);
  compare_registrations(here, there, report);
  transaction->commit();
  into.add_site_energy(from.site_energy());
  copy_profiles(into, from, report);
  return report;
}

}  // namespace prengdl
