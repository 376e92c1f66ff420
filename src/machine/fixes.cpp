// SPDX-License-Identifier: Apache-2.0
#include "machine/fixes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/shell_words.h"
#include "base/strings.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

const char* const rule_file = "etc/udev/rules.d/60-prengdl-rapl.rules";

// Only the two files that a reader needs, only for reading: the power limits next to them stay
// root's. %p is the path of the zone below /sys.
const char* const rule_text =
    "# Installed by prengdl doctor --fix. Members of the group prengdl may read the energy counters"
    "\n# of the processor. They are root's by default because of the PLATYPUS side channel"
    " (CVE-2020-8694):\n# users who read them can infer secrets of other users, so the group"
    " should be small.\n"
    "ACTION!=\"remove\", SUBSYSTEM==\"powercap\", KERNEL==\"intel-rapl*:*\", "
    "RUN+=\"/bin/chgrp prengdl /sys%p/energy_uj /sys%p/max_energy_range_uj\", "
    "RUN+=\"/bin/chmod g+r /sys%p/energy_uj /sys%p/max_energy_range_uj\"\n";

std::vector<std::string> shown(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::string> lines;
  lines.reserve(commands.size());
  for (const auto& command : commands) lines.push_back("sudo " + shell_line(command));
  return lines;
}

Fix rapl_fix(const fs::path& root, const Variables& variables, const RunCommand& run) {
  const auto user = variables ? variables("SUDO_USER") : std::nullopt;
  std::vector<std::vector<std::string>> before{{"groupadd", "--system", "--force", "prengdl"}};
  if (user && !user->empty() && *user != "root")
    before.push_back({"usermod", "--append", "--groups", "prengdl", *user});
  const std::vector<std::vector<std::string>> after{
      {"udevadm", "control", "--reload"},
      {"udevadm", "trigger", "--action=change", "--subsystem-match=powercap"}};

  Fix fix;
  fix.id = "rapl-udev";
  fix.description = fmt::format(
      "let the group prengdl read the energy counters of the processor, now and after each boot. "
      "Only root may read them because they leak what others compute (PLATYPUS), so a group is "
      "safer than all users. {}",
      before.size() > 1 ? fmt::format("{} joins the group: log in again afterwards.", *user)
                        : "Add users with: sudo usermod -a -G prengdl USER, and log in again.");
  fix.commands = shown(before);
  fix.commands.push_back(fmt::format("sudo tee /{} <<'EOF'\n{}EOF", rule_file, rule_text));
  for (auto& line : shown(after)) fix.commands.push_back(std::move(line));
  fix.apply = [root, run, before, after] {
    for (const auto& command : before) run(command);
    std::error_code reason;
    fs::create_directories((root / rule_file).parent_path(), reason);
    if (reason)
      throw Error(fmt::format("cannot make {}: {}", (root / rule_file).parent_path().string(),
                              reason.message()),
                  "run as root: sudo prengdl doctor --fix");
    write_text(root / rule_file, rule_text);
    for (const auto& command : after) run(command);
  };
  return fix;
}

std::vector<fs::path> governor_files(const fs::path& root) {
  std::vector<fs::path> files;
  const fs::path policies = root / "sys/devices/system/cpu/cpufreq";
  std::error_code none;
  for (const auto& name : list_directory(policies))
    if (name.starts_with("policy") && fs::exists(policies / name / "scaling_governor", none))
      files.push_back(policies / name / "scaling_governor");
  return files;
}

void set_performance(const fs::path& root) {
  const auto files = governor_files(root);
  if (files.empty())
    throw Error("no CPU has a governor below " + (root / "sys/devices/system/cpu").string(),
                "a virtual machine's clock is set by its host");
  // Checked for all before the first is changed: a machine with two governors is worse than before.
  for (const auto& file : files) {
    const auto list =
        read_optional(file.parent_path() / "scaling_available_governors").value_or("");
    const auto choices = words(list);
    if (!choices.empty() &&
        std::find(choices.begin(), choices.end(), "performance") == choices.end())
      throw Error(file.string() + " does not offer performance", "it offers: " + list);
  }
  for (const auto& file : files) write_text(file, "performance");
}

Fix governor_fix(const fs::path& root) {
  std::set<std::string> now;
  for (const auto& file : governor_files(root))
    if (auto governor = read_optional(file)) now.insert(*governor);
  const std::string before = now.size() == 1 ? *now.begin() : "powersave or schedutil";
  Fix fix;
  fix.id = "governor-performance";
  fix.description = fmt::format(
      "set the governor performance on all CPUs until the next boot. The machine draws more when "
      "idle; undo it with: sudo cpupower frequency-set -g {}",
      before);
  fix.commands = {
      "echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor"};
  fix.apply = [root] { set_performance(root); };
  return fix;
}

}  // namespace

std::vector<Fix> available_fixes(const fs::path& root, const Variables& variables,
                                 const RunCommand& run) {
  return {rapl_fix(root, variables, run), governor_fix(root)};
}

std::vector<FixResult> apply_fixes(const std::vector<Check>& checks, const std::vector<Fix>& fixes,
                                   const Confirm& confirm) {
  std::vector<FixResult> results;
  for (const auto& fix : fixes) {
    const bool is_asked_for = std::any_of(checks.begin(), checks.end(), [&](const Check& check) {
      return check.fix == fix.id && check.severity != Severity::ok;
    });
    if (!is_asked_for) continue;
    const bool is_wanted = confirm && confirm(fix);
    if (is_wanted) fix.apply();
    results.push_back({fix.id, is_wanted});
  }
  return results;
}

}  // namespace prengdl
