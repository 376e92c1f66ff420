// SPDX-License-Identifier: Apache-2.0
#include "study/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/suggestions.h"
#include "study/patterns.h"
#include "study/workload.h"

namespace prengdl {
namespace {

constexpr std::size_t most_cells = 1'000'000;
constexpr std::size_t most_runs = 1'000'000;

/// Names that stand for something else in a command or in an exported table.
constexpr std::array<std::string_view, 16> taken_names{
    "preset",  "seed",        "block",        "run",           "result",  "scratch",
    "data",    "order",       "exit_code",    "seconds",       "quality", "flags",
    "machine", "cpu_seconds", "user_seconds", "system_seconds"};

constexpr std::array<const char*, 8> texts_of_workload{
    "command", "environment", "directory", "variables", "prepare", "cleanup", "stdin", "outputs"};

std::vector<std::string> factor_names(const Study& study) {
  std::vector<std::string> names;
  names.reserve(study.factors.size());
  for (const auto& factor : study.factors) names.push_back(factor.name);
  return names;
}

/// Where a table, or a key of it, stands; else where the next best thing does.
Place place_of(const StudyNode& tree, const char* table, const char* key = "") {
  const auto* node = tree.find(table);
  if (!node) return tree.place;
  const auto* value = node->find(key);
  return value ? value->place : node->key_place;
}

/// A text of a workload and the key that it belongs to.
using UseText = std::function<void(const StudyNode&, const std::string& key)>;

void each_workload_text(const StudyNode& workload, const UseText& use) {
  for (const std::string key : texts_of_workload)
    if (const auto* node = workload.find(key))
      each_text(*node, [&](const StudyNode& text) { use(text, key); });
}

void each_workload_text_of_study(const StudyNode& tree, const UseText& use) {
  if (const auto* workload = tree.find("workload")) each_workload_text(*workload, use);
  if (const auto* overrides = tree.find("override"))
    for (const auto& item : overrides->inside) each_workload_text(item, use);
}

void check_names(const StudyNode& tree, Problems& problems) {
  const auto* factors = tree.find("factors");
  if (!factors) return;
  for (const auto& node : factors->inside) {
    const auto& name = node.key;
    if (is_taken_name(name))
      problems.add(node.key_place, fmt::format("a factor cannot be called '{}'", name),
                   "This word is reserved. Choose another one.");
    else if (name.empty() || name.find_first_of("{}=") != std::string::npos ||
             name.starts_with(environment_mark))
      problems.add(node.key_place, fmt::format("a factor cannot be called '{}'", name),
                   "its name must not be empty, have { } or = in it, or begin with environment:");
  }
}

void check_factors_are_used(const StudyNode& tree, const Study& study, Problems& problems) {
  std::set<std::string> used;
  each_workload_text_of_study(tree, [&](const StudyNode& node, const std::string&) {
    if (const auto names = placeholders_in(node.text)) used.insert(names->begin(), names->end());
  });
  for (const auto& change : study.overrides)
    for (const auto& [factor, level] : change.where) used.insert(factor);
  const auto* factors = tree.find("factors");
  if (!factors) return;
  for (const auto& node : factors->inside) {
    if (used.contains(node.key)) continue;
    problems.add(
        node.key_place,
        fmt::format("nothing uses the factor '{}': all of its levels run the same", node.key),
        fmt::format("write {{{}}} in [workload], or an [[override]] for its levels", node.key));
  }
}

void check_cells(const StudyNode& tree, const Study& study, Problems& problems) {
  std::size_t combinations = 1;
  for (const auto& factor : study.factors) {
    combinations *= factor.levels.size();
    if (combinations <= most_cells) continue;
    problems.add(place_of(tree, "factors"),
                 fmt::format("the factors have more than {} combinations", most_cells),
                 "name fewer levels");
    return;
  }
  const auto cells = cells_of(study);
  if (cells.empty())
    problems.add(place_of(tree, "exclude"), "all cells are excluded",
                 "leave at least one combination of levels");
  if (cells.size() * study.runs > most_runs)
    problems.add(place_of(tree, "study", "runs"),
                 fmt::format("{} runs of {} cells are more than {} runs", study.runs, cells.size(),
                             most_runs),
                 "ask for fewer runs or cells");
  if (!study.workload.command.empty() || !study.imported.empty()) return;
  std::size_t without = 0;
  std::string first;
  for (const auto& cell : cells) {
    const bool has_command =
        std::any_of(study.overrides.begin(), study.overrides.end(), [&](const Override& change) {
          return change.keys.contains("command") && fits(study, change.where, cell);
        });
    if (has_command) continue;
    if (without++ == 0) first = name_of(study, cell);
  }
  if (without > 0)
    problems.add(place_of(tree, "workload"),
                 without == 1
                     ? fmt::format("the cell {} has no command", first)
                     : fmt::format("{} cells have no command; the first is {}", without, first),
                 "write command = [\"program\", \"argument\"] in [workload] or an [[override]]");
}

void check_compare(const StudyNode& tree, Study& study, Problems& problems) {
  auto& analysis = study.analysis;
  const auto names = factor_names(study);
  std::vector<std::string> varied;
  for (const auto& factor : study.factors)
    if (factor.levels.size() > 1) varied.push_back(factor.name);
  if (analysis.compare.empty()) {
    if (varied.size() > 1) {
      problems.add(place_of(tree, "analysis"), "the study does not state what it compares",
                   fmt::format("write compare = \"{}\" in [analysis]", varied[0]));
      return;
    }
    if (!varied.empty()) analysis.compare = varied[0];
  } else if (!factor_index(study, analysis.compare)) {
    problems.add(place_of(tree, "analysis", "compare"),
                 fmt::format("the study has no factor '{}' to compare", analysis.compare),
                 meant_or_known(analysis.compare, names));
    return;
  }
  const auto* within = tree.find("analysis") ? tree.find("analysis")->find("within") : nullptr;
  if (!within) {
    for (const auto& name : names)
      if (name != analysis.compare) analysis.within.push_back(name);
    return;
  }
  bool all_known = true;
  for (const auto& node : within->inside) {
    all_known = all_known && factor_index(study, node.text);
    if (!factor_index(study, node.text))
      problems.add(node.place, fmt::format("the study has no factor '{}'", node.text),
                   meant_or_known(node.text, names));
    else if (node.text == analysis.compare)
      problems.add(node.place, fmt::format("'{}' is what is compared", node.text),
                   "within names the other factors");
  }
  if (!all_known) return;  // the one that is missing is probably the one that was mistyped
  for (const auto& name : varied)
    if (name != analysis.compare &&
        std::find(analysis.within.begin(), analysis.within.end(), name) == analysis.within.end())
      problems.add(within->place,
                   fmt::format("the factor '{}' is neither compared nor in within", name),
                   fmt::format("add \"{}\": runs that differ in it are not repetitions", name));
}

void check_measures(const StudyNode& tree, const Study& study, Problems& problems) {
  const auto* analysis = tree.find("analysis");
  const auto* secondary = analysis ? analysis->find("secondary") : nullptr;
  if (!secondary) return;
  std::set<std::string> seen{study.analysis.primary};
  for (const auto& node : secondary->inside)
    if (node.text.empty() || !seen.insert(node.text).second)
      problems.add(node.place, fmt::format("the measure '{}' is repeated or empty", node.text),
                   "each measure is judged once, as primary or as secondary");
}

/// What the analysis generalises over is a factor that is held fixed within a case.
void check_over(const StudyNode& tree, const Study& study, Problems& problems) {
  const auto& over = study.analysis.over;
  if (over.empty()) return;
  if (!factor_index(study, over))
    problems.add(place_of(tree, "analysis", "over"),
                 fmt::format("the study has no factor '{}'", over),
                 meant_or_known(over, factor_names(study)));
  else if (over == study.analysis.compare)
    problems.add(place_of(tree, "analysis", "over"), fmt::format("'{}' is what is compared", over),
                 "over names another factor, for example the models");
}

/// A score needs the margin that its author considers negligible, and nothing else needs one.
void check_score(const StudyNode& tree, const Study& study, Problems& problems) {
  if (!study.analysis.score.empty()) {
    if (!study.analysis.score_margin)
      problems.add(place_of(tree, "analysis", "score"), "'score' without a margin",
                   "write score_margin = 0.01, the difference of scores that is negligible");
    return;
  }
  for (const auto* key : {"score_better", "score_margin"})
    if (const auto* analysis = tree.find("analysis"); analysis && analysis->find(key))
      problems.add(analysis->find(key)->place, fmt::format("'{}' without a score", key),
                   "write score = \"accuracy\", the metric that the workload emits");
}

void check_groups(const StudyNode& tree, const std::vector<Factor>& known, Problems& problems) {
  const auto* analysis = tree.find("analysis");
  const auto* groups = analysis ? analysis->find("groups") : nullptr;
  if (!groups) return;
  for (const auto& group : groups->inside) {
    std::vector<std::string> all;
    for (const auto& factor : known)
      all.insert(all.end(), factor.levels.begin(), factor.levels.end());
    for (const auto& node : group.inside)
      if (std::find(all.begin(), all.end(), node.text) == all.end())
        problems.add(node.place, fmt::format("no factor has the level '{}'", node.text),
                     meant_or_known(node.text, all));
  }
}

}  // namespace

bool is_taken_name(std::string_view name) {
  return std::find(taken_names.begin(), taken_names.end(), name) != taken_names.end();
}

void check_placeholders(const StudyNode& tree, const Study& study, Problems& problems) {
  const auto check = [&](const StudyNode& node, const std::vector<std::string>& known,
                         bool with_environments) {
    const auto names = placeholders_in(node.text);
    if (!names) return problems.add(node.place, names.error().what(), names.error().hint);
    for (const auto& name : *names) {
      if (with_environments && name.starts_with(environment_mark)) {
        const auto which = parse_environment_name(name.substr(environment_mark.size()));
        if (!which)
          problems.add(
              node.place, fmt::format("{} in {{{}}}", which.error().what(), name),
              "write {environment:pytorch} or, with a version, {environment:pytorch@2.15.0}");
      } else if (std::find(known.begin(), known.end(), name) == known.end()) {
        problems.add(node.place, fmt::format("nothing gives {{{}}} a value", name),
                     meant_or_known(name, known));
      }
    }
  };
  // Environments are looked for, and made, before there is any run.
  auto before_runs = factor_names(study);
  before_runs.emplace_back("preset");
  auto in_a_run = factor_names(study);
  in_a_run.insert(in_a_run.end(), run_placeholders().begin(), run_placeholders().end());
  each_workload_text_of_study(tree, [&](const StudyNode& node, const std::string& key) {
    const bool is_environment = key == "environment";
    check(node, is_environment ? before_runs : in_a_run, !is_environment && key != "directory");
  });
  // The load before a warm start and the command of an A/A belong to no cell, so no level may be in
  // them.
  if (const auto* protocol = tree.find("protocol"))
    for (const auto* key : {"warm_command", "aa_command"})
      if (const auto* command = protocol->find(key))
        each_text(*command, [&](const StudyNode& node) { check(node, run_placeholders(), false); });
}

void check_study(const StudyNode& tree, const std::vector<Factor>& known, Study& study,
                 Problems& problems) {
  check_names(tree, problems);
  if (!tree.find("study") || !tree.find("study")->find("runs"))
    problems.add(place_of(tree, "study"), "the study does not state its number of runs",
                 "write runs = 10 in [study]");
  const auto& protocol = study.protocol;
  if (protocol.start == Start::warm && protocol.warm_command.empty())
    problems.add(place_of(tree, "protocol", "start"), "a warm start needs a load to warm up with",
                 "write warm_command = [\"program\", \"argument\"] in [protocol]");
  if (!protocol.aa_command.empty() && protocol.aa == 0)
    problems.add(place_of(tree, "protocol", "aa_command"),
                 "'aa_command' needs `aa`, the number of runs",
                 "write aa = 20 in [protocol], or remove aa_command");
  // Repeating disturbed runs chooses what the rule gets to see: its error rate would no longer be
  // what it promises.
  if (protocol.stopping.rule == Stopping::Rule::sequence && protocol.repeat_disturbed)
    problems.add(place_of(tree, "protocol", "repeat_disturbed"),
                 "repeat_disturbed and a stopping rule cannot be combined", "choose one of them");
  if (study.imported.empty()) check_factors_are_used(tree, study, problems);
  check_cells(tree, study, problems);
  check_analysis(tree, known, study, problems);
}

void check_analysis(const StudyNode& tree, const std::vector<Factor>& known, Study& study,
                    Problems& problems) {
  check_compare(tree, study, problems);
  check_measures(tree, study, problems);
  check_over(tree, study, problems);
  check_score(tree, study, problems);
  check_groups(tree, known, problems);
}

}  // namespace prengdl
