// SPDX-License-Identifier: Apache-2.0
#include "study/sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/parse.h"
#include "study/environment_section.h"
#include "study/values.h"

namespace prengdl {
namespace {

constexpr std::int64_t most_declared_runs = 1'000'000;

/// A budget is "2kWh", "48h" or a list of both.
void read_budget(const Values& values, Protocol& protocol) {
  const auto* node = values.find("budget");
  if (!node) return;
  const auto read = [&](const StudyNode& item) {
    const auto hint = "write an energy or a time with its unit: \"2kWh\", \"48h\"";
    if (item.kind != StudyNode::Kind::text) return values.must_be(item, "text", hint);
    const auto energy = parse_energy(item.text);
    const auto time = parse_duration(item.text);
    const bool has_unit = !parse_number(item.text);
    if (energy)
      protocol.budget_energy = *energy;
    else if (time && has_unit && *time > Seconds{0})
      protocol.budget_time = *time;
    else
      values.problem(item, fmt::format("'{}' is no budget", item.text), hint);
  };
  if (node->is_list())
    for (const auto& item : node->inside) read(item);
  else
    read(*node);
}

void read_study(const StudyNode* table, Study& study, Problems& problems) {
  const Values values(table, problems);
  values.text("name", study.name);
  if (const auto* name = values.find("name"); name && study.name.empty())
    values.problem(*name, "a study's name must not be empty");
  if (const auto runs = values.count("runs", 1, most_declared_runs))
    study.runs = static_cast<std::size_t>(*runs);
  if (const auto seed = values.count("seed", 0, std::numeric_limits<std::int64_t>::max()))
    study.seed = static_cast<std::uint64_t>(*seed);
  values.flag("anyway", study.anyway);
  values.text("imported", study.imported);
  if (const auto* node = values.find("imported"); node && study.imported.empty())
    values.problem(*node, "'imported' must not be empty");
  read_budget(values, study.protocol);
}

void read_control(const Values& values, MachineControl& control) {
  if (values.has("governor")) values.text("governor", control.governor.emplace());
  if (values.has("turbo")) values.flag("turbo", control.turbo.emplace());
  values.megahertz("gpu_clock", control.gpu_clock_mhz);
  if (const auto nice = values.count("nice", -20, 19)) control.nice = static_cast<int>(*nice);
  values.cpus("cpus", control.cpus);
  values.cpus("sampler_cpus", control.sampler_cpus);
  values.flag("drop_caches", control.drop_caches);
}

void read_settle(const Values& values, Protocol& protocol, Problems& problems) {
  protocol.settle_at_most = Seconds{600};
  const auto* node = values.find("settle");
  if (!node) return;
  if (node->kind == StudyNode::Kind::text && node->text == "off")
    protocol.settle_at_most = std::nullopt;
  else if (node->is_table())
    Values(node, problems).duration("at_most", protocol.settle_at_most);
  else
    values.problem(*node, "'settle' must be a table with at_most, or \"off\"",
                   "write { at_most = \"10min\" }");
}

void read_stop(const StudyNode* table, Stopping& stopping, Problems& problems) {
  const Values values(table, problems);
  std::string rule = "never";
  values.word("rule", {"never", "sequence"}, rule);
  if (rule == "sequence") stopping.rule = Stopping::Rule::sequence;
  if (const auto least = values.count("at_least", 10, most_declared_runs))
    stopping.at_least = static_cast<std::size_t>(*least);
  if (table && table->is_table() && !values.has("rule"))
    values.problem(*table, "'stop' says no rule", "write { rule = \"sequence\", at_least = 10 }");
}

void read_protocol(const StudyNode* table, Protocol& protocol, Problems& problems) {
  const Values values(table, problems);
  values.rate("rate", protocol.interval);
  if (const auto warmup = values.count("warmup", 0, 1000))
    protocol.warmup = static_cast<std::size_t>(*warmup);
  values.duration_or_off("idle", protocol.idle);
  read_settle(values, protocol, problems);
  std::string start = "settled";
  values.word("start", {"settled", "warm"}, start);
  if (start == "warm") protocol.start = Start::warm;
  values.command("warm_command", protocol.warm_command);
  std::string order = "adjacent";
  values.word("order", {"adjacent", "shuffled", "as-written"}, order);
  protocol.order = order == "shuffled"     ? Order::shuffled
                   : order == "as-written" ? Order::as_written
                                           : Order::adjacent;
  values.duration_or_off("timeout", protocol.timeout);
  values.flag("repeat_disturbed", protocol.repeat_disturbed);
  if (const auto failures = values.count("give_up_after", 1, most_declared_runs))
    protocol.give_up_after = static_cast<std::size_t>(*failures);
  // Fewer pairs know their own spread too badly.
  if (const auto pairs = values.count("aa", 5, most_declared_runs))
    protocol.aa = static_cast<std::size_t>(*pairs);
  values.command("aa_command", protocol.aa_command);
  read_stop(values.find("stop"), protocol.stopping, problems);

  read_control(values, protocol.control);
  const Values inner(values.find("control"), problems);
  for (const auto* key :
       {"governor", "turbo", "gpu_clock", "nice", "cpus", "sampler_cpus", "drop_caches"})
    if (const auto* twice = inner.find(key); twice && values.has(key))
      inner.problem(*twice, fmt::format("'{}' is given twice", key),
                    "write it in [protocol] or in its control table");
  read_control(inner, protocol.control);
}

void read_factors(const StudyNode* table, Study& study, Problems& problems) {
  const Values values(table, problems);
  if (!table || !table->is_table()) return;
  for (const auto& node : table->inside) {
    Factor factor{node.key, {}};
    values.texts_of(node, factor.levels);
    if (node.is_list() && node.inside.empty())
      values.problem(node, fmt::format("factor '{}' has no levels", node.key));
    std::set<std::string> seen;
    for (std::size_t i = 0; i < factor.levels.size(); ++i)
      if (!seen.insert(factor.levels[i]).second)
        values.problem(node.inside[i], fmt::format("level '{}' appears twice", factor.levels[i]));
    study.factors.push_back(std::move(factor));
  }
}

Requirements read_requirements(const StudyNode* table, Problems& problems) {
  Requirements needed;
  const Values values(table, problems);
  if (const auto gpus = values.count("gpu", 0, 1024)) needed.gpus = static_cast<int>(*gpus);
  values.bytes("gpu_memory", needed.gpu_memory_bytes);
  values.bytes("memory", needed.memory_bytes);
  if (const auto cpus = values.count("cpus", 1, 65536)) needed.cpus = static_cast<int>(*cpus);
  values.bytes("disk", needed.disk_bytes);
  return needed;
}

void read_retry(const Values& values, Retry& retry, Problems& problems) {
  const auto* node = values.find("retry");
  if (!node) return;
  if (!node->is_table()) {
    if (const auto times = values.count("retry", 0, 100)) retry.times = static_cast<int>(*times);
    return;
  }
  const Values inside(node, problems);
  if (const auto times = inside.count("times", 0, 100)) retry.times = static_cast<int>(*times);
  inside.flag("after_timeout", retry.after_timeout);
}

void read_variables(const StudyNode* table, Workload& workload, Problems& problems) {
  const Values values(table, problems);
  if (!table || !table->is_table()) return;
  for (const auto& node : table->inside) {
    if (node.key.empty() || node.key.find('=') != std::string::npos)
      problems.add(node.key_place, fmt::format("'{}' cannot name a variable", node.key),
                   "the name of a variable is not empty and has no =");
    else if (node.is_scalar())
      workload.variables[node.key] = node.text;
    else
      values.must_be(node, "text");
  }
}

void read_analysis(const StudyNode* table, AnalysisPlan& analysis, Problems& problems) {
  const Values values(table, problems);
  values.text("compare", analysis.compare);
  values.texts("within", analysis.within);
  values.text("primary", analysis.primary);
  values.text("without_meter", analysis.without_meter);
  values.texts("secondary", analysis.secondary);
  values.word("test", {"log-t", "rank"}, analysis.test);
  values.text("window", analysis.window);
  values.share("margin", 0, 0.99, analysis.margin);
  values.share("alpha", 1e-9, 0.5, analysis.alpha);
  values.text("per", analysis.per);
  values.texts("varies", analysis.varies);
  values.text("over", analysis.over);
  values.text("score", analysis.score);
  std::string better = "higher";
  values.word("score_better", {"higher", "lower"}, better);
  if (values.has("score_better")) analysis.lower_score_is_better = better == "lower";
  if (values.has("score_margin"))
    values.share("score_margin", 0, 1e9, analysis.score_margin.emplace(0));
  for (const auto* key : {"primary", "window"})
    if (const auto* node = values.find(key); node && node->text.empty() && node->is_scalar())
      values.problem(*node, fmt::format("'{}' must not be empty", key));
  const Values groups(values.find("groups"), problems);
  if (const auto* node = values.find("groups"); node && node->is_table())
    for (const auto& group : node->inside) groups.texts_of(group, analysis.groups[group.key]);
}

}  // namespace

void read_slurm(const StudyNode* table, SlurmSettings& settings, Problems& problems) {
  const Values values(table, problems);
  values.text("partition", settings.partition);
  values.text("account", settings.account);
  values.text("qos", settings.qos);
  values.text("constraint", settings.constraint);
  values.text("gres", settings.gres);
  values.duration("time", settings.time);
  if (const auto jobs = values.count("jobs", 1, most_declared_runs))
    settings.jobs = static_cast<std::size_t>(*jobs);
  if (const auto blocks = values.count("blocks_per_job", 1, most_declared_runs))
    settings.blocks_per_job = static_cast<std::size_t>(*blocks);
  values.texts("options", settings.options);
  values.texts("modules", settings.modules);
  values.texts("prologue", settings.prologue);
  values.text("container", settings.container);
  values.text("stage", settings.stage);
  values.flag("stage_data", settings.stage_data);
  values.flag("energy", settings.energy);
  // They become lines of a script, where a second line would be another command.
  for (const auto* text : {&settings.partition, &settings.account, &settings.qos,
                           &settings.constraint, &settings.gres})
    if (text->find('\n') != std::string::npos && table)
      values.problem(*table, "a value of [slurm] must be one line");
  for (const auto& option : settings.options)
    if (table && (!option.starts_with('-') || option.find('\n') != std::string::npos))
      values.problem(*values.find("options"), fmt::format("'{}' is no option of sbatch", option),
                     "write options = [\"--mail-type=END\"]");
}

Workload read_workload(const StudyNode* table, Problems& problems) {
  Workload workload;
  const Values values(table, problems);
  values.command("command", workload.command);
  workload.environment = read_environment(values.find("environment"), problems);
  values.text("directory", workload.directory);
  read_variables(values.find("variables"), workload, problems);
  values.commands("prepare", workload.prepare);
  values.commands("cleanup", workload.cleanup);
  values.text("stdin", workload.standard_input);
  values.texts("outputs", workload.outputs);
  values.duration("timeout", workload.timeout);
  read_retry(values, workload.retry, problems);
  workload.requirements = read_requirements(values.find("requires"), problems);
  return workload;
}

Study read_sections(const StudyNode& tree, Problems& problems) {
  Study study;
  read_study(tree.find("study"), study, problems);
  read_protocol(tree.find("protocol"), study.protocol, problems);
  read_factors(tree.find("factors"), study, problems);
  study.workload = read_workload(tree.find("workload"), problems);
  read_analysis(tree.find("analysis"), study.analysis, problems);
  study.requirements = read_requirements(tree.find("requires"), problems);
  read_slurm(tree.find("slurm"), study.slurm, problems);
  for (const auto* key : {"exclude", "override"}) {
    const auto* list = tree.find(key);
    if (!list) continue;
    const bool is_right =
        list->is_list() && std::all_of(list->inside.begin(), list->inside.end(),
                                       [](const auto& n) { return n.is_table(); });
    if (!is_right)
      problems.add(list->key_place, fmt::format("'{}' must be a list of tables", key),
                   fmt::format("write [[{}]]", key));
    else if (key == std::string_view("override"))
      // Only looked at; read_patterns takes them once it is known which cells there are.
      for (const auto& item : list->inside) read_workload(&item, problems);
  }
  return study;
}

}  // namespace prengdl
