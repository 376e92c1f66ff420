// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_checks.h"

#include <fmt/core.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/run_to_end.h"
#include "base/strings.h"
#include "cluster/batch_script.h"
#include "cluster/scheduler.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr const char* partition_columns = "%P|%a|%l|%D|%T|%c|%G|%h";
constexpr std::int64_t usual_array = 1001;

/// File systems of a single machine, by the numbers of statfs(2).
constexpr std::array<std::pair<std::uint32_t, const char*>, 5> local_systems{
    {{0xef53, "ext4"},
     {0x58465342, "xfs"},
     {0x9123683e, "btrfs"},
     {0x01021994, "tmpfs"},
     {0x794c7630, "overlay"}}};

std::optional<std::string> asked(const std::vector<std::string>& words, std::string& trouble) {
  try {
    const ProgramEnd end = run_to_end({words});
    if (end.is_good()) return end.output;
    trouble = std::string(trimmed(end.output));
  } catch (const Error& error) {
    trouble = error.what();
  }
  return std::nullopt;
}

std::optional<std::string> local_system(const fs::path& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return std::nullopt;
  for (const auto& [number, name] : local_systems)
    if (static_cast<std::uint32_t>(status.f_type) == number) return name;
  return std::nullopt;
}

Check check_shared(const char* name, const char* what, const fs::path& path) {
  if (const auto system = local_system(path))
    return {name, Severity::note,
            fmt::format("{} {} is on {}, which is usually the disk of one machine", what,
                        path.string(), *system),
            "Use a directory that the nodes share, unless the probe job finds it there.", ""};
  return {name, Severity::ok, fmt::format("{} {} is on a shared file system", what, path.string()),
          "", ""};
}

}  // namespace

std::vector<Check> checks_of_partitions(const std::string& sinfo, const std::string& wanted) {
  struct Partition {
    bool is_up = false;
    std::string limit, gres, oversubscribe;
    std::int64_t nodes = 0, usable = 0;
  };
  std::map<std::string, Partition> partitions;
  std::string standard;
  for (const auto line : split(sinfo, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != 8) continue;
    std::string name(fields[0]);
    if (name.ends_with('*')) {
      name.pop_back();
      standard = name;
    }
    Partition& partition = partitions[name];
    partition.is_up = fields[1] == "up";
    partition.limit = fields[2];
    if (fields[6] != "(null)") partition.gres = fields[6];
    partition.oversubscribe = fields[7];
    const auto count = parse_integer(fields[3]).value_or(0);
    partition.nodes += count;
    const bool is_usable = fields[4] == "idle" || fields[4] == "allocated" ||
                           fields[4] == "mixed" || fields[4] == "completing";
    if (is_usable) partition.usable += count;
  }
  std::vector<Check> checks;
  for (const auto& [name, one] : partitions) {
    if (!wanted.empty() && name != wanted) continue;
    Check check{"partition", Severity::ok,
                fmt::format("{}{}: {} nodes, {} usable, time limit {}", name,
                            name == standard ? " (default)" : "", one.nodes, one.usable, one.limit),
                "", ""};
    if (!one.gres.empty()) check.finding += ", " + one.gres;
    if (!one.is_up || one.usable == 0) {
      check.severity = wanted.empty() ? Severity::note : Severity::fail;
      check.remedy = one.is_up ? "Wait until nodes are back, or choose another partition."
                               : "Choose a partition that is up with [slurm] partition.";
    }
    if (one.oversubscribe.starts_with("FORCE")) {
      check.severity = std::max(check.severity, Severity::warning);
      check.finding += ", always shared with other jobs";
      check.remedy = "Choose a partition that gives whole nodes: others would be measured too.";
    }
    checks.push_back(std::move(check));
  }
  if (checks.empty())
    checks.push_back({"partition", Severity::fail,
                      wanted.empty() ? "there is no partition" : "there is no partition " + wanted,
                      "Choose one that `sinfo` lists with [slurm] partition.", ""});
  return checks;
}

std::vector<Check> checks_of_configuration(const std::string& scontrol) {
  std::map<std::string, std::string> values;
  for (const auto line : split(scontrol, '\n'))
    if (const auto equals = line.find('='); equals != std::string_view::npos)
      values[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
  std::vector<Check> checks;
  if (const auto most = parse_integer(values["MaxArraySize"]); most && *most < usual_array)
    checks.push_back({"array-size", Severity::note,
                      fmt::format("an array has at most {} jobs", *most - 1),
                      "Large studies are submitted in several arrays.", ""});
  const std::string energy = values["AcctGatherEnergyType"];
  if (energy.empty() || energy.ends_with("none") || energy == "(null)")
    checks.push_back(
        {"energy-accounting", Severity::ok, "Slurm does not account for energy", "", ""});
  else
    checks.push_back({"energy-accounting", Severity::ok, "Slurm accounts for energy by " + energy,
                      "Write energy = true in [slurm] to store its figures next to prengdl's.",
                      ""});
  if (values["ProctrackType"].ends_with("linuxproc") || values["ProctrackType"].ends_with("pgid"))
    checks.push_back({"process-tracking", Severity::note,
                      "Slurm tracks processes by " + values["ProctrackType"] +
                          ": what a lost job leaves running may stay on its node",
                      "prengdl ends what its own jobs left. Ask the administrators for cgroups.",
                      ""});
  return checks;
}

std::vector<Check> check_cluster(const SlurmSettings& settings, const fs::path& directory,
                                 const fs::path& program) {
  std::string trouble;
  const auto partitions = asked({"sinfo", "-h", "-o", partition_columns}, trouble);
  if (!partitions)
    return {{"slurm", Severity::fail, "Slurm does not answer: " + trouble,
             "Log in to a node of the cluster that has Slurm's commands (sinfo, sbatch, squeue).",
             ""}};
  std::vector<Check> checks = checks_of_partitions(*partitions, settings.partition);
  if (const auto configuration = asked({"scontrol", "show", "config"}, trouble))
    for (auto& check : checks_of_configuration(*configuration)) checks.push_back(std::move(check));
  checks.push_back(check_shared("shared-results", "the directory", directory));
  checks.push_back(check_shared("shared-program", "the program", program));
  return checks;
}

std::optional<std::vector<Check>> checks_of_json(const std::string& text, const std::string& node) {
  constexpr std::array severities{Severity::ok, Severity::note, Severity::warning, Severity::fail};
  const auto begin = text.find('{');
  if (begin == std::string::npos) return std::nullopt;
  try {
    const Json json = Json::parse(text.substr(begin));
    std::vector<Check> checks;
    for (const auto& one : json.at("checks")) {
      Check check{one.at("check"), Severity::ok, node + ": " + one.at("finding").get<std::string>(),
                  one.value("remedy", ""), ""};
      for (const auto severity : severities)
        if (one.at("severity") == name_of(severity)) check.severity = severity;
      checks.push_back(std::move(check));
    }
    return checks;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::vector<Check> probe_node(const SlurmSettings& settings, const fs::path& directory,
                              const std::vector<std::string>& command, Seconds patience,
                              Clock& clock) {
  const fs::path answer = directory / fmt::format(".prengdl-probe-{}.json", clock.now_ns());
  const fs::path script = answer.string() + ".sh";
  const auto failed = [&](const std::string& finding, const std::string& remedy) {
    std::error_code ignored;
    fs::remove(script, ignored);
    return std::vector<Check>{{"probe", Severity::fail, finding, remedy, ""}};
  };
  std::string text = probe_script(command, answer, settings);
  write_text(script, text);
  Slurm slurm;
  const auto job = slurm.submit(script);
  if (!job)
    return failed("sbatch refuses a probe job: " + job.error().words,
                  "Change [slurm] of the study, or a value of it with --slurm KEY=VALUE.");
  const std::int64_t end = clock.now_ns() + nanoseconds(patience);
  std::optional<std::string> said;
  while (!(said = read_optional(answer)) && clock.now_ns() < end)
    clock.sleep_until(clock.now_ns() + 500'000'000);
  std::error_code ignored;
  fs::remove(script, ignored);
  fs::remove(answer, ignored);
  if (!said) {
    slurm.cancel({*job});
    return failed(fmt::format("the probe job {} has left no answer in {} within {:.0f} s", *job,
                              directory.string(), patience.count()),
                  "`squeue` shows why a job waits. If it ran, the nodes do not share this "
                  "directory or cannot start prengdl.");
  }
  const auto line = said->find('\n');
  const std::string node = said->substr(0, line);
  auto checks = checks_of_json(line == std::string::npos ? "" : said->substr(line), node);
  if (!checks)
    return failed(fmt::format("prengdl does not work on {}: {}", node, trimmed(*said)),
                  "Is it installed on the nodes, for the same kind of processor?");
  checks->insert(checks->begin(), {"probe", Severity::ok,
                                   fmt::format("job {} ran prengdl on {}", *job, node), "", ""});
  return *checks;
}

}  // namespace prengdl
