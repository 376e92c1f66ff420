// SPDX-License-Identifier: Apache-2.0
#include "print/shown_names.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "print/words.h"

namespace prengdl {
namespace {

constexpr std::size_t longest_name = 60;  // characters

/// Changes every level in what is handed to it.
class Renamer {
 public:
  explicit Renamer(const ShownNames& names) : names_(names) {}

  void operator()(std::string& level) const { level = names_(level); }
  void operator()(std::optional<std::string>& level) const {
    if (level) (*this)(*level);
  }
  void operator()(CellPattern& cell) const {
    for (auto& [factor, level] : cell) (*this)(level);
  }
  template <class Levels>
  void each(Levels& levels) const {
    for (auto& level : levels) (*this)(level);
  }

  void operator()(Findings& findings) const {
    each(findings.levels);
    for (auto& one : findings.comparisons) {
      (*this)(one.cell);
      each(one.pair);
      for (auto& level : one.levels) (*this)(level.level);
      (*this)(one.winner);
    }
    for (auto& group : findings.groups) each(group.pair);
    for (auto& failures : findings.failures) each(failures.cell);
  }

  void operator()(Standings& standings) const {
    for (auto& level : standings.levels) (*this)(level.level);
    for (auto& one : standings.cases) {
      (*this)(one.cell);
      (*this)(one.least);
      each(one.not_shown_to_cost_more);
    }
  }

  /// Cases that have levels and pairs.
  template <class Case>
  void of_case(Case& one) const {
    (*this)(one.cell);
    for (auto& level : one.levels) (*this)(level.level);
    for (auto& pair : one.pairs) each(pair.pair);
  }

  void operator()(Lifecycle& life) const {
    for (auto& phase : life.plan.phases) (*this)(phase.level);
    for (auto& one : life.cases) {
      of_case(one);
      for (auto& pair : one.pairs) {
        (*this)(pair.less_before);
        (*this)(pair.less_after);
      }
    }
  }

  void operator()(EnergyTime& relation) const {
    for (auto& one : relation.within) {
      (*this)(one.cell);
      (*this)(one.level);
    }
    for (auto& one : relation.across) {
      (*this)(one.fixed);
      (*this)(one.level);
    }
  }

  void operator()(FactorialView& view) const {
    for (auto& factor : view.factors)
      for (auto& level : factor.levels) (*this)(level.level);
    for (auto& cell : view.short_cells) each(cell.cell);
  }

 private:
  const ShownNames& names_;
};

/// Names are replaced by their text alone, so a level that two factors share keeps its own.
bool is_level_of_another(const Study& study, const std::string& factor, const std::string& level) {
  return std::any_of(study.factors.begin(), study.factors.end(), [&](const Factor& other) {
    return other.name != factor &&
           std::find(other.levels.begin(), other.levels.end(), level) != other.levels.end();
  });
}

}  // namespace

void ShownNames::add(const std::string& full, std::string shown) {
  if (shown == full) return;
  const auto place = std::find_if(shown_.begin(), shown_.end(),
                                  [&](const auto& one) { return one.first.size() < full.size(); });
  shown_.emplace(place, full, std::move(shown));
}

ShownNames ShownNames::of_study(const Study& study) {
  ShownNames names;
  if (const auto index = factor_index(study, "command")) {
    const auto& levels = study.factors[*index].levels;
    // A name that the user gave may contain a slash, but hardly begins with one.
    if (std::any_of(levels.begin(), levels.end(),
                    [](const std::string& level) { return level.starts_with('/'); })) {
      const auto shorter = short_commands(levels);
      for (std::size_t i = 0; i < levels.size(); ++i) names.add(levels[i], shorter[i]);
    }
    return names;
  }
  for (const auto& factor : study.factors) {
    if (factor.name != study.analysis.compare) continue;
    for (const auto& level : factor.levels)
      if (!is_level_of_another(study, factor.name, level))
        names.add(level, level_name(factor.name, level));
  }
  return names;
}

ShownNames ShownNames::of_long(const std::vector<std::string>& all) {
  ShownNames names;
  for (const auto& full : all) {
    const std::string first = shortened(full, longest_name);
    if (first == full || names(full) != full) continue;
    std::string name = first;
    const auto is_taken = [&] {
      return std::any_of(names.shown_.begin(), names.shown_.end(),
                         [&](const auto& one) { return one.second == name; });
    };
    for (std::size_t i = 2; is_taken(); ++i) name = fmt::format("{} ({})", first, i);
    names.add(full, name);
  }
  return names;
}

std::string ShownNames::operator()(const std::string& full) const {
  for (const auto& [known, shown] : shown_)
    if (known == full) return shown;
  return full;
}

std::string ShownNames::within(std::string text) const {
  for (const auto& [full, shown] : shown_)
    for (auto at = text.find(full); at != std::string::npos; at = text.find(full, at)) {
      text.replace(at, full.size(), shown);
      at += shown.size();
    }
  return text;
}

std::vector<std::string> level_names(const Study& study) {
  std::vector<std::string> names;
  for (const auto& factor : study.factors)
    names.insert(names.end(), factor.levels.begin(), factor.levels.end());
  return names;
}

Findings as_shown(Findings findings, const ShownNames& names) {
  Renamer{names}(findings);
  return findings;
}

Analysis as_shown(Analysis analysis, const ShownNames& names) {
  if (names.empty()) return analysis;
  const Renamer rename(names);
  rename.each(analysis.levels);
  for (auto& one_case : analysis.cases) rename(one_case.cell);
  if (analysis.findings.value) rename(*analysis.findings.value);
  rename(analysis.standings);
  if (analysis.scores.value)
    for (auto& one : analysis.scores.value->cases) rename.of_case(one);
  for (auto& costs : analysis.costs_to_score)
    for (auto& one : costs.cases) rename.of_case(one);
  if (analysis.lifecycle.value) rename(*analysis.lifecycle.value);
  if (analysis.factorial.value)
    for (auto& view : *analysis.factorial.value) rename(view);
  if (analysis.energy_time.value) rename(*analysis.energy_time.value);
  if (analysis.emissions)
    for (auto& one : analysis.emissions->cases) {
      rename(one.cell);
      for (auto& level : one.levels) rename(level.level);
    }
  if (analysis.bounds)
    for (auto& one : analysis.bounds->comparisons) {
      rename(one.cell);
      rename.each(one.pair);
    }
  return analysis;
}

}  // namespace prengdl
