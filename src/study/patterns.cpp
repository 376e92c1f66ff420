// SPDX-License-Identifier: Apache-2.0
#include "study/patterns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggestions.h"
#include "study/sections.h"

namespace prengdl {
namespace {

constexpr std::size_t most_patterns = 100'000;

const Factor* factor_of(const std::string& name, const std::vector<Factor>& known) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Factor& factor) { return factor.name == name; });
  return found == known.end() ? nullptr : &*found;
}

const Factor* known_factor(const StudyNode& node, const std::vector<Factor>& known,
                           Problems& problems) {
  const Factor* factor = factor_of(node.key, known);
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const auto& each : known) names.push_back(each.name);
  if (!factor)
    problems.add(node.key_place, fmt::format("the study has no factor '{}'", node.key),
                 meant_or_known(node.key, names));
  return factor;
}

/// The levels that a value names: one or a list of them. Empty if something was wrong.
std::vector<std::string> levels_of(const StudyNode& node, const std::vector<Factor>& known,
                                   Problems& problems) {
  const Factor* factor = known_factor(node, known, problems);
  if (!factor) return {};
  if (node.is_list() && node.inside.empty())
    problems.add(node.place, fmt::format("'{}' names no level", node.key));
  std::vector<std::string> levels;
  bool is_right = true;
  const auto take = [&](const StudyNode& level) {
    const auto& names = factor->levels;
    levels.push_back(level.text);
    if (level.is_scalar() && std::find(names.begin(), names.end(), level.text) != names.end())
      return;
    is_right = false;
    if (level.is_scalar())
      problems.add(level.place,
                   fmt::format("factor '{}' has no level '{}'", factor->name, level.text),
                   meant_or_known(level.text, names));
    else
      problems.add(level.place, fmt::format("a level of '{}' must be text, not {}", factor->name,
                                            kind_name(level.kind)));
  };
  if (node.is_list())
    for (const auto& level : node.inside) take(level);
  else
    take(node);
  return is_right ? levels : std::vector<std::string>{};
}

/// All combinations of the levels that a table names.
std::vector<CellPattern> patterns_of(const StudyNode& table, const std::vector<Factor>& known,
                                     Problems& problems) {
  std::vector<CellPattern> patterns{{}};
  for (const auto& node : table.inside) {
    const auto levels = levels_of(node, known, problems);
    if (levels.size() * patterns.size() > most_patterns) {
      problems.add(node.place, "these lists have too many combinations",
                   "name fewer levels, or leave out a factor to mean all of its levels");
      return {};
    }
    std::vector<CellPattern> longer;
    for (const auto& pattern : patterns)
      for (const auto& level : levels) {
        longer.push_back(pattern);
        longer.back()[node.key] = level;
      }
    patterns = std::move(longer);
  }
  return patterns;
}

void read_override(const StudyNode& item, const std::vector<Factor>& known, Study& study,
                   Problems& problems) {
  const auto* where = item.find("where");
  if (!where || !where->is_table() || where->inside.empty()) {
    problems.add(
        where ? where->place : item.place, "an override needs a `where`",
        "write where = { factor = \"level\" }; put what applies everywhere into [workload]");
    return;
  }
  Override change;
  change.workload = read_workload(&item, problems);
  for (const auto& node : item.inside)
    if (node.key != "where") change.keys.insert(node.key);
  if (change.keys.empty())
    problems.add(item.place, "an override changes nothing", "give it a key of [workload]");
  for (auto& pattern : patterns_of(*where, known, problems)) {
    change.where = std::move(pattern);
    study.overrides.push_back(change);
  }
}

}  // namespace

void read_patterns(const StudyNode& tree, const std::vector<Factor>& known, Study& study,
                   Problems& problems) {
  if (const auto* list = tree.find("exclude"); list && list->is_list()) {
    for (const auto& item : list->inside) {
      if (item.inside.empty())
        problems.add(item.place, "an exclusion without a level leaves no cell",
                     "write factor = \"level\"");
      else
        for (auto& pattern : patterns_of(item, known, problems))
          study.exclusions.push_back(std::move(pattern));
    }
  }
  if (const auto* list = tree.find("override"); list && list->is_list())
    for (const auto& item : list->inside) read_override(item, known, study, problems);
}

void check_preset_factors(const StudyNode& preset, const std::vector<Factor>& known,
                          Problems& problems) {
  const auto* factors = preset.find("factors");
  if (!factors || !factors->is_table()) return;
  for (const auto& node : factors->inside) levels_of(node, known, problems);
}

}  // namespace prengdl
