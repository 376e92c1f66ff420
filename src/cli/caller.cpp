// SPDX-License-Identifier: Apache-2.0
#include "cli/caller.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/caller.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/strings.h"
#include "machine/fixes.h"
#include "privilege/fixed_program.h"
#include "privilege/helper.h"

namespace prengdl {
namespace {

/// Programs of the system that doctor's fixes call, wherever a system has them.
void run_system_program(const std::vector<std::string>& words) {
  for (const char* directory : {"/usr/sbin", "/usr/bin", "/sbin", "/bin"}) {
    const auto program = std::filesystem::path(directory) / words.front();
    if (access(program.c_str(), X_OK) != 0) continue;
    if (const auto trouble = run_fixed_program(program, {words.begin() + 1, words.end()}))
      throw Error(*trouble);
    return;
  }
  throw Error("this system has no " + words.front());
}

/// In the helper, which knows who called sudo by itself.
void apply_fix(const Caller& caller, std::size_t number) {
  const auto fixes = available_fixes(
      "/",
      [&](const std::string& name) {
        return name == "SUDO_USER" ? std::optional(caller.name) : std::nullopt;
      },
      run_system_program);
  if (number >= fixes.size()) throw Error("there is no such fix");
  fixes[number].apply();
}

/// The words after -- are the workload's.
bool asks_for_root(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word.starts_with("--as-root"); });
}

}  // namespace

void go_on_as_caller(const std::vector<std::string>& words) {
  const auto caller = calling_user();
  if (!caller) return;
  HelperDuties duties;
  duties.user = caller->user;
  duties.fix = [&](std::size_t number) { apply_fix(*caller, number); };
  start_root_helper(duties);
  allow_high_priority();
  become(*caller, asks_for_root(words));
}

bool workload_as_root(bool is_asked_for) {
  if (!is_asked_for) give_up_way_back();
  if (!has_way_back()) return false;
  std::cerr << "prengdl: warning: --as-root runs the workload as root: it may change everything on "
               "this machine\n";
  return true;
}

}  // namespace prengdl
