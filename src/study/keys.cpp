// SPDX-License-Identifier: Apache-2.0
#include "study/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/suggestions.h"

namespace prengdl {
namespace {

/// A key and the keys below it; "*" stands for any name.
struct KeyTree {
  std::string name;
  std::vector<KeyTree> inside;
  bool is_list = false;  // of tables
};

KeyTree leaf(std::string name) { return {std::move(name), {}, false}; }

KeyTree table(std::string name, const std::vector<std::string>& leaves,
              std::vector<KeyTree> tables = {}) {
  KeyTree result{std::move(name), {}, false};
  for (const auto& key : leaves) result.inside.push_back(leaf(key));
  for (auto& inner : tables) result.inside.push_back(std::move(inner));
  return result;
}

KeyTree list_of(KeyTree tree) {
  tree.is_list = true;
  return tree;
}

KeyTree requirements() {
  return table("requires", {"gpu", "gpu_memory", "memory", "cpus", "disk"});
}

KeyTree workload(std::string name, std::vector<KeyTree> more = {}) {
  auto tables = std::move(more);
  tables.push_back(table("variables", {"*"}));
  tables.push_back(table("retry", {"times", "after_timeout"}));
  tables.push_back(table("environment", {"requirements", "python", "interpreter", "conda",
                                         "container", "by", "options"}));
  tables.push_back(requirements());
  return table(std::move(name),
               {"command", "directory", "prepare", "cleanup", "stdin", "outputs", "timeout"},
               std::move(tables));
}

KeyTree protocol() {
  const std::vector<std::string> control{"governor", "turbo",        "gpu_clock",  "nice",
                                         "cpus",     "sampler_cpus", "drop_caches"};
  std::vector<std::string> leaves{"rate",          "warmup", "idle",      "start",
                                  "warm_command",  "order",  "timeout",   "repeat_disturbed",
                                  "give_up_after", "aa",     "aa_command"};
  leaves.insert(leaves.end(), control.begin(), control.end());
  return table("protocol", leaves,
               {table("settle", {"at_most"}), table("stop", {"rule", "at_least"}),
                table("control", control)});
}

/// What a preset may change: all but the presets and the includes.
std::vector<KeyTree> sections() {
  return {
      table("study", {"name", "runs", "anyway", "seed", "budget", "imported"}),
      protocol(),
      table("factors", {"*"}),
      workload("workload"),
      table("analysis",
            {"compare", "within", "primary", "without_meter", "secondary", "test", "window",
             "margin", "alpha", "per", "varies", "over", "score", "score_better", "score_margin"},
            {table("groups", {"*"})}),
      requirements(),
      table("slurm",
            {"partition", "account", "qos", "constraint", "gres", "time", "jobs", "blocks_per_job",
             "options", "modules", "prologue", "container", "stage", "stage_data", "energy"}),
      list_of(table("exclude", {"*"})),
      list_of(workload("override", {table("where", {"*"})}))};
}

const KeyTree& study_keys() {
  static const KeyTree keys = [] {
    KeyTree root{"", sections(), false};
    root.inside.push_back(table("presets", {}, {KeyTree{"*", sections(), false}}));
    root.inside.push_back(leaf("include"));
    return root;
  }();
  return keys;
}

void add_paths(const KeyTree& tree, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& key : tree.inside) {
    const auto path = prefix + key.name + (key.is_list ? "[]" : "");
    paths.push_back(path);
    add_paths(key, path + ".", paths);
  }
}

/// The tables that have this key, as they are written; those of presets are the same again.
std::vector<std::string> homes_of(const std::string& name) {
  std::vector<std::string> homes;
  for (const auto& path : known_keys()) {
    if (path.starts_with("presets") || path.starts_with("override")) continue;
    if (path == name) homes.emplace_back("");
    if (path.ends_with("." + name))
      homes.push_back("[" + path.substr(0, path.size() - name.size() - 1) + "]");
  }
  return homes;
}

std::string advice(const StudyNode& node, const KeyTree& tree) {
  const auto& name = node.key;
  std::vector<std::string> siblings;
  siblings.reserve(tree.inside.size());
  for (const auto& key : tree.inside) siblings.push_back(key.name);
  const auto homes = homes_of(name);
  if (std::find(homes.begin(), homes.end(), "") != homes.end())
    return node.is_table()
               ? fmt::format("[{}] is a separate table", name)
               : fmt::format("'{}' belongs at the top of the file, before the first [table]", name);
  if (!homes.empty()) return fmt::format("'{}' belongs in {}", name, fmt::join(homes, " or "));
  if (const auto meant = nearest(name, siblings)) return fmt::format("did you mean '{}'?", *meant);
  return fmt::format("known here: {}", fmt::join(siblings, ", "));
}

void check_table(const StudyNode& table, const KeyTree& tree, Problems& problems) {
  for (const auto& node : table.inside) {
    if (problems.full()) return;
    const auto known =
        std::find_if(tree.inside.begin(), tree.inside.end(),
                     [&](const KeyTree& key) { return key.name == node.key || key.name == "*"; });
    if (known == tree.inside.end()) {
      problems.add(node.key_place, fmt::format("unknown key '{}'", node.key), advice(node, tree));
    } else if (known->is_list && node.is_list()) {
      for (const auto& item : node.inside)
        if (item.is_table()) check_table(item, *known, problems);
    } else if (!known->inside.empty() && node.is_table()) {
      // A [table] where a list of tables is wanted is reported where the values are read.
      if (!known->is_list) check_table(node, *known, problems);
    }
  }
}

}  // namespace

std::vector<std::string> known_keys() {
  std::vector<std::string> paths;
  add_paths(study_keys(), "", paths);
  return paths;
}

void check_keys(const StudyNode& study, Problems& problems) {
  check_table(study, study_keys(), problems);
}

}  // namespace prengdl
