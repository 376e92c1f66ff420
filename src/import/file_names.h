// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"

namespace prengdl {

/// Levels and the number of a run from the name of its file: "{model}_{framework}_{run}.txt". A
/// name in braces stands for a factor, {run} for a number, {} for anything; none of them for a '/'.
/// Where several readings fit, earlier names take as much as they can.
class FileNames {
 public:
  /// An empty pattern: the factor `series` is the name without the number at its end and without
  /// what follows the last dot. Throws a UsageError for a pattern that means nothing.
  explicit FileNames(const std::string& pattern);

  const std::vector<std::string>& factors() const { return factors_; }

  /// False when the name does not fit. A pattern with a '/' is tested against the path below what
  /// the user named, one without against the file's own name.
  bool read(std::string_view relative, ImportedRun& run) const;

 private:
  struct Part {
    bool is_name = false;
    std::string text;
  };
  bool match(std::string_view text, std::vector<std::string_view>& values) const;

  std::vector<Part> parts_;
  std::vector<std::string> factors_;
  bool has_folders_ = false;
};

/// Throws a UsageError for a name that a factor cannot have (docs/reference/study-file.md).
void check_factor_name(const std::string& name);

}  // namespace prengdl
