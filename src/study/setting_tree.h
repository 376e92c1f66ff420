// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

/// Where something stands in a study file. Lines and columns count from 1, columns in characters.
struct Place {
  std::shared_ptr<const std::string> file;
  std::size_t line = 1;
  std::size_t column = 1;

  friend bool operator==(const Place& a, const Place& b) {
    return *a.file == *b.file && a.line == b.line && a.column == b.column;
  }
};

/// A value of a study file, with the place that messages name. Plain data, so that one file alone
/// pays for the headers of the TOML library.
struct StudyNode {
  enum class Kind { text, integer, number, boolean, date, list, table };

  Kind kind = Kind::table;
  Place place;
  std::string key;  // in a table; empty in a list
  Place key_place;
  std::string text;  // of any scalar: numbers as Python prints them, true, false
  std::int64_t integer = 0;
  double number = 0;  // of an integer too
  bool boolean = false;
  std::vector<StudyNode> inside;  // of a list or a table, in the order of the file

  bool is_table() const { return kind == Kind::table; }
  bool is_list() const { return kind == Kind::list; }
  bool is_scalar() const { return !is_table() && !is_list() && kind != Kind::date; }

  /// The value of a key; null when there is none or this is no table.
  const StudyNode* find(std::string_view name) const;
  StudyNode* find(std::string_view name);
};

/// Calls `use` with every text in a value, however deep.
void each_text(const StudyNode& node, const std::function<void(const StudyNode&)>& use);

/// "a whole number", "a table": for messages.
std::string_view kind_name(StudyNode::Kind kind);

/// `over` laid on `base`: tables are merged key by key, [[exclude]] and [[override]] are added to
/// those that are there, anything else is replaced, and so is a table called environment.
void merge(StudyNode& base, const StudyNode& over);

/// The tree as a TOML document that reads back as the same tree.
std::string toml_text(const StudyNode& tree);

/// What is wrong in a study file. Collected, so that a user can mend several mistakes at once.
class Problems {
 public:
  /// A problem that is there already, or another one at the same place, is not reported twice.
  void add(const Place& place, std::string what, std::string hint = {});

  bool empty() const { return found_.empty(); }
  bool full() const;  // further ones would not be kept

  /// Throws a UsageError that lists the first ten, one per line as FILE:LINE:COLUMN: what; does
  /// nothing when there are none.
  void refuse() const;

 private:
  struct Problem {
    Place place;
    std::string what;
    std::string hint;
  };
  std::vector<Problem> found_;
};

}  // namespace prengdl
