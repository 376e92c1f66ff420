// SPDX-License-Identifier: Apache-2.0
#include "machine/controlled_machine.h"

#include <unistd.h>

#include "privilege/machine_settings.h"

namespace prengdl {
namespace {

bool is_needed(const std::filesystem::path& root, const MachineControl& control) {
  if (control.governor || control.turbo || control.gpu_clock_mhz || control.drop_caches)
    return true;
  std::error_code none;
  return std::filesystem::exists(MachineSettings({.root = root, .gpu_tool = {}}).record(), none);
}

}  // namespace

ControlledMachine::ControlledMachine(const std::filesystem::path& root,
                                     const MachineControl& control) {
  const auto absolute = std::filesystem::absolute(root).lexically_normal();
  if (absolute == "/") helper_ = root_helper();
  if (!helper_ && is_needed(absolute, control)) {
    HelperDuties duties;
    duties.host.root = absolute;
    // A program below another root is not a program of this system.
    if (absolute != "/") duties.host.gpu_tool = "";
    duties.user = geteuid();
    own_ = std::make_unique<Helper>(duties);
    helper_ = own_.get();
  }
  if (helper_) recovered_ = helper_->set_machine(control);
}

ControlledMachine::~ControlledMachine() {
  // With a helper of our own its end does that.
  if (helper_ && !own_) helper_->restore_machine();
}

std::vector<std::string> ControlledMachine::restore() {
  return helper_ ? helper_->restore_machine() : std::vector<std::string>{};
}

void ControlledMachine::drop_caches() {
  if (helper_) helper_->drop_caches();
}

}  // namespace prengdl
