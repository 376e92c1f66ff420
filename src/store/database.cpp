// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/escaping.h"
#include "base/files.h"
#include "base/own_files.h"
#include "base/strings.h"

namespace prengdl {
namespace {

constexpr int longest_wait_ms = 10'000;

/// A path as a URI: SQLite's own options stand behind the question mark.
std::string uri_of(const std::filesystem::path& path, std::string_view options) {
  const auto stays = [](char c) { return c != '%' && c != '?' && c != '#'; };
  return fmt::format("file:{}?{}", percent_encoded(std::filesystem::absolute(path).string(), stays),
                     options);
}

std::string advice_for(int code, int error_number) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return write_advice(ENOSPC);
    case SQLITE_READONLY:
      return write_advice(EROFS);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "restore it from a copy; `sqlite3 FILE .recover` recovers what is left";
    case SQLITE_BUSY:
      return "Try again when the other process has finished.";
    default:
      return write_advice(error_number);
  }
}

Error error_of(sqlite3* handle, const std::string& file) {
  const int code = sqlite3_extended_errcode(handle);
  const int number = sqlite3_system_errno(handle);
  std::string words = sqlite3_errmsg(handle);
  const int primary = code & 0xFF;
  if (number != 0 && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN))
    words += ": " + error_text(number);
  return Error(fmt::format("{}: {}", file, words), advice_for(code, number));
}

[[noreturn]] void fail(sqlite3* handle) {
  const char* const name = sqlite3_db_filename(handle, "main");
  const Error error = error_of(handle, name ? name : "the database");
  const int primary = sqlite3_errcode(handle) & 0xFF;
  if (primary == SQLITE_CONSTRAINT || primary == SQLITE_MISMATCH || primary == SQLITE_TOOBIG)
    throw Refused(error.what(), error.hint);
  throw error;
}

}  // namespace

void Statement::finalize(sqlite3_stmt* statement) { sqlite3_finalize(statement); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()));
}

void Statement::bind(int parameter, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), parameter + 1));
}
void Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter + 1, value));
}
void Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), parameter + 1, value));
}
void Statement::bind(int parameter, std::string_view text) {
  // An empty view may point nowhere, which SQLite would take for NULL.
  check(sqlite3_bind_text64(statement_.get(), parameter + 1, text.empty() ? "" : text.data(),
                            text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}
void Statement::bind(int parameter, std::span<const std::byte> blob) {
  check(sqlite3_bind_blob64(statement_.get(), parameter + 1,
                            blob.empty() ? "" : static_cast<const void*>(blob.data()), blob.size(),
                            SQLITE_STATIC));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(sqlite3_db_handle(statement_.get()));
}

void Statement::run() {
  while (step()) continue;
  reset();
}

// What went wrong was thrown by step.
void Statement::reset() { sqlite3_reset(statement_.get()); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
std::string_view Statement::text(int column) const {
  const auto* const text = sqlite3_column_text(statement_.get(), column);
  if (!text) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
std::span<const std::byte> Statement::blob(int column) const {
  const auto* const data = sqlite3_column_blob(statement_.get(), column);
  if (!data) return {};
  return {static_cast<const std::byte*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Database::close(sqlite3* handle) { sqlite3_close_v2(handle); }

Result<Database> Database::open(const std::filesystem::path& path, Mode mode) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))  // a pipe would be waited for
    return failure("cannot open " + path.string() + ": it is not a regular file", "move it away");
  // SQLite takes a link anywhere in the path for one to the file: those above are the user's own.
  std::error_code trouble;
  const auto directory = std::filesystem::canonical(
      path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), trouble);
  const auto file = trouble ? path : directory / path.filename();
  const std::string uri = uri_of(file, mode == Mode::immutable ? "immutable=1" : "");
  // Nothing is written next to a file that is immutable, so that one may be a link.
  const int flags = SQLITE_OPEN_URI | (mode == Mode::immutable ? 0 : SQLITE_OPEN_NOFOLLOW) |
                    (mode == Mode::create       ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                     : mode == Mode::read_write ? SQLITE_OPEN_READWRITE
                                                : SQLITE_OPEN_READONLY);
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
  if (!handle) return failure("SQLite has no memory to open " + path.string());
  Database database(handle);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, longest_wait_ms);
  // The file is not touched before something of it is read.
  if (code == SQLITE_OK)
    code = sqlite3_exec(handle, "PRAGMA trusted_schema = OFF; PRAGMA user_version", nullptr,
                        nullptr, nullptr);
  if (code == SQLITE_OK) return database;
  return tl::unexpected(error_of(handle, path.string()));
}

Statement Database::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                         nullptr) != SQLITE_OK)
    fail(handle_.get());
  return Statement(statement);
}

void Database::run(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(handle_.get());
}

std::int64_t Database::integer(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? std::string(statement.text(0)) : "";
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

// IMMEDIATE: a writer waits for its turn at the beginning, not in the middle.
Transaction::Transaction(const Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

void Transaction::commit() {
  database_.run("COMMIT");
  is_open_ = false;
}

Transaction::~Transaction() {
  // After some errors, such as a full disk, SQLite has rolled back by itself.
  if (!is_open_ || !database_.in_transaction()) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {
    // The next opening rolls back: nothing was committed.
  }
}

Snapshot::Snapshot(const Database& database) {
  if (database.in_transaction()) return;
  database.run("BEGIN");
  database_ = &database;
}

Snapshot::~Snapshot() {
  if (!database_ || !database_->in_transaction()) return;
  try {
    database_->run("ROLLBACK");
  } catch (const Error&) {
    // A read changes nothing that would have to be taken back.
  }
}

}  // namespace prengdl
