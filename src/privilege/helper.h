// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/detached_process.h"
#include "base/error.h"
#include "base/files.h"
#include "model/study.h"
#include "privilege/helper_duties.h"
#include "privilege/helper_message.h"

namespace prengdl {

/// The process that does for us what needs root, and our end of the link to it. It can do what is
/// listed here and nothing else. When we end, however we end, it restores what it has changed and
/// ends too. Threads may share it.
class Helper {
 public:
  /// Forks it with the rights that we have now.
  explicit Helper(const HelperDuties& duties);
  /// Lets it go and waits until the machine is as it was.
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  pid_t process() const { return process_.pid; }

  /// A file of sys/class/KIND/ENTRY, for reading. errno has the reason if there is none.
  FileDescriptor open_meter(const std::string& kind, const std::string& entry,
                            const std::string& attribute);

  /// A counter of the PMU `power`. errno has the reason if there is none.
  FileDescriptor open_perf_event(std::uint64_t config, int cpu);

  /// As open_exit_event, of a process of the user's.
  FileDescriptor watch_exit(pid_t process) noexcept;

  /// Keeps the idle CPUs of a guest from being halted. False if it cannot.
  bool keep_awake(bool is_wanted);

  /// Whether the processor blurs RAPL, if that can be known.
  std::optional<bool> energy_filter();

  /// As those of MachineSettings.
  std::vector<std::string> set_machine(const MachineControl& control);
  std::vector<std::string> restore_machine();

  /// Writes dirty pages back and drops the page cache. Throws an Error where that is forbidden.
  void drop_caches();

  /// Applies a fix of doctor's by its number. Throws the Error that stopped it.
  void fix(std::size_t number);

 private:
  struct Answer {
    HelperReply reply;
    FileDescriptor file;
  };
  Answer ask(const HelperRequest& request);
  Answer must(const HelperRequest& request);
  FileDescriptor descriptor(const HelperRequest& request);

  DetachedProcess process_;
  std::mutex mutex_;
};

/// The helper that has stayed root while this program dropped to the calling user; null if there
/// is none. It knows the machine at / and no other.
Helper* root_helper();

/// Makes it. To be called once, as root, before anything of the user's is read.
void start_root_helper(const HelperDuties& duties);

/// Lets it go: for a program that continues as another one.
void end_root_helper();

/// The processes of all helpers that this program has now. They are no part of a workload.
std::vector<pid_t> helper_processes();

}  // namespace prengdl
