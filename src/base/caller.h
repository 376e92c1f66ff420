// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace prengdl {

/// The user who called sudo.
struct Caller {
  uid_t user{};
  gid_t group{};
  std::vector<gid_t> groups;
  std::string name;
  std::string home;
  std::string shell;
};

/// That user, if we are root on behalf of one. Throws where the variables of sudo name no user:
/// it would be unsafe to go on as root then.
std::optional<Caller> calling_user();

/// Becomes that user for good: all three user and group ids, the supplementary groups, and the
/// variables that name a user. Other processes of that user cannot trace this one. With
/// `keep_way_back` the saved user id stays root's, for --as-root: only the functions below use it.
/// Throws unless it has worked.
void become(const Caller& caller, bool keep_way_back);

/// Whether a way back to root was kept.
bool has_way_back() noexcept;

/// Gives it up, also for good. Throws unless it has worked.
void give_up_way_back();

/// For a child, right before its exec: root in every respect, as sudo had made us. False if that
/// failed. Async-signal-safe.
bool become_root_again() noexcept;

/// What `become` has changed in the environment, as it was: for a program that runs as root.
/// A variable that was missing has no value.
const std::vector<std::pair<std::string, std::optional<std::string>>>& variables_before();

/// As long as it lives, this thread alone has root's effective user id, if a way back was kept;
/// else it does nothing. To signal a workload that runs as root.
class ActingAsRoot {
 public:
  ActingAsRoot() noexcept;
  ~ActingAsRoot();
  ActingAsRoot(const ActingAsRoot&) = delete;
  ActingAsRoot& operator=(const ActingAsRoot&) = delete;

 private:
  bool is_active_;
};

/// kill(), also of processes that --as-root has made root's. `process` below 0 is a group.
bool send_signal(pid_t process, int number) noexcept;

}  // namespace prengdl
