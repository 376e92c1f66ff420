// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/study.h"

namespace prengdl {

/// One thing about the machine that a study may change: there are no others.
struct Setting {
  enum class What { governor, no_turbo, boost, gpu_clock };
  What what{};
  std::string policy;  // of a governor: "policy0"
  std::string before;  // empty for the GPU's clock, which is given back to its driver
  std::string after;

  /// Below the root; empty for the GPU's clock.
  std::filesystem::path file() const;
  /// "policy0/scaling_governor: powersave", as it was.
  std::string description() const;
};

/// The machine whose settings are changed.
struct SettingsHost {
  std::filesystem::path root = "/";  // absolute
  std::filesystem::path gpu_tool = "/usr/bin/nvidia-smi";
};

/// All that must be changed to bring the machine to what the study wants; what is so already is not
/// in it. Throws an Error that names what the machine does not offer, before anything is changed.
std::vector<Setting> settings_for(const SettingsHost& host, const MachineControl& control);

/// Changes them in order. Throws an Error that says which failed and why; those before it stay.
void apply_settings(const SettingsHost& host, const std::vector<Setting>& settings);

/// A setting that could not be given back, and why.
struct NotUndone {
  Setting setting;
  std::string reason;
};

/// Gives them back, last first, as far as it can.
std::vector<NotUndone> undo_settings(const SettingsHost& host,
                                     const std::vector<Setting>& settings) noexcept;

/// The way back as text. Reading it takes nothing for granted: what is not one of the settings
/// above, with a value that they can have, is an Error.
std::string way_back_text(const std::vector<Setting>& settings);
Result<std::vector<Setting>> read_way_back(std::string_view text);

}  // namespace prengdl
