// SPDX-License-Identifier: Apache-2.0
#include "study/environment_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/suggestions.h"
#include "study/values.h"
#include "study/workload.h"

namespace prengdl {
namespace {

const std::vector<std::string> kinds{"requirements", "interpreter", "conda", "container"};

/// Which keys may accompany the kind.
const std::map<std::string, std::string> kind_of_key{
    {"python", "requirements"}, {"by", "container"}, {"options", "container"}};

EnvironmentChoice read_table(const StudyNode& table, Problems& problems) {
  EnvironmentChoice choice;
  const Values values(&table, problems);
  std::vector<std::string> given;
  for (const auto& kind : kinds)
    if (values.has(kind)) given.push_back(kind);
  // A kind that is misspelt is reported as an unknown key.
  if (given.empty() &&
      std::any_of(table.inside.begin(), table.inside.end(),
                  [](const StudyNode& node) { return !kind_of_key.contains(node.key); }))
    return choice;
  if (given.size() != 1) {
    values.problem(table,
                   given.empty() ? "this environment does not state its kind"
                                 : fmt::format("an environment cannot be {} at the same time",
                                               fmt::join(given, " and ")),
                   fmt::format("give one of {}", fmt::join(kinds, ", ")));
    return choice;
  }
  for (const auto& [key, kind] : kind_of_key)
    if (const auto* node = values.find(key); node && kind != given.front())
      values.problem(*node, fmt::format("'{}' can only be used with '{}'", key, kind));
  values.text("requirements", choice.requirements);
  values.text("python", choice.python);
  values.text("interpreter", choice.interpreter);
  values.text("conda", choice.conda);
  values.text("container", choice.container);
  values.word("by", {"podman", "docker", "apptainer"}, choice.engine);
  values.texts("options", choice.options);
  for (const auto& node : table.inside)
    if (node.is_scalar() && node.text.empty())
      values.problem(node, fmt::format("'{}' must not be empty", node.key));
  if (given.front() == "container" && !values.has("by"))
    values.problem(table, "this environment does not state what runs its container",
                   "write by = \"podman\", \"docker\" or \"apptainer\"");
  return choice;
}

}  // namespace

EnvironmentChoice read_environment(const StudyNode* node, Problems& problems) {
  EnvironmentChoice choice;
  if (!node) return choice;
  if (node->is_table()) return read_table(*node, problems);
  if (node->kind == StudyNode::Kind::text)
    choice.name = node->text;
  else
    Values(nullptr, problems).must_be(*node, "text or a table");
  return choice;
}

void check_environment_names(const StudyNode& tree, const Study& study,
                             const std::vector<std::string>& known, Problems& problems) {
  // What a text becomes depends on the cell, and an override may spare a cell the text.
  std::map<std::string, std::set<std::string>> become;  // as it is written, as it is meant
  for (const auto& cell : cells_of(study)) {
    const auto workload = workload_for(study, cell);
    const auto meant = environment_for(study, cell);
    if (!meant.name.empty() && !meant.is_path())
      become[workload.environment.name].insert(meant.name);
    for (const auto& name : environments_named_in(workload))
      become[fmt::format("{{{}{}}}", environment_mark, name)].insert(name);
  }
  const auto check = [&](const StudyNode& node, const std::string& written) {
    const auto names = become.find(written);
    if (names == become.end()) return;
    for (const auto& name : names->second)
      if (std::find(known.begin(), known.end(), name) == known.end())
        problems.add(node.place, fmt::format("there is no environment '{}'", name),
                     meant_or_known(name, known));
  };
  const auto look = [&](const StudyNode& workload) {
    if (const auto* node = workload.find("environment"); node && !node->is_table())
      check(*node, node->text);
    each_text(workload, [&](const StudyNode& node) {
      const auto names = placeholders_in(node.text);
      if (!names) return;
      for (const auto& name : *names)
        if (name.starts_with(environment_mark)) check(node, "{" + name + "}");
    });
  };
  if (const auto* workload = tree.find("workload")) look(*workload);
  if (const auto* overrides = tree.find("override"))
    for (const auto& item : overrides->inside) look(item);
}

}  // namespace prengdl
