// SPDX-License-Identifier: Apache-2.0
#include "cluster/scheduler.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/parse.h"
#include "base/run_to_end.h"
#include "base/strings.h"

namespace prengdl {
namespace {

/// Text with fixed columns: the JSON of squeue changes with its version and ignores filters.
constexpr const char* squeue_columns = "%i|%j|%K|%T|%r|%N|%V";
constexpr std::size_t columns = 7;
/// A thousand jobs are 100 kB.
constexpr std::size_t longest_list = std::size_t{64} << 20;

constexpr std::array<std::string_view, 10> ended_states{
    "COMPLETED", "FAILED",        "TIMEOUT",   "NODE_FAIL", "PREEMPTED",
    "CANCELLED", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE",  "REVOKED"};

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

Answer<std::string> ask(const std::vector<std::string>& words, std::size_t keeps = 1 << 16) {
  // These variables would hide jobs, which then seem to be lost.
  ProgramCall call{{"env"}};
  for (const char* name : {"SQUEUE_ACCOUNT", "SQUEUE_LICENSES", "SQUEUE_PARTITION", "SQUEUE_QOS",
                           "SQUEUE_USERS", "SCANCEL_ACCOUNT", "SCANCEL_INTERACTIVE", "SCANCEL_NAME",
                           "SCANCEL_PARTITION", "SCANCEL_QOS", "SCANCEL_STATE", "SCANCEL_USER"})
    call.words.insert(call.words.end(), {"-u", name});
  call.words.insert(call.words.end(), words.begin(), words.end());
  call.keeps = keeps;
  const ProgramEnd end = run_to_end(call);
  if (!end.is_good()) return tl::unexpected(trouble_of(end.output));
  return end.output;
}

}  // namespace

bool ListedJob::is_alive() const {
  // "CANCELLED by 1000" is one of them too.
  return std::none_of(ended_states.begin(), ended_states.end(),
                      [&](std::string_view word) { return state.starts_with(word); });
}

bool ListedJob::is_stuck() const {
  if (state == "REQUEUE_HOLD" || state == "SPECIAL_EXIT") return true;
  return is_waiting() && has_any(reason, {"launch failed", "launch_failed", "JobHoldMaxRequeue",
                                          "DependencyNeverSatisfied"});
}

SchedulerTrouble trouble_of(const std::string& output) {
  SchedulerTrouble trouble;
  trouble.words = std::string(trimmed(output));
  if (has_any(output, {"Unable to contact", "Socket timed out", "Connection refused",
                       "Zero Bytes were transmitted", "Connection timed out", "backup controller",
                       "Transport endpoint is not connected", "Slurm temporarily unable"}))
    trouble.kind = SchedulerTrouble::Kind::away;
  else if (has_any(output, {"SubmitJob", "MaxSubmit", "job submit limit", "MaxJobCount",
                            "job array specification"}))
    trouble.kind = SchedulerTrouble::Kind::too_many;
  return trouble;
}

std::vector<ListedJob> jobs_of_squeue(const std::string& output) {
  std::vector<ListedJob> jobs;
  for (const auto line : split(output, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != columns) continue;
    const auto index = parse_integer(fields[2]);
    if (!index || *index < 0) continue;
    jobs.push_back({std::string(fields[0]), std::string(fields[1]),
                    static_cast<std::size_t>(*index), std::string(fields[3]),
                    std::string(fields[4]), std::string(fields[5]), std::string(fields[6])});
  }
  return jobs;
}

Answer<std::string> Slurm::submit(const std::filesystem::path& script) {
  const auto output = ask({"sbatch", "--parsable", script.string()});
  if (!output) return tl::unexpected(output.error());
  // "4711" or "4711;cluster", below lines that a site's plug-ins may print.
  for (const auto line : split(*output, '\n')) {
    const auto id = line.substr(0, line.find(';'));
    if (!id.empty() && std::all_of(id.begin(), id.end(), is_digit)) return std::string(id);
  }
  return tl::unexpected(
      SchedulerTrouble{SchedulerTrouble::Kind::refused, "sbatch printed no job id: " + *output});
}

Answer<std::vector<ListedJob>> Slurm::list(const std::vector<std::string>& names) {
  const auto output =
      ask({"squeue", "-h", "-r", "-t", "all", "--name=" + joined(names, ","), "-o", squeue_columns},
          longest_list);
  if (!output) return tl::unexpected(output.error());
  return jobs_of_squeue(*output);
}

Answer<void> Slurm::cancel(const std::vector<std::string>& ids) {
  std::vector<std::string> words{"scancel"};
  words.insert(words.end(), ids.begin(), ids.end());
  if (const auto output = ask(words); !output) return tl::unexpected(output.error());
  return {};
}

std::map<std::string, Joules> energy_of_sacct(const std::string& output) {
  std::map<std::string, Joules> found;
  for (const auto line : split(output, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != 2) continue;
    if (const auto joules = parse_number(fields[1]); joules && *joules > 0)
      found[std::string(fields[0])] = Joules{*joules};
  }
  return found;
}

Answer<std::map<std::string, Joules>> Slurm::energy(const std::vector<std::string>& jobs) {
  const auto output =
      ask({"sacct", "-n", "-P", "-D", "-j", joined(jobs, ","), "-o", "JobName,ConsumedEnergyRaw"},
          longest_list);
  if (!output) return tl::unexpected(output.error());
  return energy_of_sacct(*output);
}

}  // namespace prengdl
