// SPDX-License-Identifier: Apache-2.0
#include "import/file_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {
namespace {

constexpr std::size_t most_parts = 64;
constexpr std::size_t longest_name = 1024;

/// Names that stand for something else in a study file or in an exported table.
constexpr std::array<std::string_view, 16> taken{
    "preset",  "seed",        "block",        "run",           "result",  "scratch",
    "data",    "order",       "exit_code",    "seconds",       "quality", "flags",
    "machine", "cpu_seconds", "user_seconds", "system_seconds"};

}  // namespace

void check_factor_name(const std::string& name) {
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    throw UsageError(fmt::format("a factor cannot be called '{}'", name),
                     "This word is reserved. Choose another one.");
  if (name.empty() || name.find_first_of("{}=") != std::string::npos || printable(name) != name)
    throw UsageError(fmt::format("a factor cannot be called '{}'", name),
                     "its name must not be empty nor have { } = or control characters in it");
}

FileNames::FileNames(const std::string& pattern)
    : has_folders_(pattern.find('/') != std::string::npos) {
  if (pattern.empty()) {
    factors_ = {"series"};
    return;
  }
  std::set<std::string> known;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto open = pattern.find('{', at);
    if (open > at) parts_.push_back({false, pattern.substr(at, open - at)});
    if (open == std::string::npos) break;
    const auto close = pattern.find('}', open);
    if (close == std::string::npos)
      throw UsageError(fmt::format("--names {}: a brace is not closed", pattern));
    const std::string name = pattern.substr(open + 1, close - open - 1);
    if (!parts_.empty() && parts_.back().is_name)
      throw UsageError(fmt::format("--names {}: there is nothing between two names", pattern),
                       "where would the first end?");
    if (!name.empty() && !known.insert(name).second)
      throw UsageError(fmt::format("--names {}: {{{}}} appears twice", pattern, name));
    if (!name.empty() && name != "run") {
      check_factor_name(name);
      factors_.push_back(name);
    }
    parts_.push_back({true, name});
    at = close + 1;
  }
  if (factors_.empty() || parts_.size() > most_parts)
    throw UsageError(fmt::format("--names {} names no factor, or too many", pattern),
                     "as in \"{model}_{framework}_{run}.txt\"");
}

/// Remembers from where the rest cannot be matched, so that no pattern takes long.
bool FileNames::match(std::string_view text, std::vector<std::string_view>& values) const {
  std::vector<bool> failed((parts_.size() + 1) * (text.size() + 1));
  const auto step = [&](const auto& self, std::size_t part, std::size_t at) -> bool {
    if (part == parts_.size()) return at == text.size();
    const std::size_t state = part * (text.size() + 1) + at;
    if (failed[state]) return false;
    const Part& one = parts_[part];
    if (!one.is_name) {
      if (text.substr(at).starts_with(one.text) && self(self, part + 1, at + one.text.size()))
        return true;
    } else {
      const auto slash = std::min(text.find('/', at), text.size());
      for (std::size_t end = slash; end > at; --end) {
        const auto value = text.substr(at, end - at);
        if (one.text == "run" && !std::all_of(value.begin(), value.end(), is_digit)) continue;
        values.push_back(value);
        if (self(self, part + 1, end)) return true;
        values.pop_back();
      }
    }
    failed[state] = true;
    return false;
  };
  return step(step, 0, 0);
}

bool FileNames::read(std::string_view relative, ImportedRun& run) const {
  const auto own = relative.substr(relative.rfind('/') + 1);
  if (relative.size() > longest_name) return false;
  if (parts_.empty()) {
    auto stem = own.substr(0, own.rfind('.') == 0 ? std::string_view::npos : own.rfind('.'));
    const auto digits = stem.find_last_not_of("0123456789") + 1;
    const auto number = parse_integer(stem.substr(digits));
    auto series = stem.substr(0, digits);
    while (!series.empty() &&
           std::string_view("_-. ").find(series.back()) != std::string_view::npos)
      series.remove_suffix(1);
    if (number && !series.empty()) {
      run.number = *number;
      stem = series;
    }
    run.levels["series"] = printable(stem);
    return true;
  }
  std::vector<std::string_view> values;
  if (!match(has_folders_ ? relative : own, values)) return false;
  std::size_t next = 0;
  for (const auto& part : parts_) {
    if (!part.is_name) continue;
    const auto value = values[next++];
    if (part.text == "run") {
      const auto number = parse_integer(value);
      if (!number) return false;
      run.number = *number;
    } else if (!part.text.empty()) {
      run.levels[part.text] = printable(value);
    }
  }
  return true;
}

}  // namespace prengdl
