// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/amounts.h"
#include "base/own_files.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "store/result.h"
#include "store/schema.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr const char* database_name = "study.db";
constexpr const char* study_name = "study.toml";

Error not_finished(const fs::path& directory) {
  return Error(
      fmt::format("{} contains no study: its creation was interrupted", directory.string()),
      "Start `prengdl run` again with this directory.");
}

Database opened(Result<Database> database) {
  if (!database) throw database.error();
  return std::move(*database);
}

/// Reads along with a writer where that is possible. On a read-only file system there is no log to
/// share, and the file alone is the whole truth, unless a log was left next to it.
Database open_for_reading_only(const fs::path& directory) {
  const auto path = directory / database_name;
  auto database = Database::open(path, Database::Mode::read_only);
  if (database) return std::move(*database);
  std::error_code ignored;
  fs::path log = path;
  log += "-wal";
  if (const auto size = fs::file_size(log, ignored); !ignored && size > 0)
    throw Error(fmt::format("{}; the runs in {} can only be read if it is writable",
                            database.error().what(), log.filename().string()),
                "Copy the directory to a place where you can write, and use the copy.");
  auto alone = Database::open(path, Database::Mode::immutable);
  if (!alone) throw database.error();
  return std::move(*alone);
}

/// Every commit waits until it is on the disk, unless the caller syncs; a log that grew large is
/// cut after its content is in the database.
void set_up_for_writing(const Database& database, Durability durability = Durability::durable) {
  database.run(durability == Durability::durable ? "PRAGMA synchronous = FULL"
                                                 : "PRAGMA synchronous = OFF");
  database.run("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 4194304");
}

void insert_study(const Database& database, const StudyRecord& study) {
  Statement row = database.prepare(
      "INSERT INTO study (only, name, text, preset, planned_runs, blocks, seed, prengdl_version,"
      " created_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)");
  row.bind(0, std::string_view(study.name));
  row.bind(1, std::string_view(study.text));
  row.bind(2, std::string_view(study.preset));
  row.bind(3, static_cast<std::int64_t>(study.planned_runs));
  row.bind(4, static_cast<std::int64_t>(study.blocks));
  row.bind(5, static_cast<std::int64_t>(study.seed));
  row.bind(6, std::string_view(study.prengdl_version));
  row.bind(7, std::string_view(study.created_at));
  row.run();
  Statement factors = database.prepare("INSERT INTO factors (place, name) VALUES (?, ?)");
  Statement levels = database.prepare("INSERT INTO levels (factor, place, name) VALUES (?, ?, ?)");
  for (std::size_t i = 0; i < study.factors.size(); ++i) {
    const Factor& factor = study.factors[i];
    factors.bind(0, static_cast<std::int64_t>(i));
    factors.bind(1, std::string_view(factor.name));
    factors.run();
    for (std::size_t j = 0; j < factor.levels.size(); ++j) {
      levels.bind(0, std::string_view(factor.name));
      levels.bind(1, static_cast<std::int64_t>(j));
      levels.bind(2, std::string_view(factor.levels[j]));
      levels.run();
    }
  }
  Statement locks = database.prepare("INSERT INTO locks (environment, text) VALUES (?, ?)");
  for (const auto& [environment, text] : study.locks) {
    locks.bind(0, std::string_view(environment));
    locks.bind(1, std::string_view(text));
    locks.run();
  }
}

/// With the time at which the result was made, which is before its first run.
void insert_registration(const Database& database, const StudyRecord& study) {
  if (study.registered.empty()) return;
  Statement row =
      database.prepare("INSERT INTO registration (only, sha256, at, text) VALUES (1, ?, ?, ?)");
  row.bind(0, std::string_view(sha256_of(study.registered)));
  row.bind(1, std::string_view(study.created_at));
  row.bind(2, std::string_view(study.registered));
  row.run();
}

/// What identifies a file among all others on this machine; nothing if it is missing.
std::optional<std::pair<dev_t, ino_t>> number_of_file(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

/// Somebody's own study.toml is never written over: the result may lie next to it.
void keep_study_text(const fs::path& directory, const std::string& text, Durability durability) {
  const auto path = directory / study_name;
  if (const auto found = read_optional(path); found && trimmed(*found) != trimmed(text))
    throw Error(fmt::format("{} already exists and is not the study to run", path.string()),
                "use another directory for the result");
  replace_file(path, text, durability);
}

}  // namespace

ResultStore::ResultStore(fs::path directory, std::optional<ResultLock> lock, Database database)
    : directory_(std::move(directory)),
      lock_(std::move(lock)),
      database_file_(number_of_file(directory_ / database_name)),
      database_(std::move(database)) {}

void ResultStore::check_directory() const {
  if (lock_ && !lock_->has_directory())
    throw Error(fmt::format("{} was removed or replaced while it was in use: the runs in it are "
                            "gone, and the run that just ended was not stored",
                            directory_.string()),
                "Start again, and leave the result directory in place until the end.");
}

void ResultStore::check_is_there() const {
  if (!lock_) return;
  check_directory();
  if (number_of_file(directory_ / database_name) != database_file_)
    throw Error(fmt::format("{} was removed or replaced while it was in use: the runs in it are "
                            "gone; {} that ended after that are kept in {}",
                            (directory_ / database_name).string(),
                            counted(finished_records(records()).size(), "run"), records().string()),
                "Start the same command again: it keeps those and repeats the others.");
  if (!lock_->has_file())
    throw Error(fmt::format("{} was removed or replaced while it was in use: another prengdl "
                            "could write there too; the runs so far were stored",
                            (directory_ / "lock").string()),
                "Start the same command again to continue.");
}

bool ResultStore::exists(const fs::path& directory) {
  if (!is_there(directory / database_name)) return false;
  const Database database = open_for_reading_only(directory);
  return database.integer("SELECT count(*) FROM sqlite_master") > 0;
}

ResultStore ResultStore::create(const fs::path& directory, const StudyRecord& study,
                                Durability durability) {
  make_directory(directory);
  check_directory_owner(directory);
  ResultLock lock(directory);
  if (exists(directory))
    throw Error(fmt::format("{} already contains a study", directory.string()),
                "use another directory, or continue with that one");
  keep_study_text(directory, study.text, durability);
  make_own_directory(directory, "records");
  make_own_directory(directory, "logs");
  if (durability == Durability::durable) sync_directory(directory);
  Database database = opened(Database::open(directory / database_name, Database::Mode::create));
  set_up_for_writing(database, durability);
  Transaction transaction(database);
  migrate(database);
  insert_study(database, study);
  insert_registration(database, study);
  transaction.commit();
  database.run("PRAGMA foreign_keys = ON");
  return {directory, std::move(lock), std::move(database)};
}

ResultStore ResultStore::open(const fs::path& directory, Access access) {
  if (std::error_code none; !is_there(directory) || !fs::is_directory(directory, none))
    throw Error(fmt::format("there is no directory {}", directory.string()),
                "Name a directory that `prengdl run` or `prengdl measure -o` created.");
  if (!is_there(directory / database_name))
    throw Error(
        fmt::format("{} contains no result: {} is missing", directory.string(), database_name),
        "Name a directory that `prengdl run` or `prengdl measure -o` created.");
  return access == Access::read_write ? open_to_write(directory) : open_to_read(directory);
}

ResultStore ResultStore::open_to_write(const fs::path& directory) {
  check_directory_owner(directory);
  ResultLock lock(directory);
  make_own_directory(directory, "records");
  Database database = opened(Database::open(directory / database_name, Database::Mode::read_write));
  const int version = version_of(database, directory);
  if (version == 0) throw not_finished(directory);
  set_up_for_writing(database);
  if (version < schema_version) {
    Transaction transaction(database);
    migrate(database);
    transaction.commit();
  }
  database.run("PRAGMA foreign_keys = ON");
  ResultStore store(directory, std::move(lock), std::move(database));
  remove_dead_parts(store.records());
  store.take_in();
  return store;
}

ResultStore ResultStore::open_to_read(const fs::path& directory) {
  std::optional<Database> database = open_for_reading_only(directory);
  int version = version_of(*database, directory);
  if (version == 0) throw not_finished(directory);
  if (version < schema_version) {
    // Older tables are never read: opening the result brings them up to date.
    database.reset();
    try {
      open_to_write(directory);
    } catch (const Error& error) {
      throw Error(
          fmt::format("{} was written by an older prengdl (schema {}, this one reads {}) and "
                      "cannot be upgraded: {}",
                      directory.string(), version, schema_version, error.what()),
          "Copy the directory to a place where you can write, and use the copy.");
    }
    database = open_for_reading_only(directory);
  }
  return {directory, std::nullopt, std::move(*database)};
}

StudyRecord ResultStore::study() const {
  const Snapshot snapshot(database_);
  StudyRecord study;
  Statement row = database_.prepare(
      "SELECT name, text, preset, planned_runs, blocks, seed, prengdl_version, created_at"
      " FROM study");
  if (!row.step()) throw not_finished(directory_);
  study.name = row.text(0);
  study.text = row.text(1);
  study.preset = row.text(2);
  study.planned_runs = static_cast<std::size_t>(row.integer(3));
  study.blocks = static_cast<std::size_t>(row.integer(4));
  study.seed = static_cast<std::uint64_t>(row.integer(5));
  study.prengdl_version = row.text(6);
  study.created_at = row.text(7);
  for (const auto& name : factor_names(database_)) {
    Factor& factor = study.factors.emplace_back(Factor{name, {}});
    Statement levels = database_.prepare("SELECT name FROM levels WHERE factor = ? ORDER BY place");
    levels.bind(0, std::string_view(name));
    while (levels.step()) factor.levels.emplace_back(levels.text(0));
  }
  Statement locks = database_.prepare("SELECT environment, text FROM locks ORDER BY number");
  while (locks.step()) study.locks.emplace_back(locks.text(0), locks.text(1));
  study.registered = database_.text("SELECT text FROM registration");
  return study;
}

}  // namespace prengdl
