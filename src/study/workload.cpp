// SPDX-License-Identifier: Apache-2.0
#include "study/workload.h"

#include <fmt/core.h>

#include <functional>

#include "base/strings.h"

namespace prengdl {
namespace {

/// Walks over a text and hands out what is plain and what stands in braces. Returns what is wrong;
/// empty when nothing is.
std::string walk(std::string_view text, const std::function<void(std::string_view)>& plain,
                 const std::function<void(std::string_view)>& name) {
  while (!text.empty()) {
    const auto brace = text.find_first_of("{}");
    plain(text.substr(0, brace));
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    if (text.size() > 1 && text[1] == text[0]) {
      plain(text.substr(0, 1));
      text.remove_prefix(2);
      continue;
    }
    if (text[0] == '}') return "a } has no {";
    const auto end = text.find_first_of("{}", 1);
    if (end == std::string_view::npos || text[end] == '{') return "a { is not closed";
    if (end == 1) return "there is no name between { and }";
    name(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
  return "";
}

constexpr auto braces_hint = "write {{ and }} for literal braces";

void replace(Requirements& target, const Requirements& by) {
  if (by.gpus) target.gpus = by.gpus;
  if (by.gpu_memory_bytes) target.gpu_memory_bytes = by.gpu_memory_bytes;
  if (by.memory_bytes) target.memory_bytes = by.memory_bytes;
  if (by.cpus) target.cpus = by.cpus;
  if (by.disk_bytes) target.disk_bytes = by.disk_bytes;
}

void apply(Workload& target, const Override& change) {
  const auto& by = change.workload;
  const auto names = [&](const char* key) { return change.keys.contains(key); };
  if (names("command")) target.command = by.command;
  if (names("environment")) target.environment = by.environment;
  if (names("directory")) target.directory = by.directory;
  for (const auto& [name, value] : by.variables) target.variables[name] = value;
  if (names("prepare")) target.prepare = by.prepare;
  if (names("cleanup")) target.cleanup = by.cleanup;
  if (names("stdin")) target.standard_input = by.standard_input;
  if (names("outputs")) target.outputs = by.outputs;
  if (names("timeout")) target.timeout = by.timeout;
  if (names("retry")) target.retry = by.retry;
  replace(target.requirements, by.requirements);
}

}  // namespace

const std::vector<std::string>& run_placeholders() {
  static const std::vector<std::string> names{"preset", "seed",    "block", "run",
                                              "result", "scratch", "data"};
  return names;
}

Result<std::vector<std::string>> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  const auto wrong = walk(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  if (!wrong.empty()) return failure(fmt::format("{} in '{}'", wrong, text), braces_hint);
  return names;
}

std::string expand(std::string_view text, const Placeholders& values) {
  std::string result;
  const auto wrong = walk(
      text, [&](std::string_view plain) { result += plain; },
      [&](std::string_view name) {
        const auto value = values.find(std::string(name));
        if (value == values.end())
          throw Error(fmt::format("'{}' has no value for {{{}}}", text, name), braces_hint);
        result += value->second;
      });
  if (!wrong.empty()) throw Error(fmt::format("{} in '{}'", wrong, text), braces_hint);
  return result;
}

Placeholders placeholders_of(const Study& study, const Cell& cell, const RunPlace& place) {
  Placeholders values{{"preset", study.preset.empty() ? "default" : study.preset},
                      {"seed", std::to_string(place.seed)},
                      {"block", std::to_string(place.block)},
                      {"run", place.run},
                      {"result", place.result},
                      {"scratch", place.scratch},
                      {"data", place.data}};
  for (std::size_t i = 0; i < study.factors.size() && i < cell.size(); ++i)
    values[study.factors[i].name] = cell[i];
  return values;
}

Workload workload_for(const Study& study, const Cell& cell) {
  Workload workload = study.workload;
  for (const auto& change : study.overrides)
    if (fits(study, change.where, cell)) apply(workload, change);
  return workload;
}

EnvironmentChoice expanded(const EnvironmentChoice& choice, const Placeholders& values) {
  EnvironmentChoice result = choice;
  for (auto* text : {&result.name, &result.requirements, &result.python, &result.interpreter,
                     &result.conda, &result.container, &result.engine})
    *text = expand(*text, values);
  for (auto& option : result.options) option = expand(option, values);
  return result;
}

EnvironmentChoice environment_for(const Study& study, const Cell& cell) {
  return expanded(workload_for(study, cell).environment, placeholders_of(study, cell, {}));
}

Workload expanded(const Workload& workload, const Placeholders& values) {
  Workload result = workload;
  const auto each = [&](std::vector<std::string>& texts) {
    for (auto& text : texts) text = expand(text, values);
  };
  each(result.command);
  result.environment = expanded(workload.environment, values);
  result.directory = expand(workload.directory, values);
  for (auto& [name, value] : result.variables) value = expand(value, values);
  for (auto& command : result.prepare) each(command);
  for (auto& command : result.cleanup) each(command);
  result.standard_input = expand(workload.standard_input, values);
  each(result.outputs);
  return result;
}

std::vector<std::string> environments_named_in(const Workload& workload) {
  std::vector<std::string> found;
  const auto look = [&](const std::string& text) {
    const auto names = placeholders_in(text);
    if (!names) return;
    for (const auto& name : *names)
      if (name.starts_with(environment_mark)) found.push_back(name.substr(environment_mark.size()));
  };
  const auto each = [&](const std::vector<std::string>& texts) {
    for (const auto& text : texts) look(text);
  };
  each(workload.command);
  for (const auto& [name, value] : workload.variables) look(value);
  for (const auto& command : workload.prepare) each(command);
  for (const auto& command : workload.cleanup) each(command);
  look(workload.standard_input);
  each(workload.outputs);
  return found;
}

}  // namespace prengdl
