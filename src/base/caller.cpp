// SPDX-License-Identifier: Apache-2.0
#include "base/caller.h"

#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>

#include "base/error.h"
#include "base/files.h"
#include "base/parse.h"

namespace prengdl {
namespace {

constexpr const char* changed_variables[] = {"HOME",     "USER",      "LOGNAME",
                                             "SHELL",    "MAIL",      "SUDO_UID",
                                             "SUDO_GID", "SUDO_USER", "SUDO_COMMAND"};

/// What a child needs to be root again; filled before the program has threads.
struct WayBack {
  bool is_kept = false;
  gid_t group{};
  std::vector<gid_t> groups;
  std::vector<std::pair<std::string, std::optional<std::string>>> variables;
};

WayBack& way_back() {
  static WayBack way;
  return way;
}

/// Ids are 32 bits wide, and the largest means "leave it as it is" to the kernel.
std::optional<std::uint32_t> id_in(const char* variable) {
  const char* text = std::getenv(variable);
  const auto number = text ? parse_integer(text) : std::nullopt;
  if (!number || *number < 0 || *number >= std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::vector<gid_t> groups_of(const char* name, gid_t group) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (getgrouplist(name, group, groups.data(), &count) < 0)
    groups.resize(static_cast<std::size_t>(count));
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

void remember_root() {
  WayBack& way = way_back();
  way.group = getegid();
  const int count = getgroups(0, nullptr);
  way.groups.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count > 0 && getgroups(count, way.groups.data()) < 0) way.groups.clear();
  way.variables.clear();
  for (const char* name : changed_variables) {
    const char* value = std::getenv(name);
    way.variables.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
  }
}

void take_environment_of(const Caller& caller) {
  for (const char* name : changed_variables) unsetenv(name);
  setenv("HOME", caller.home.c_str(), 1);
  setenv("USER", caller.name.c_str(), 1);
  setenv("LOGNAME", caller.name.c_str(), 1);
  setenv("SHELL", caller.shell.c_str(), 1);
}

[[noreturn]] void cannot_drop(int reason) {
  throw Error("cannot become the calling user: " + error_text(reason), "call prengdl without sudo");
}

void check_user(uid_t user, uid_t saved) {
  uid_t ids[3];
  if (getresuid(&ids[0], &ids[1], &ids[2]) != 0) cannot_drop(errno);
  if (ids[0] != user || ids[1] != user || ids[2] != saved) cannot_drop(EPERM);
}

/// Of this thread alone: the functions of the C library would change all threads.
bool set_effective_user(uid_t user) noexcept {
  return syscall(SYS_setresuid, static_cast<uid_t>(-1), user, static_cast<uid_t>(-1)) == 0;
}

}  // namespace

std::optional<Caller> calling_user() {
  if (geteuid() != 0 || !std::getenv("SUDO_UID")) return std::nullopt;
  const auto user = id_in("SUDO_UID");
  const auto group = id_in("SUDO_GID");
  if (!user || !group)
    throw Error("SUDO_UID and SUDO_GID do not name a user",
                "call prengdl by sudo, or as root without these variables");
  if (*user == 0) return std::nullopt;
  Caller caller;
  caller.user = *user;
  caller.group = *group;
  if (const passwd* entry = getpwuid(caller.user)) {
    caller.name = entry->pw_name;
    caller.home = entry->pw_dir;
    caller.shell = entry->pw_shell;
    caller.groups = groups_of(caller.name.c_str(), caller.group);
  } else {
    caller.name = std::to_string(caller.user);
    caller.home = "/";
    caller.shell = "/bin/sh";
    caller.groups = {caller.group};
  }
  return caller;
}

void become(const Caller& caller, bool keep_way_back) {
  remember_root();
  const uid_t saved = keep_way_back ? 0 : caller.user;
  if (setgroups(caller.groups.size(), caller.groups.data()) != 0 ||
      setresgid(caller.group, caller.group, caller.group) != 0 ||
      setresuid(caller.user, caller.user, saved) != 0)
    cannot_drop(errno);
  check_user(caller.user, saved);
  if (!keep_way_back && setuid(0) == 0) cannot_drop(EPERM);
  way_back().is_kept = keep_way_back;
  // Other processes of the user, the workload among them, can neither trace this one nor take its
  // descriptors: the counters that root has opened, and the link to the helper.
  prctl(PR_SET_DUMPABLE, 0);
  take_environment_of(caller);
}

bool has_way_back() noexcept { return way_back().is_kept; }

void give_up_way_back() {
  if (!way_back().is_kept) return;
  const uid_t user = getuid();
  if (setresuid(user, user, user) != 0) cannot_drop(errno);
  check_user(user, user);
  way_back().is_kept = false;
}

bool become_root_again() noexcept {
  const WayBack& way = way_back();
  return way.is_kept && syscall(SYS_setresuid, 0, 0, 0) == 0 &&
         syscall(SYS_setresgid, way.group, way.group, way.group) == 0 &&
         syscall(SYS_setgroups, way.groups.size(), way.groups.data()) == 0;
}

const std::vector<std::pair<std::string, std::optional<std::string>>>& variables_before() {
  return way_back().variables;
}

ActingAsRoot::ActingAsRoot() noexcept : is_active_(has_way_back() && set_effective_user(0)) {}

ActingAsRoot::~ActingAsRoot() {
  // Never in fact: a process may always return to its real user id.
  if (is_active_ && !set_effective_user(getuid())) _exit(1);
}

bool send_signal(pid_t process, int number) noexcept {
  const ActingAsRoot root;
  return kill(process, number) == 0;
}

}  // namespace prengdl
