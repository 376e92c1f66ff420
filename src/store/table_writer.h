// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

enum class ExportFormat { csv, json };

/// Writes a table row by row to a stream: CSV as in RFC 4180 with a line of names, or JSON, one
/// object a row. A cell without a value is empty in CSV and has no key in JSON. A text that a
/// spreadsheet would run as a command gets an apostrophe in front in CSV.
class TableWriter {
 public:
  /// `table` is the name of the table, for JSON.
  TableWriter(std::ostream& out, ExportFormat format, std::string_view table,
              std::vector<std::string> columns);

  // The cells of a row from left to right; the row ends with the last column.
  void add(std::string_view text);
  void add(const char* text) { add(std::string_view(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(double number);
  void add(std::int64_t number);
  void add(std::uint64_t number);
  void add_flag(bool flag);
  void add_nothing();
  template <class T>
  void add(const std::optional<T>& value) {
    if (value)
      add(*value);
    else
      add_nothing();
  }

  /// Ends the table. Throws when the stream did not take everything.
  void finish();

 private:
  void begin_cell(bool has_value);
  void end_cell();
  void put(std::string_view text) { buffer_ += text; }
  void flush();

  std::ostream& out_;
  ExportFormat format_;
  std::vector<std::string> columns_;
  std::vector<std::string> keys_;  // of JSON, with colon
  std::size_t column_ = 0;
  bool is_first_row_ = true;
  bool is_first_key_ = true;
  std::string buffer_;
};

}  // namespace prengdl
