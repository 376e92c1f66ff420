// SPDX-License-Identifier: Apache-2.0
#include "study/study_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/escaping.h"
#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "base/suggestions.h"
#include "study/checks.h"
#include "study/environment_section.h"
#include "study/keys.h"
#include "study/patterns.h"
#include "study/sections.h"
#include "study/toml.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 1 << 20;
constexpr std::size_t most_files = 100;

/// As read_text, but byte for byte and never without end.
Result<std::string> read_file(const fs::path& path) {
  auto file = open_regular(path);
  if (!file) return tl::unexpected(file.error());
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto got = ::read(file->get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read " + path.string() + ": " + error_text(errno));
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > largest_file)
      return failure("cannot read " + path.string() + ": it is larger than 1 MiB",
                     "a study file is text that people write");
  }
}

/// The one name of a file, to know it again; of one that cannot be found, as it was written.
fs::path one_name(const fs::path& file) {
  std::error_code error;
  auto path = fs::weakly_canonical(file, error);
  return error ? file : path;
}

/// A study file and what it includes, as one tree.
class Sources {
 public:
  explicit Sources(Problems& problems) : problems_(problems) {}

  StudyNode load(const fs::path& file) {
    auto text = read_file(file);
    if (!text) throw UsageError(text.error().what(), text.error().hint);
    return load(*text, file);
  }

  StudyNode load(const std::string& text, const fs::path& file) {
    files_.emplace_back(file.string(), text);
    chain_.push_back(one_name(file));
    StudyNode tree = parse_toml(text, file.string(), problems_);
    StudyNode merged;
    merged.place = merged.key_place = tree.place;
    if (const auto* include = tree.find("include")) {
      const auto of_one = [&](const StudyNode& node) {
        if (const auto part = included(node, file)) merge(merged, *part);
      };
      if (include->is_list())
        for (const auto& node : include->inside) of_one(node);
      else
        of_one(*include);
      std::erase_if(tree.inside, [](const StudyNode& node) { return node.key == "include"; });
    }
    merge(merged, tree);
    chain_.pop_back();
    return merged;
  }

  const std::vector<std::pair<std::string, std::string>>& files() const { return files_; }

 private:
  std::optional<StudyNode> included(const StudyNode& node, const fs::path& from) {
    const auto refuse = [&](const std::string& what, const std::string& hint) {
      problems_.add(node.place, what, hint);
      return std::nullopt;
    };
    if (node.kind != StudyNode::Kind::text || node.text.empty())
      return refuse("'include' must be the name of a file or a list of them",
                    "write include = \"common.toml\"");
    const auto path = from.parent_path() / node.text;
    if (std::find(chain_.begin(), chain_.end(), one_name(path)) != chain_.end())
      return refuse(fmt::format("'{}' includes itself", node.text),
                    "move what both need into a third file");
    if (files_.size() == most_files)
      return refuse(fmt::format("more than {} files are included", most_files),
                    "does a file include others twice, and those others again?");
    const auto text = read_file(path);
    if (!text) return refuse(text.error().what(), text.error().hint);
    return load(*text, path);
  }

  Problems& problems_;
  std::vector<fs::path> chain_;                             // of files that are being read
  std::vector<std::pair<std::string, std::string>> files_;  // name, text
};

std::vector<std::string> preset_names(const StudyNode& tree) {
  std::vector<std::string> names;
  if (const auto* presets = tree.find("presets"))
    for (const auto& preset : presets->inside) names.push_back(preset.key);
  return names;
}

StudyNode with_preset(const StudyNode& tree, const std::string& name) {
  StudyNode result = tree;
  std::erase_if(result.inside, [](const StudyNode& node) { return node.key == "presets"; });
  if (!name.empty()) merge(result, *tree.find("presets")->find(name));
  return result;
}

/// Presets whose values are read: the one that is chosen and, to find mistakes early, all others.
void check_presets(const StudyNode& tree, Problems& problems) {
  const auto* presets = tree.find("presets");
  if (!presets) return;
  if (!presets->is_table()) {
    problems.add(presets->place, "'presets' must be a table", "write [presets.tiny]");
    return;
  }
  for (const auto& preset : presets->inside) {
    if (preset.key.empty())
      problems.add(preset.key_place, "a preset needs a name", "write [presets.tiny]");
    else if (preset.is_table())
      read_sections(with_preset(tree, preset.key), problems);
    else
      problems.add(preset.place, fmt::format("preset '{}' must be a table", preset.key),
                   fmt::format("write [presets.{}]", preset.key));
  }
}

Study finish(const StudyNode& tree, const fs::path& file, const std::string& preset,
             const std::vector<std::string>& environments, Problems& problems) {
  problems.refuse();
  check_keys(tree, problems);
  const Study base = read_sections(with_preset(tree, ""), problems);
  check_presets(tree, problems);
  problems.refuse();  // a mistyped [factors] would bring a dozen more that are none

  const auto names = preset_names(tree);
  if (!preset.empty() && std::find(names.begin(), names.end(), preset) == names.end())
    throw UsageError(fmt::format("{} has no preset '{}'", file.string(), preset),
                     meant_or_known(preset, names));
  for (const auto& name : names) {
    const auto* changes = tree.find("presets")->find(name);
    check_preset_factors(*changes, base.factors, problems);
    check_placeholders(with_preset(tree, name), base, problems);
    Study other = base;
    read_patterns(with_preset(tree, name), base.factors, other, problems);
  }
  const auto chosen = with_preset(tree, preset);
  Study study = read_sections(chosen, problems);
  read_patterns(chosen, base.factors, study, problems);
  check_placeholders(chosen, study, problems);
  problems.refuse();  // a mistyped {factor} would make the factor one that nothing uses
  check_study(chosen, base.factors, study, problems);
  problems.refuse();
  if (!environments.empty()) check_environment_names(chosen, study, environments, problems);
  problems.refuse();

  if (study.name.empty()) study.name = file.stem().string();
  study.preset = preset;
  study.directory = fs::absolute(file).lexically_normal().parent_path().string();
  return study;
}

}  // namespace

Study load_study(const fs::path& file, const std::string& preset,
                 const std::vector<std::string>& environments) {
  Problems problems;
  const auto tree = Sources(problems).load(file);
  return finish(tree, file, preset, environments, problems);
}

Study read_study(const std::string& text, const fs::path& file, const std::string& preset) {
  Problems problems;
  const auto tree = Sources(problems).load(text, file);
  return finish(tree, file, preset, {}, problems);
}

AnalysisSection load_analysis(const fs::path& file, const std::vector<Factor>& factors,
                              const std::string& preset) {
  Problems problems;
  auto tree = Sources(problems).load(file);
  problems.refuse();
  const auto presets = preset_names(tree);
  const bool has_preset = std::find(presets.begin(), presets.end(), preset) != presets.end();
  // Groups of a whole study may name levels that the preset of the result left out.
  std::vector<Factor> known = factors;
  Problems not_about_analysis;
  for (auto& factor : read_sections(tree, not_about_analysis).factors)
    known.push_back(std::move(factor));
  tree = with_preset(tree, has_preset ? preset : "");
  std::erase_if(tree.inside, [](const StudyNode& node) { return node.key != "analysis"; });
  if (tree.inside.empty())
    throw UsageError(file.string() + " has no [analysis]",
                     "Write one as in a study file, or copy the study.toml of the result.");
  check_keys(tree, problems);
  Study study = read_sections(tree, problems);
  problems.refuse();
  study.factors = factors;
  check_analysis(tree, known, study, problems);
  problems.refuse();
  return {study.analysis, toml_text(tree)};
}

void set_slurm(const std::vector<std::string>& words, SlurmSettings& settings) {
  Problems problems;
  StudyNode tree;
  tree.place = tree.key_place = {std::make_shared<std::string>("--slurm"), 1, 1};
  StudyNode& table = tree.inside.emplace_back();
  table.key = "slurm";
  table.place = table.key_place = tree.place;
  const std::map<std::string, const std::vector<std::string>*> lists{
      {"options", &settings.options},
      {"modules", &settings.modules},
      {"prologue", &settings.prologue}};
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--slurm '{}' names no value", word),
                       "Write --slurm partition=gpu.");
    StudyNode value;
    value.place = value.key_place = tree.place;
    value.kind = StudyNode::Kind::text;
    value.text = word.substr(equals + 1);
    if (const auto number = parse_integer(value.text)) {
      value.kind = StudyNode::Kind::integer;
      value.integer = *number;
      value.number = static_cast<double>(*number);
    } else if (value.text == "true" || value.text == "false") {
      value.kind = StudyNode::Kind::boolean;
      value.boolean = value.text == "true";
    }
    StudyNode* node = table.find(word.substr(0, equals));
    if (!node) {
      node = &table.inside.emplace_back();
      node->place = node->key_place = tree.place;
      node->key = word.substr(0, equals);
      if (const auto list = lists.find(node->key); list != lists.end()) {
        node->kind = StudyNode::Kind::list;
        for (const auto& text : *list->second) {
          node->inside.push_back(value);
          node->inside.back().kind = StudyNode::Kind::text;
          node->inside.back().text = text;
        }
      }
    }
    if (lists.contains(node->key)) {
      node->inside.push_back(std::move(value));
    } else {
      value.key = node->key;
      *node = std::move(value);
    }
  }
  check_keys(tree, problems);
  read_slurm(&table, settings, problems);
  problems.refuse();
}

std::string study_text(const fs::path& file) {
  Problems problems;
  Sources sources(problems);
  const auto tree = sources.load(file);
  problems.refuse();
  if (sources.files().size() == 1) return sources.files()[0].second;

  auto text = fmt::format("# {} with what it includes, as one file.\n", printable(file.string()));
  text += toml_text(tree);
  for (const auto& [name, part] : sources.files()) {
    text += fmt::format("\n# From {}:\n", printable(name));
    for (const auto line : split(part, '\n')) text += fmt::format("#   {}\n", line);
  }
  return text;
}

}  // namespace prengdl
