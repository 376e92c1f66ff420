// SPDX-License-Identifier: Apache-2.0
//
// The data of a study are known by the workloads alone. This is all that passes between them and
// `setup`:
//   python -m workloads.data check|make MODEL... --data DIR [--preset P]
// prints {"sets": [{"name": ..., "origin": ..., "problems": [...]}]}, `make` only if it likes, and
// exits with 0, or with 3 where there are problems.
#include "cli/setup_data.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/escaping.h"
#include "base/json.h"
#include "base/run_to_end.h"
#include "base/shell_words.h"
#include "base/strings.h"
#include "study/workload.h"

namespace prengdl {
namespace {

/// The object in what a module said; what else it said stands before or after.
Json object_in(const std::string& output) {
  const auto begin = output.starts_with("{") ? 0 : output.find("\n{");
  const auto end = output.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return Json::parse(output.substr(begin, end - begin + 1), nullptr, false);
}

/// The word after another one; empty if there is none.
std::string after(const std::vector<std::string>& words, const std::string& word,
                  std::size_t places = 1) {
  const auto found = std::find(words.begin(), words.end(), word);
  const auto left = static_cast<std::size_t>(words.end() - found);
  return left > places ? *(found + static_cast<std::ptrdiff_t>(places)) : "";
}

}  // namespace

bool needs_data(const Study& study) {
  const auto asks = [](const std::string& text) {
    const auto names = placeholders_in(text);
    return names && std::find(names->begin(), names->end(), "data") != names->end();
  };
  const auto any = [&](const std::vector<std::string>& texts) {
    return std::any_of(texts.begin(), texts.end(), asks);
  };
  for (const auto& cell : cells_of(study)) {
    const Workload workload = workload_for(study, cell);
    if (any(workload.command) || asks(workload.standard_input)) return true;
    for (const auto& command : workload.prepare)
      if (any(command)) return true;
    for (const auto& [name, value] : workload.variables)
      if (asks(value)) return true;
  }
  return false;
}

std::vector<DataQuestion> data_questions(const Study& study) {
  std::vector<DataQuestion> questions;
  for (const auto& cell : cells_of(study)) {
    const Workload workload = workload_for(study, cell);
    auto values = placeholders_of(study, cell, {});
    for (const auto& name : environments_named_in(workload))
      values[std::string(environment_mark) + name] = "";
    std::vector<std::string> command;
    command.reserve(workload.command.size());
    for (const auto& word : workload.command) command.push_back(expand(word, values));
    if (after(command, "-m") != "workloads") continue;
    const auto model = after(command, "workloads", 2);
    const auto preset = after(command, "--preset");
    auto same = std::find_if(questions.begin(), questions.end(),
                             [&](const auto& one) { return one.preset == preset; });
    if (same == questions.end()) same = questions.insert(same, {false, preset, {}});
    if (std::find(same->models.begin(), same->models.end(), model) == same->models.end())
      same->models.push_back(model);
  }
  return questions;
}

DataReport ask_for_data(const DataQuestion& question, const EnvironmentPlaces& places,
                        const std::filesystem::path& python) {
  ProgramCall call;
  call.words = {python.string(), "-m", "workloads.data", question.make ? "make" : "check"};
  call.words.insert(call.words.end(), question.models.begin(), question.models.end());
  call.words.insert(call.words.end(), {"--data", places.data.string()});
  if (!question.preset.empty()) call.words.insert(call.words.end(), {"--preset", question.preset});
  call.directory = places.share;
  call.variables = {{"PYTHONPATH", (places.share / "python").string()},
                    {"PYTHONDONTWRITEBYTECODE", "1"}};
  const auto end = run_to_end(call);
  const Json json = object_in(end.output);
  const bool has_sets = json.is_object() && json.contains("sets") && json["sets"].is_array();
  const bool is_answer =
      (end.exit_code == 0 && (has_sets || question.make)) || (end.exit_code == 3 && has_sets);
  if (!is_answer) {
    const auto lines = split(trimmed(end.output), '\n');
    throw Error(fmt::format("the data cannot be {}: {}", question.make ? "made" : "checked",
                            shortened(printable(trimmed(lines.back())), 200)),
                "try it by hand in " + places.share.string() + ": " + shell_line(call.words));
  }
  DataReport report{places.data, {}};
  if (!has_sets) return report;
  for (const auto& set : json["sets"]) {
    DataSetRow row{set.value("name", ""), set.value("origin", ""), {}};
    if (const auto problems = set.find("problems"); problems != set.end())
      for (const auto& problem : *problems)
        row.problems.push_back(problem.is_string() ? problem.get<std::string>() : problem.dump());
    report.sets.push_back(std::move(row));
  }
  return report;
}

}  // namespace prengdl
