// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "privilege/helper.h"

namespace prengdl {

/// The machine as a study wants it, for as long as this lives. Whatever happens to us, a process of
/// its own (Helper) restores the settings: the one that has stayed root under sudo, else one with
/// our own rights.
class ControlledMachine {
 public:
  /// First restores what a killed run has left changed, then sets what the study wants. Throws an
  /// Error if either fails.
  ControlledMachine(const std::filesystem::path& root, const MachineControl& control);
  ~ControlledMachine();
  ControlledMachine(const ControlledMachine&) = delete;
  ControlledMachine& operator=(const ControlledMachine&) = delete;

  /// What a killed run had left changed.
  const std::vector<std::string>& recovered() const { return recovered_; }

  /// What could not be restored, in words. The next start tries again.
  std::vector<std::string> restore();

  /// Of a study that asks for it, before each run.
  void drop_caches();

 private:
  std::unique_ptr<Helper> own_;
  Helper* helper_ = nullptr;
  std::vector<std::string> recovered_;
};

}  // namespace prengdl
