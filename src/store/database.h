// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace prengdl {

// A thin layer over SQLite for this folder. Every failure throws an Error with the file's name and
// SQLite's words. One thread at a time.

/// What breaks a rule of the tables: it can never be stored as it is, others can.
struct Refused : Error {
  using Error::Error;
};

/// A prepared statement. Parameters and columns count from 0; what it points at in a row (texts and
/// blobs) lives until the next step.
class Statement {
 public:
  void bind(int parameter, std::nullptr_t);
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text);
  /// The bytes must live until the statement is reset.
  void bind(int parameter, std::span<const std::byte> blob);

  /// Goes to the next row; false when there is none.
  bool step();
  /// Runs a statement that gives no rows, and makes it ready for the next.
  void run();
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement, finalize) {}
  static void finalize(sqlite3_stmt* statement);
  void check(int code) const;

  std::unique_ptr<sqlite3_stmt, void (*)(sqlite3_stmt*)> statement_;
};

class Database {
 public:
  enum class Mode {
    read_only,   // sees what other processes commit
    immutable,   // the file alone, without locks and log: for places that cannot be written
    read_write,  // an existing file
    create,
  };

  /// Opens the file and reads its head, so that what cannot be read is known at once.
  static Result<Database> open(const std::filesystem::path& path, Mode mode);

  Statement prepare(std::string_view sql) const;
  /// Statements without parameters, whose rows, if any, are not wanted.
  void run(const std::string& sql) const;
  /// The first column of the first row; 0 and "" where there is none.
  std::int64_t integer(std::string_view sql) const;
  std::string text(std::string_view sql) const;

  std::int64_t last_row() const;
  bool in_transaction() const;

 private:
  explicit Database(sqlite3* handle) : handle_(handle, close) {}
  static void close(sqlite3* handle);

  std::unique_ptr<sqlite3, void (*)(sqlite3*)> handle_;
};

/// A transaction that is rolled back unless it is committed.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool is_open_ = true;
};

/// As long as it lives all reads see the same state, whatever another process writes.
class Snapshot {
 public:
  explicit Snapshot(const Database& database);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  const Database* database_ = nullptr;  // nothing to end inside a transaction
};

}  // namespace prengdl
