// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/study.h"

namespace prengdl {

/// One thing about the machine that a study changes, and the way back: a file of /sys with its
/// value before, or a command (of the GPU's tool) with the one that undoes it.
struct Setting {
  std::filesystem::path file;
  std::string before, after;
  std::vector<std::string> apply, undo;  // where there is no file

  std::string description() const;
};

/// All that must be changed to bring the machine below `root` to what the study wants; what is so
/// already is not in it. Throws an Error that names what the machine does not offer, before
/// anything is changed.
std::vector<Setting> settings_for(const std::filesystem::path& root, const MachineControl& control);

/// Changes them in order. If one fails, those before are undone and the Error says which and why.
void apply(const std::vector<Setting>& settings);

/// Undoes them, last first, as far as it can; what could not be undone, in words.
std::vector<std::string> undo(const std::vector<Setting>& settings) noexcept;

/// The way back as text, for the file that outlives us if we are killed with our guardian.
std::string way_back(const std::vector<Setting>& settings);
Result<std::vector<Setting>> read_way_back(const std::string& text);

}  // namespace prengdl
