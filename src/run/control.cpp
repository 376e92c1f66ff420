// SPDX-License-Identifier: Apache-2.0
#include "run/control.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "run/process.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// Linux refuses a write to /sys at write(), not at open(), so the whole text goes in one.
void write_value(const fs::path& file, const std::string& value) {
  try {
    write_text(file, value);
  } catch (const Error& error) {
    throw Error(error.what(),
                "settings of the machine need root: sudo prengdl run ..., or leave "
                "governor, turbo and clocks out of the study file");
  }
}

void add_file(const fs::path& file, const std::string& wanted, std::vector<Setting>& settings) {
  const auto now = read_attribute(file);
  if (!now) throw Error("cannot read " + file.string(), "is it readable for this user?");
  if (*now != wanted) settings.push_back({file, *now, wanted, {}, {}});
}

void add_governor(const fs::path& root, const std::string& governor,
                  std::vector<Setting>& settings) {
  const fs::path policies = root / "sys/devices/system/cpu/cpufreq";
  bool found = false;
  for (const auto& name : list_directory(policies)) {
    const fs::path file = policies / name / "scaling_governor";
    if (!name.starts_with("policy") || !read_attribute(file)) continue;
    found = true;
    const std::string offered =
        read_attribute(policies / name / "scaling_available_governors").value_or("");
    const auto choices = words(offered);
    if (!choices.empty() && std::find(choices.begin(), choices.end(), governor) == choices.end())
      throw Error(fmt::format("{} does not offer the governor {}", file.string(), governor),
                  "it offers: " + offered);
    add_file(file, governor, settings);
  }
  if (!found)
    throw Error(fmt::format("the study wants the governor {}, but no CPU here has one", governor),
                "a virtual machine's clock is set by its host: leave protocol.governor out");
}

void add_turbo(const fs::path& root, bool turbo, std::vector<Setting>& settings) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  if (const fs::path file = cpus / "intel_pstate/no_turbo"; read_attribute(file))
    return add_file(file, turbo ? "0" : "1", settings);
  if (const fs::path file = cpus / "cpufreq/boost"; read_attribute(file))
    return add_file(file, turbo ? "1" : "0", settings);
  throw Error("the study sets turbo, but this machine has no switch for it",
              "leave protocol.turbo out");
}

int run_quietly(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (auto& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", 02 /* O_RDWR */, 0);
  pid_t pid{};
  const int trouble = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0) return 127;
  int status{};
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

std::string Setting::description() const {
  if (!file.empty()) return fmt::format("{}: {} -> {}", file.string(), before, after);
  return shell_line(apply);
}

std::vector<Setting> settings_for(const fs::path& root, const MachineControl& control) {
  std::vector<Setting> settings;
  if (control.governor) add_governor(root, *control.governor, settings);
  if (control.turbo) add_turbo(root, *control.turbo, settings);
  if (control.gpu_clock_mhz) {
    const char* path = std::getenv("PATH");
    if (!find_program("nvidia-smi", path ? path : "/usr/bin"))
      throw Error("the study locks the GPU's clock, but there is no nvidia-smi in PATH",
                  "leave protocol.gpu_clock out");
    const std::string clock = std::to_string(*control.gpu_clock_mhz);
    settings.push_back(
        {"", "", "", {"nvidia-smi", "-lgc", clock + "," + clock}, {"nvidia-smi", "-rgc"}});
  }
  return settings;
}

void apply(const std::vector<Setting>& settings) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    try {
      if (!settings[i].file.empty())
        write_value(settings[i].file, settings[i].after);
      else if (const int code = run_quietly(settings[i].apply); code != 0)
        throw Error(fmt::format("{} ended with {}", shell_line(settings[i].apply), code),
                    "clocks of a GPU can only be locked as root");
    } catch (const Error&) {
      undo({settings.begin(), settings.begin() + static_cast<std::ptrdiff_t>(i)});
      throw;
    }
  }
}

std::vector<std::string> undo(const std::vector<Setting>& settings) noexcept {
  std::vector<std::string> troubles;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting) {
    try {
      if (!setting->file.empty())
        write_value(setting->file, setting->before);
      else if (run_quietly(setting->undo) != 0)
        troubles.push_back(shell_line(setting->undo) + " failed");
    } catch (const std::exception& error) {
      troubles.emplace_back(error.what());
    }
  }
  return troubles;
}

std::string way_back(const std::vector<Setting>& settings) {
  std::string text;
  for (const auto& setting : settings) {
    const std::vector<std::string> line =
        setting.file.empty()
            ? setting.undo
            : std::vector<std::string>{"write", setting.before, setting.file.string()};
    text += (setting.file.empty() ? "run " : "") + shell_line(line) + "\n";
  }
  return text;
}

Result<std::vector<Setting>> read_way_back(const std::string& text) {
  std::vector<Setting> settings;
  for (const auto line : split(text, '\n')) {
    if (trimmed(line).empty()) continue;
    auto parts = shell_words(line);
    if (!parts || parts->size() < 2) return failure("cannot read the line: " + std::string(line));
    if (parts->front() == "write" && parts->size() == 3)
      settings.push_back({(*parts)[2], (*parts)[1], "", {}, {}});
    else if (parts->front() == "run")
      settings.push_back({"", "", "", {}, {parts->begin() + 1, parts->end()}});
    else
      return failure("cannot read the line: " + std::string(line));
  }
  return settings;
}

}  // namespace prengdl
