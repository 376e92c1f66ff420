// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analyse.h"
#include "model/study.h"

namespace prengdl {

/// Levels under the names that people read: by full name the shorter one. Data, JSON and CSV keep
/// the full names.
class ShownNames {
 public:
  ShownNames() = default;

  /// Command lines, as `measure -o` stores them, without the directories of their programs as far
  /// as they stay different. Compared levels that are not words with their factor: "batch 32".
  static ShownNames of_study(const Study& study);

  /// Names that would fill a page are cut, and numbered where they would be the same.
  static ShownNames of_long(const std::vector<std::string>& names);

  bool empty() const { return shown_.empty(); }
  std::string operator()(const std::string& full) const;

  /// Every full name within a text, as in "a : b", becomes the shown one.
  std::string within(std::string text) const;

  /// Full and shown, the longest full name first.
  const std::vector<std::pair<std::string, std::string>>& all() const { return shown_; }

 private:
  void add(const std::string& full, std::string shown);

  std::vector<std::pair<std::string, std::string>> shown_;
};

/// All levels of all factors of a study.
std::vector<std::string> level_names(const Study& study);

/// The same analysis or findings under the names that people read, to be rendered as text.
Analysis as_shown(Analysis analysis, const ShownNames& names);
Findings as_shown(Findings findings, const ShownNames& names);

}  // namespace prengdl
