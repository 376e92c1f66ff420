// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "privilege/settings.h"

namespace prengdl {

/// The settings of the machine while a study runs, and the way back, which outlives us: it lies in
/// ROOT/run/prengdl, a directory that only its owner may enter. One process at a time changes the
/// settings of a machine; it holds a lock there.
class MachineSettings {
 public:
  explicit MachineSettings(SettingsHost host);

  /// First gives back what a killed process has left changed, then sets what the study wants. What
  /// was given back, in words. Throws an Error if either fails; then nothing new has been changed.
  std::vector<std::string> set(const MachineControl& control);

  /// Gives back what was set. What could not be given back, in words: of that the record stays, and
  /// the next set() tries again.
  std::vector<std::string> restore();

  /// The file that records the way back.
  std::filesystem::path record() const;

 private:
  bool enter(bool make);
  bool lock();
  void recover(std::vector<std::string>& recovered);
  void keep(const std::vector<Setting>& settings);

  SettingsHost host_;
  FileDescriptor directory_;
  FileDescriptor lock_;
  std::vector<Setting> settings_;  // that are changed now
};

}  // namespace prengdl
