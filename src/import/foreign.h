// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace prengdl {

// Files of other programs are hostile until they are parsed: everything that is read from them is
// bounded, and what is wrong is reported with file, line and column.

constexpr std::size_t largest_foreign_file = 256u << 20;
constexpr std::size_t longest_foreign_line = 1u << 20;
constexpr std::size_t most_foreign_files = 100'000;

/// A file of somebody else: what it is called in messages, and its text without a byte order mark.
struct ForeignText {
  std::string name;
  std::string text;
};

/// Reads a regular file whole. Throws an Error when it is none, or larger than `most` bytes.
ForeignText read_foreign(const std::filesystem::path& path,
                         std::size_t most = largest_foreign_file);

/// "FILE:LINE:COLUMN: what"; lines and columns (bytes) count from 1.
Error foreign_error(const std::string& file, std::size_t line, std::size_t column,
                    const std::string& what, const std::string& hint = {});

/// The lines of a foreign text, without their ends. A line that is too long or holds a NUL is
/// refused. The text must outlive the reader.
class ForeignLines {
 public:
  explicit ForeignLines(const ForeignText& source) : source_(source) {}

  /// False at the end.
  bool next();

  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }
  /// The last line has no end: its writer may have been stopped in the middle.
  bool is_unfinished() const { return is_unfinished_; }

  /// An Error at a part of the current line.
  Error error(std::string_view part, const std::string& what, const std::string& hint = {}) const;

 private:
  const ForeignText& source_;
  std::size_t begin_ = 0;  // of the next line
  std::string_view line_;
  std::size_t number_ = 0;
  bool is_unfinished_ = false;
};

/// A number as people's programs print it: "5632.91", "1,234,567.89", and "1.234.567,89" where a
/// comma is the decimal sign. A lone comma before three digits separates thousands.
std::optional<double> printed_number(std::string_view text);

/// A file below a directory, or the one that was named.
struct ForeignFile {
  std::filesystem::path path;
  std::string relative;  // to what was named, with '/'
};

/// The regular files at or below each path in natural order, without following links to
/// directories. Throws when a path is missing, or when there are more than most_foreign_files.
std::vector<ForeignFile> foreign_files(const std::vector<std::filesystem::path>& paths);

/// "2023/05/08 01:48:12.942" or "2023-05-08T01:48:12Z": nanoseconds since 1970 by the clock that
/// wrote it; a zone other than Z is not understood.
std::optional<std::int64_t> parse_stamp(std::string_view text);

/// A moment in UTC or, without a zone, by the clock that wrote it.
struct Moment {
  std::int64_t at_ns = 0;  // since 1970
  bool has_zone = false;
};

/// "2023-05-08T01:48:12.942+02:00", also with a space for the T, without seconds or without a zone;
/// or Unix time in seconds, which may have a fraction (kept to a microsecond).
std::optional<Moment> parse_moment(std::string_view text);

/// The same moment as "2023-05-08T01:48:12.942".
std::string stamp_text(std::int64_t at_ns);

}  // namespace prengdl
