// SPDX-License-Identifier: Apache-2.0
#include "privilege/settings.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/escaping.h"
#include "base/files.h"
#include "base/own_files.h"
#include "base/strings.h"
#include "privilege/fixed_program.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

const fs::path cpu_directory = "sys/devices/system/cpu";
constexpr std::string_view first_line = "prengdl-settings/1";
constexpr int highest_clock_mhz = 10'000;

bool is_policy(std::string_view name) {
  if (!name.starts_with("policy")) return false;
  name.remove_prefix(6);
  return !name.empty() && name.size() <= 5 && std::all_of(name.begin(), name.end(), is_digit);
}

bool is_governor(std::string_view name) {
  return !name.empty() && name.size() <= 15 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || is_digit(c);
  });
}

bool is_switch(std::string_view value) { return value == "0" || value == "1"; }

std::optional<std::string> value_of(const SettingsHost& host, const Setting& setting) {
  return read_attribute(open_below(host.root, setting.file(), O_RDONLY));
}

/// Linux refuses a write to /sys at write(), not at open(), so the whole text goes in one.
void write_value(const SettingsHost& host, const Setting& setting, const std::string& value) {
  const FileDescriptor file = open_below(host.root, setting.file(), O_WRONLY | O_TRUNC);
  if (file && ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()))
    return;
  const int reason = errno;
  throw Error(
      fmt::format("cannot write {}: {}", (host.root / setting.file()).string(), error_text(reason)),
      "settings of the machine need root: sudo prengdl run ..., or leave governor, turbo "
      "and clocks out of the study file");
}

/// A value that could not be written back later is not changed in the first place.
void add(const SettingsHost& host, Setting setting, bool (*is_known)(std::string_view),
         std::vector<Setting>& settings) {
  const std::string file = (host.root / setting.file()).string();
  const auto now = value_of(host, setting);
  if (!now) throw Error("cannot read " + file, "is it readable for this user?");
  if (!is_known(*now))
    throw Error(fmt::format("{} holds '{}', which prengdl does not know how to restore", file,
                            printable(shortened(*now, 40))),
                "leave this setting out of the study file");
  if (*now == setting.after) return;
  setting.before = *now;
  settings.push_back(std::move(setting));
}

void add_governor(const SettingsHost& host, const std::string& governor,
                  std::vector<Setting>& settings) {
  bool is_found = false;
  const fs::path policies = host.root / cpu_directory / "cpufreq";
  for (const auto& name : list_directory(policies)) {
    Setting setting{Setting::What::governor, name, "", governor};
    if (!is_policy(name) || !value_of(host, setting)) continue;
    is_found = true;
    const std::string offered =
        read_attribute(open_below(host.root,
                                  cpu_directory / "cpufreq" / name / "scaling_available_governors",
                                  O_RDONLY))
            .value_or("");
    const auto choices = words(offered);
    if (!is_governor(governor) ||
        std::find(choices.begin(), choices.end(), governor) == choices.end())
      throw Error(fmt::format("{} does not offer the governor {}",
                              (host.root / setting.file()).string(), printable(governor)),
                  "it offers: " + offered);
    add(host, std::move(setting), is_governor, settings);
  }
  if (!is_found)
    throw Error(
        fmt::format("the study sets the governor {}, but no CPU here has one", printable(governor)),
        "a virtual machine's clock is set by its host: leave protocol.governor out");
}

void add_turbo(const SettingsHost& host, bool turbo, std::vector<Setting>& settings) {
  Setting intel{Setting::What::no_turbo, "", "", turbo ? "0" : "1"};
  if (value_of(host, intel)) return add(host, std::move(intel), is_switch, settings);
  Setting other{Setting::What::boost, "", "", turbo ? "1" : "0"};
  if (value_of(host, other)) return add(host, std::move(other), is_switch, settings);
  throw Error("the study sets turbo, but this machine has no switch for it",
              "leave protocol.turbo out");
}

void add_gpu_clock(const SettingsHost& host, int clock_mhz, std::vector<Setting>& settings) {
  if (clock_mhz < 1 || clock_mhz > highest_clock_mhz)
    throw Error(
        fmt::format("a GPU clock of {} MHz is outside 1 to {}", clock_mhz, highest_clock_mhz),
        "correct protocol.gpu_clock");
  if (host.gpu_tool.empty())
    throw Error("the study locks the GPU's clock, which is not possible below another --root",
                "leave protocol.gpu_clock or --root out");
  if (access(host.gpu_tool.c_str(), X_OK) != 0)
    throw Error(
        fmt::format("the study locks the GPU's clock, but there is no {}", host.gpu_tool.string()),
        "leave protocol.gpu_clock out");
  settings.push_back({Setting::What::gpu_clock, "", "", std::to_string(clock_mhz)});
}

void run_gpu_tool(const SettingsHost& host, const std::vector<std::string>& arguments) {
  if (const auto trouble = run_fixed_program(host.gpu_tool, arguments))
    throw Error(*trouble, "clocks of a GPU can only be locked as root");
}

void write_back(const SettingsHost& host, const Setting& setting) {
  if (setting.what == Setting::What::gpu_clock)
    run_gpu_tool(host, {"-rgc"});
  else
    write_value(host, setting, setting.before);
}

Result<Setting> read_line(std::string_view line) {
  const auto parts = words(line);
  Setting setting;
  if (parts.size() == 1 && parts[0] == "gpu_clock") {
    setting.what = Setting::What::gpu_clock;
    return setting;
  }
  if (parts.size() == 3 && parts[0] == "governor" && is_policy(parts[1]) && is_governor(parts[2]))
    return Setting{Setting::What::governor, std::string(parts[1]), std::string(parts[2]), ""};
  if (parts.size() == 2 && is_switch(parts[1]) && (parts[0] == "no_turbo" || parts[0] == "boost")) {
    setting.what = parts[0] == "boost" ? Setting::What::boost : Setting::What::no_turbo;
    setting.before = std::string(parts[1]);
    return setting;
  }
  return failure(
      fmt::format("'{}' is not a setting of prengdl", printable(shortened(std::string(line), 80))));
}

}  // namespace

fs::path Setting::file() const {
  switch (what) {
    case What::governor:
      return cpu_directory / "cpufreq" / policy / "scaling_governor";
    case What::no_turbo:
      return cpu_directory / "intel_pstate/no_turbo";
    case What::boost:
      return cpu_directory / "cpufreq/boost";
    case What::gpu_clock:
      break;
  }
  return {};
}

std::string Setting::description() const {
  if (what == What::gpu_clock) return "the GPU's clock: not locked";
  return fmt::format("/{}: {}", file().string(), before);
}

std::vector<Setting> settings_for(const SettingsHost& host, const MachineControl& control) {
  std::vector<Setting> settings;
  if (control.governor) add_governor(host, *control.governor, settings);
  if (control.turbo) add_turbo(host, *control.turbo, settings);
  if (control.gpu_clock_mhz) add_gpu_clock(host, *control.gpu_clock_mhz, settings);
  return settings;
}

void apply_settings(const SettingsHost& host, const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    if (setting.what == Setting::What::gpu_clock)
      run_gpu_tool(host, {"-lgc", setting.after + "," + setting.after});
    else
      write_value(host, setting, setting.after);
  }
}

std::vector<NotUndone> undo_settings(const SettingsHost& host,
                                     const std::vector<Setting>& settings) noexcept {
  std::vector<NotUndone> left;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting) {
    try {
      write_back(host, *setting);
    } catch (const std::exception& error) {
      left.push_back({*setting, error.what()});
    }
  }
  std::reverse(left.begin(), left.end());
  return left;
}

std::string way_back_text(const std::vector<Setting>& settings) {
  std::string text = std::string(first_line) + "\n";
  for (const auto& setting : settings) {
    switch (setting.what) {
      case Setting::What::governor:
        text += fmt::format("governor {} {}\n", setting.policy, setting.before);
        break;
      case Setting::What::no_turbo:
        text += fmt::format("no_turbo {}\n", setting.before);
        break;
      case Setting::What::boost:
        text += fmt::format("boost {}\n", setting.before);
        break;
      case Setting::What::gpu_clock:
        text += "gpu_clock\n";
        break;
    }
  }
  return text;
}

Result<std::vector<Setting>> read_way_back(std::string_view text) {
  std::vector<Setting> settings;
  bool is_first = true;
  for (const auto line : split(text, '\n')) {
    if (std::exchange(is_first, false)) {
      if (line != first_line) return failure("it does not begin with " + std::string(first_line));
      continue;
    }
    if (line.empty()) continue;
    auto setting = read_line(line);
    if (!setting) return tl::unexpected(setting.error());
    settings.push_back(std::move(*setting));
  }
  return settings;
}

}  // namespace prengdl
