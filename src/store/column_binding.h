// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/escaping.h"
#include "base/strings.h"
#include "base/units.h"
#include "store/database.h"
#include "store/fields.h"
#include "store/stored_words.h"

namespace prengdl {

// Visitors of fields.h for rows of SQL: the names of the columns, and their values in both
// directions. A number that is none (NaN) is NULL, as SQLite has it; lists of words are one text
// with spaces; unsigned numbers of 64 bits keep their bits.

/// Gathers "id, name, unit".
class ColumnNames {
 public:
  template <class T>
  void operator()(const char* name, const T&) {
    if (count_++ > 0) names_ += ", ";
    names_ += name;
  }
  const std::string& text() const { return names_; }
  int count() const { return count_; }

 private:
  std::string names_;
  int count_ = 0;
};

/// The columns of a type whose fields are all columns.
template <class T>
ColumnNames columns_of() {
  ColumnNames names;
  const T any{};
  fields(names, any);
  return names;
}

/// The columns of the table `runs`.
inline ColumnNames columns_of_runs() {
  ColumnNames names;
  const StoredRun any{};
  figures(names, any);
  return names;
}

/// Binds fields to the parameters of a statement, one after the other.
class BindRow {
 public:
  BindRow(Statement& statement, int first) : statement_(statement), next_(first) {}

  template <class T>
  void operator()(const char*, const T& value) {
    bind(value);
    ++next_;
  }

 private:
  void bind(const std::string& value) { statement_.bind(next_, std::string_view(value)); }
  void bind(double value) { statement_.bind(next_, value); }
  void bind(std::integral auto value) { statement_.bind(next_, static_cast<std::int64_t>(value)); }
  void bind(Seconds value) { bind(value.count()); }
  template <class Unit>
  void bind(Quantity<Unit> value) {
    bind(value.value);
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void bind(Enum value) {
    statement_.bind(next_, stored_name(value));
  }
  void bind(const Flags& flags) { bind(names_of(flags)); }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value)
      bind(*value);
    else
      statement_.bind(next_, nullptr);
  }

  Statement& statement_;
  int next_;
};

/// Fills fields from the columns of a row, one after the other.
class ReadRow {
 public:
  ReadRow(const Statement& statement, int first) : statement_(statement), next_(first) {}

  template <class T>
  void operator()(const char* name, T& value) {
    read(name, value);
    ++next_;
  }

 private:
  void read(const char*, std::string& value) { value = statement_.text(next_); }
  void read(const char*, double& value) {
    value = statement_.is_null(next_) ? std::numeric_limits<double>::quiet_NaN()
                                      : statement_.real(next_);
  }
  template <std::integral Number>
  void read(const char*, Number& value) {
    value = static_cast<Number>(statement_.integer(next_));
  }
  void read(const char* name, Seconds& value) {
    double seconds{};
    read(name, seconds);
    value = Seconds{seconds};
  }
  template <class Unit>
  void read(const char* name, Quantity<Unit>& value) {
    read(name, value.value);
  }
  template <class Enum>
    requires std::is_enum_v<Enum>
  void read(const char* name, Enum& value) {
    value = known_value<Enum>(name, statement_.text(next_));
  }
  template <class Enum>
  static Enum known_value(const char* name, std::string_view text) {
    const auto known = stored_value<Enum>(text);
    if (!known)
      throw Error(fmt::format("the result has a word in {} that this prengdl does not know: '{}'",
                              name, printable(text)),
                  "update prengdl");
    return *known;
  }
  void read(const char* name, Flags& flags) {
    flags.clear();
    for (const auto word : words(statement_.text(next_)))
      flags.insert(known_value<Flag>(name, word));
  }
  template <class T>
  void read(const char* name, std::optional<T>& value) {
    value.reset();
    if (!statement_.is_null(next_)) read(name, value.emplace());
  }

  const Statement& statement_;
  int next_;
};

/// "?, ?, ?"
inline std::string parameters(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += i == 0 ? "?" : ", ?";
  return text;
}

}  // namespace prengdl
