// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/this_process.h"
#include "machine/doctor.h"

namespace prengdl {

/// Something that doctor can put right. `apply` throws an Error that says what stopped it.
struct Fix {
  std::string id;
  std::string description;            // what changes, for how long, and what it costs
  std::vector<std::string> commands;  // the same by hand, one shell line each
  std::function<void()> apply;
};

/// Runs a program of the system (groupadd, udevadm) and throws an Error if it fails.
using RunCommand = std::function<void(const std::vector<std::string>& arguments)>;

/// Asks the user; nothing is changed without a yes.
using Confirm = std::function<bool(const Fix& fix)>;

/// What became of a fix that was offered.
struct FixResult {
  std::string id;
  bool is_applied = false;
};

/// All fixes for the machine below `root`; files are written below it, programs go to `run`.
/// SUDO_USER of the environment is the user who gets the right to read.
std::vector<Fix> available_fixes(const std::filesystem::path& root, const Variables& variables,
                                 const RunCommand& run);

/// Offers each fix that a check asks for, once, and applies those that `confirm` accepts. Throws
/// the Error of the first that fails.
std::vector<FixResult> apply_fixes(const std::vector<Check>& checks, const std::vector<Fix>& fixes,
                                   const Confirm& confirm);

}  // namespace prengdl
