// SPDX-License-Identifier: Apache-2.0
#include "print/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/parse.h"
#include "base/strings.h"
#include "conclude/score_difference.h"
#include "model/measure.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// A command line as the directories of its program, in the order of the path, and the rest, which
/// begins with the program's name.
struct Called {
  std::vector<std::string> directories;
  std::string rest;
};

Called called(const std::string& command) {
  const auto end = command.find(' ');
  const std::string program = command.substr(0, end);
  if (program.find_first_of("'\"\\=") != std::string::npos) return {{}, command};
  Called one;
  for (const auto part : split(program, '/')) one.directories.emplace_back(part);
  one.rest = one.directories.back() + (end == std::string::npos ? "" : command.substr(end));
  one.directories.pop_back();
  return one;
}

/// How many directories at the front all of them have in common.
std::size_t common_directories(const std::vector<const Called*>& group) {
  std::size_t common = group.front()->directories.size();
  for (const auto* one : group) {
    const auto& first = group.front()->directories;
    const auto end =
        std::mismatch(first.begin(), first.end(), one->directories.begin(), one->directories.end());
    common = std::min(common, static_cast<std::size_t>(end.first - first.begin()));
  }
  return common;
}

}  // namespace

std::string measure_title(const std::string& measure) { return title_of(measure); }

std::string cost_text(double value, const Comparison& of) {
  const std::string cost = figure_text(value, unit_of(of.measure));
  return of.per ? cost + "/" + singular(*of.per) : cost;
}

std::string less_words(const std::string& measure) {
  switch (kind_of(measure)) {
    case MeasureKind::time:
      return "took less";
    case MeasureKind::latency:
      return "lower";
    default:
      return "used less";
  }
}

std::string score_words(const Comparison& comparison) {
  if (!comparison.winner || !comparison.score) return "";
  switch (winners_score(comparison)) {
    case WinnersScore::equal:
      return "";
    case WinnersScore::higher:
      return ", at a better score";
    case WinnersScore::lower:
      return comparison.score->lower_is_better ? ", at a worse score" : ", at a lower score";
    case WinnersScore::unknown:
      return ", at a score not shown to be equal";
  }
  return "";
}

std::string verdict_text(const Comparison& comparison) {
  if (comparison.verdict != Verdict::less) return std::string(name_of(comparison.verdict));
  return comparison.winner.value_or("") + " " + less_words(comparison.measure) +
         (comparison.below_margin ? ", below the margin" : "") + score_words(comparison);
}

std::string level_name(const std::string& factor, const std::string& level) {
  const bool is_word = !level.empty() && std::isalpha(static_cast<unsigned char>(level[0]));
  return is_word ? level : factor + " " + level;
}

std::string case_name(const CellPattern& cell) {
  if (cell.empty()) return "all runs";
  return joined(cell, " ", [](const auto& one) { return level_name(one.first, one.second); });
}

std::string pair_name(const std::array<std::string, 2>& pair) { return pair[0] + " / " + pair[1]; }

Json case_json(const CellPattern& cell) {
  Json json = Json::object();
  for (const auto& [factor, level] : cell) json[factor] = level;
  return json;
}

std::string unit_of_measure(const std::string& measure) { return std::string(unit_of(measure)); }

std::string one_of(const std::optional<std::string>& work) {
  if (!work) return "run";
  return singular(*work);
}

std::string quality_caution(Quality quality) {
  if (quality == Quality::model) return "modelled, not measured";
  if (quality == Quality::virtual_machine) return "reported by the hypervisor";
  return "";
}

std::string quality_remark(const std::optional<Quality>& quality) {
  const std::string words = quality ? quality_caution(*quality) : "";
  return words.empty() ? "" : " [" + words + "]";
}

std::string factor_words(std::string factor) {
  std::replace(factor.begin(), factor.end(), '_', ' ');
  return factor;
}

std::string case_label(const Study& study, const CellPattern& cell) {
  std::vector<std::string> levels;
  for (const auto& factor : study.factors) {
    const auto level = cell.find(factor.name);
    // A factor with a single level distinguishes cases as little as the name of the study does.
    if (level == cell.end() || factor.levels.size() < 2) continue;
    const bool is_number = parse_number(level->second).has_value();
    levels.push_back(is_number ? factor_words(factor.name) + " " + level->second : level->second);
  }
  return levels.empty() ? "all runs" : joined(levels, " ");
}

std::string sentence(std::string words) {
  if (words.empty()) return words;
  // The name of a program, as in "nvidia-smi", keeps its case.
  const bool is_name = words.find_first_of("-_.0123456789") < words.find(' ');
  if (!is_name && words[0] >= 'a' && words[0] <= 'z')
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  if (std::string_view(".!?").find(words.back()) == std::string_view::npos) words += ".";
  return words;
}

std::string singular(const std::string& plural) {
  static constexpr std::array<std::string_view, 4> same{"series", "species", "news", "analysis"};
  const auto ends = [&](std::string_view end) {
    return plural.size() > end.size() + 1 && plural.ends_with(end);
  };
  const auto less = [&](std::size_t letters) { return plural.substr(0, plural.size() - letters); };
  if (std::find(same.begin(), same.end(), plural) != same.end()) return plural;
  if (!ends("s") || ends("ss") || ends("us") || ends("is")) return plural;
  if (plural == "caches" || plural == "movies") return less(1);
  if (ends("ies")) return less(3) + "y";
  for (const std::string_view end : {"ches", "shes", "sses", "xes", "zzes"})
    if (ends(end)) return less(2);
  return less(1);
}

std::vector<std::string> short_commands(const std::vector<std::string>& commands) {
  std::vector<Called> all;
  all.reserve(commands.size());
  for (const auto& command : commands) all.push_back(called(command));
  // Only where two would look the same do directories tell them apart.
  std::map<std::string, std::vector<const Called*>> by_rest;
  for (const auto& one : all) by_rest[one.rest].push_back(&one);
  std::vector<std::string> names;
  for (const auto& one : all) {
    const auto& group = by_rest[one.rest];
    std::string name;
    for (std::size_t i = group.size() > 1 ? common_directories(group) : one.directories.size();
         i < one.directories.size(); ++i)
      name += one.directories[i] + "/";
    names.push_back(name + one.rest);
  }
  return std::set<std::string>(names.begin(), names.end()).size() ==
                 std::set<std::string>(commands.begin(), commands.end()).size()
             ? names
             : commands;
}

}  // namespace prengdl
