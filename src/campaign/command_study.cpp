// SPDX-License-Identifier: Apache-2.0
#include "campaign/command_study.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/escaping.h"
#include "base/strings.h"
#include "campaign/parameters.h"
#include "study/workload.h"

namespace prengdl {
namespace {

std::vector<std::string> template_of(const std::vector<std::string>& argv,
                                     const CommandPlan& plan) {
  std::vector<std::string> words;
  words.reserve(argv.size());
  for (const auto& word : argv) words.push_back(template_word(word, plan.parameters));
  return words;
}

/// One command with parameters is no factor: its parameters are.
bool has_command_factor(const CommandPlan& plan) {
  return plan.commands.size() > 1 || plan.parameters.empty();
}

std::vector<Factor> factors_of(const CommandPlan& plan) {
  std::vector<Factor> factors;
  if (has_command_factor(plan)) factors.push_back({"command", levels_of(plan)});
  factors.insert(factors.end(), plan.parameters.begin(), plan.parameters.end());
  return factors;
}

std::string toml_list(const std::vector<std::string>& texts) {
  return "[" + joined(texts, ", ", toml_quoted) + "]";
}

}  // namespace

std::vector<std::string> levels_of(const CommandPlan& plan) {
  std::vector<std::string> levels;
  for (const auto& command : plan.commands) {
    std::string level = command.label;
    for (int n = 2; std::find(levels.begin(), levels.end(), level) != levels.end(); ++n)
      level = fmt::format("{} ({})", command.label, n);
    levels.push_back(level);
  }
  return levels;
}

Study study_of(const CommandPlan& plan) {
  Study study;
  study.name = "measure";
  study.runs = plan.runs;
  study.seed = plan.seed;
  study.factors = factors_of(plan);
  study.protocol.interval = plan.interval;
  study.protocol.warmup = plan.warmup;
  study.protocol.settle_at_most = plan.settle;
  study.protocol.idle = plan.idle;
  study.protocol.timeout = plan.timeout;
  study.protocol.give_up_after = SIZE_MAX;
  study.workload.command = template_of(plan.commands.front().argv, plan);
  study.workload.directory = template_word(plan.directory.string(), {});
  for (std::size_t i = 0; has_command_factor(plan) && i < plan.commands.size(); ++i) {
    Override one;
    one.where = {{"command", study.factors[0].levels[i]}};
    one.workload.command = template_of(plan.commands[i].argv, plan);
    one.keys = {"command"};
    study.overrides.push_back(std::move(one));
  }
  study.analysis.compare = study.factors.front().name;
  for (std::size_t i = 1; i < study.factors.size(); ++i)
    study.analysis.within.push_back(study.factors[i].name);
  study.analysis.window = plan.window;
  study.analysis.secondary = {"seconds", "cpu_seconds"};
  return study;
}

std::vector<Command> commands_of_cells(const CommandPlan& plan) {
  const Study study = study_of(plan);
  std::vector<Command> commands;
  for (const auto& cell : cells_of(study)) {
    Placeholders values;
    for (std::size_t i = 0; i < cell.size(); ++i) values[study.factors[i].name] = cell[i];
    std::size_t index = 0;
    if (has_command_factor(plan)) {
      const auto& levels = study.factors.front().levels;
      index = static_cast<std::size_t>(std::find(levels.begin(), levels.end(), cell.front()) -
                                       levels.begin());
    }
    const Command& given = plan.commands[index];
    Command one{expand(template_word(given.label, plan.parameters), values), {}};
    if (one.label == given.label)  // a name without placeholders
      for (const auto& parameter : plan.parameters)
        one.label += fmt::format(" {}={}", parameter.name, values[parameter.name]);
    for (const auto& word : given.argv)
      one.argv.push_back(expand(template_word(word, plan.parameters), values));
    commands.push_back(std::move(one));
  }
  return commands;
}

std::string study_text_of(const CommandPlan& plan) {
  const auto factors = factors_of(plan);
  std::string text = fmt::format(
      "[study]\nname = \"measure\"\nruns = {}\nseed = {}\n\n[protocol]\nrate = {}\nwarmup = "
      "{}\n",
      plan.runs, plan.seed, toml_quoted(fmt::format("{:g}Hz", 1 / plan.interval.count())),
      plan.warmup);
  text += plan.settle ? fmt::format("settle = {{ at_most = \"{:g}s\" }}\n", plan.settle->count())
                      : std::string("settle = \"off\"\n");
  if (plan.idle) text += fmt::format("idle = \"{:g}s\"\n", plan.idle->count());
  if (plan.timeout) text += fmt::format("timeout = \"{:g}s\"\n", plan.timeout->count());
  text += "\n[factors]\n";
  for (const auto& factor : factors)
    text += fmt::format("{} = {}\n", factor.name, toml_list(factor.levels));
  text += fmt::format("\n[workload]\ncommand = {}\n",
                      toml_list(template_of(plan.commands.front().argv, plan)));
  for (std::size_t i = 0; has_command_factor(plan) && i < plan.commands.size(); ++i)
    text += fmt::format("\n[[override]]\nwhere = {{ command = {} }}\ncommand = {}\n",
                        toml_quoted(factors[0].levels[i]),
                        toml_list(template_of(plan.commands[i].argv, plan)));
  text += fmt::format("\n[analysis]\ncompare = {}\nsecondary = [\"seconds\", \"cpu_seconds\"]\n",
                      toml_quoted(factors[0].name));
  if (plan.window != "run") text += fmt::format("window = {}\n", toml_quoted(plan.window));
  return text;
}

}  // namespace prengdl
