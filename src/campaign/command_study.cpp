// SPDX-License-Identifier: Apache-2.0
#include "campaign/command_study.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/escaping.h"
#include "base/strings.h"

namespace prengdl {
namespace {

/// In the texts of a workload braces stand for values: those that are meant are doubled.
std::string with_braces_doubled(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '{' || c == '}' ? 2 : 1, c);
  return doubled;
}

std::vector<std::string> template_of(const std::vector<std::string>& argv) {
  std::vector<std::string> words;
  words.reserve(argv.size());
  for (const auto& word : argv) words.push_back(with_braces_doubled(word));
  return words;
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
  study.factors = {{"command", levels_of(plan)}};
  study.protocol.interval = plan.interval;
  study.protocol.warmup = plan.warmup;
  study.protocol.settle_at_most = plan.settle;
  study.protocol.idle = plan.idle;
  study.protocol.timeout = plan.timeout;
  study.protocol.give_up_after = SIZE_MAX;
  study.workload.command = template_of(plan.commands.front().argv);
  study.workload.directory = with_braces_doubled(plan.directory.string());
  for (std::size_t i = 0; i < plan.commands.size(); ++i) {
    Override one;
    one.where = {{"command", study.factors[0].levels[i]}};
    one.workload.command = template_of(plan.commands[i].argv);
    one.keys = {"command"};
    study.overrides.push_back(std::move(one));
  }
  study.analysis.compare = "command";
  study.analysis.secondary = {"seconds", "cpu_seconds"};
  return study;
}

std::string study_text_of(const CommandPlan& plan) {
  const auto levels = levels_of(plan);
  std::string text = fmt::format(
      "[study]\nname = \"measure\"\nruns = {}\nseed = {}\n\n[protocol]\nrate = {}\nwarmup = "
      "{}\n",
      plan.runs, plan.seed, toml_quoted(fmt::format("{:g}Hz", 1 / plan.interval.count())),
      plan.warmup);
  text += plan.settle ? fmt::format("settle = {{ at_most = \"{:g}s\" }}\n", plan.settle->count())
                      : std::string("settle = \"off\"\n");
  if (plan.idle) text += fmt::format("idle = \"{:g}s\"\n", plan.idle->count());
  if (plan.timeout) text += fmt::format("timeout = \"{:g}s\"\n", plan.timeout->count());
  text += "\n[factors]\ncommand = " + toml_list(levels) +
          "\n\n[workload]\ncommand = " + toml_list(template_of(plan.commands.front().argv)) + "\n";
  for (std::size_t i = 0; i < levels.size(); ++i)
    text += fmt::format("\n[[override]]\nwhere = {{ command = {} }}\ncommand = {}\n",
                        toml_quoted(levels[i]), toml_list(template_of(plan.commands[i].argv)));
  text += "\n[analysis]\ncompare = \"command\"\nsecondary = [\"seconds\", \"cpu_seconds\"]\n";
  return text;
}

}  // namespace prengdl
