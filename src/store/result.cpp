// SPDX-License-Identifier: Apache-2.0
#include "store/result.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/clock.h"
#include "base/escaping.h"
#include "base/own_files.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "base/this_process.h"

namespace prengdl {
namespace {

Error no_such_run(const std::filesystem::path& directory, const Database& database,
                  const std::string& run) {
  std::vector<std::string> ids;
  Statement rows = database.prepare("SELECT id FROM runs");
  while (rows.step()) ids.emplace_back(rows.text(0));
  const auto near = nearest(run, ids);
  return Error(fmt::format("{} has no run '{}'", directory.string(), printable(run)),
               near ? fmt::format("Did you mean {}?", *near)
                    : "`prengdl status RESULT` lists the runs that failed or are flagged, `prengdl "
                      "export RESULT --table runs` all of them.");
}

}  // namespace

std::unique_ptr<RunRecordWriter> ResultStore::record(const std::string& run) const {
  check_directory();  // which would be made again
  make_directory(records());
  return std::make_unique<RunRecordWriter>(records(), run);
}

std::size_t ResultStore::take_in() {
  // Records are removed once they are in the database, which must be the one that others find.
  check_is_there();
  std::size_t taken = 0;
  troubles_.clear();
  std::optional<RunInserter> inserter;
  for (const auto& path : finished_records(records())) {
    const auto record = read_record(path);
    if (!record) {
      troubles_.push_back(record.error());
      continue;
    }
    if (!inserter) inserter.emplace(database_, factor_names(database_));
    try {
      Transaction transaction(database_);
      const bool is_new =
          inserter->insert(record->run, [&](const TakeChunk& take) { record->each_chunk(take); });
      transaction.commit();
      if (is_new) ++taken;
    } catch (const Refused& refused) {
      inserter.reset();
      troubles_.push_back(
          Error(fmt::format("cannot add the record {}: {}", path.string(), refused.what()),
                "Move it away. Its run will be repeated."));
      continue;
    }
    // The run is in the database, synced. Killed here, the next one finds the record once more,
    // sees that the run is there, and comes to this line again.
    ::unlink(path.c_str());
  }
  take_in_looks();
  return taken;
}

std::vector<StoredRun> ResultStore::take_records(const std::vector<std::filesystem::path>& records,
                                                 const std::optional<std::string>& excluded) {
  check_is_there();
  troubles_.clear();
  std::vector<StoredRun> taken;
  std::vector<std::filesystem::path> unreadable;
  try {
    RunInserter inserter(database_, factor_names(database_));
    Transaction transaction(database_);
    for (const auto& path : records) {
      auto record = read_record(path);
      if (!record) {
        troubles_.push_back(record.error());
        unreadable.push_back(path);
        continue;
      }
      if (!inserter.insert(record->run, [&](const TakeChunk& take) { record->each_chunk(take); }))
        continue;
      if (excluded) insert_exclusion(*number_of(database_, record->run.id), true, *excluded);
      taken.push_back(std::move(record->run));
    }
    transaction.commit();
  } catch (const Refused& refused) {
    // One of them spoils the transaction for all: which one it is shows when each is taken alone.
    taken.clear();
    if (records.size() > 1) {
      std::vector<Error> troubles;
      for (const auto& path : records) {
        for (auto& run : take_records({path}, excluded)) taken.push_back(std::move(run));
        troubles.insert(troubles.end(), troubles_.begin(), troubles_.end());
      }
      troubles_ = std::move(troubles);
      return taken;
    }
    troubles_.push_back(
        Error(fmt::format("cannot add {}: {}", records.front().string(), refused.what())));
    unreadable = records;
  }
  for (const auto& path : unreadable)
    std::rename(path.c_str(), (path.string() + ".unreadable").c_str());
  for (const auto& path : records) ::unlink(path.c_str());
  return taken;
}

std::vector<RunRecord> ResultStore::waiting() const {
  std::vector<RunRecord> found;
  for (const auto& path : finished_records(records()))
    if (auto record = read_record(path)) found.push_back(std::move(*record));
  return found;
}

void ResultStore::each_run(Detail detail, const std::function<void(StoredRun&&)>& take) const {
  // Records first: one that is stored and removed meanwhile is in the tables that are read next.
  auto records = waiting();
  const Snapshot snapshot(database_);
  select_runs(database_, detail, std::nullopt, take);
  for (auto& record : records)
    if (!number_of(database_, record.run.id)) take(std::move(record.run));
}

std::vector<StoredRun> ResultStore::runs(Detail detail) const {
  std::vector<StoredRun> all;
  // Growing step by step would need half as much memory again for a moment.
  all.reserve(static_cast<std::size_t>(database_.integer("SELECT count(*) FROM runs")));
  each_run(detail, [&](StoredRun&& run) { all.push_back(std::move(run)); });
  return all;
}

std::optional<StoredRun> ResultStore::run(const std::string& id) const {
  std::optional<StoredRun> found;
  auto record = read_record(records() / (id + ".record"));
  const Snapshot snapshot(database_);
  if (const auto number = number_of(database_, id))
    select_runs(database_, Detail::all, number, [&](StoredRun&& run) { found = std::move(run); });
  else if (record)
    found = std::move(record->run);
  return found;
}

void ResultStore::chunks(const std::string& run, const TakeChunk& take) const {
  const auto record = read_record(records() / (run + ".record"));
  const Snapshot snapshot(database_);
  if (const auto number = number_of(database_, run))
    select_chunks(database_, *number, take);
  else if (record)
    record->each_chunk(take);
  else
    throw no_such_run(directory_, database_, run);
}

void ResultStore::samples(const std::string& run, const TakeSample& take) const {
  SampleReader reader;
  chunks(run, [&](const SampleChunk& chunk) {
    if (const auto done = reader.read(chunk.bytes, take); !done)
      throw Error(fmt::format("{}: run {}: {}", directory_.string(), run, done.error().what()));
  });
}

std::vector<std::string> ResultStore::domains() const {
  Statement rows =
      database_.prepare("SELECT DISTINCT domain FROM meters WHERE counted <> 'channel'");
  std::vector<std::string> found;
  while (rows.step()) found.emplace_back(rows.text(0));
  return found;
}

void ResultStore::decide(const std::string& run, bool excluded, const std::string& reason) {
  take_in();  // a run that is finished can be decided on
  const auto number = number_of(database_, run);
  if (!number) throw no_such_run(directory_, database_, run);
  insert_exclusion(*number, excluded, reason);
}

void ResultStore::insert_exclusion(std::int64_t run, bool excluded, const std::string& reason) {
  Statement row = database_.prepare(
      "INSERT INTO exclusions (run, excluded, reason, who, at) VALUES (?, ?, ?, ?, ?)");
  row.bind(0, run);
  row.bind(1, std::int64_t{excluded});
  row.bind(2, std::string_view(reason));
  row.bind(3, std::string_view(user_name()));
  row.bind(4, std::string_view(utc_now()));
  row.run();
}

void ResultStore::exclude(const std::string& run, const std::string& reason) {
  if (trimmed(reason).empty())
    throw Error(fmt::format("excluding run {} needs a reason", run), "Give the reason with --why.");
  decide(run, true, reason);
}

void ResultStore::include(const std::string& run, const std::string& reason) {
  decide(run, false, reason);
}

}  // namespace prengdl
