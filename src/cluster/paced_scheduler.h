// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "campaign/run_keeper.h"
#include "cluster/scheduler.h"

namespace prengdl {

/// No two calls of the scheduler are closer than this, however many jobs there are.
constexpr Seconds between_calls{5};

/// A scheduler that is asked seldom, and less often while nothing changes. Whether it answers is
/// noted in the result.
class PacedScheduler {
 public:
  PacedScheduler(Scheduler& scheduler, Clock& clock, RunKeeper& keeper)
      : scheduler_(scheduler), clock_(clock), keeper_(keeper) {}

  bool may_call() const { return clock_.now_ns() >= next_call_ns_; }
  bool is_list_due() const { return clock_.now_ns() >= next_list_ns_; }
  /// Something has changed: the next list comes as soon as a call may be made.
  void list_soon();
  void wait_for_call() { clock_.sleep_until(next_call_ns_); }
  bool is_away() const { return is_away_; }

  // As those of Scheduler. Trouble of another kind than `away` is thrown, except by submit().
  Answer<std::string> submit(const std::filesystem::path& script);
  Answer<std::vector<ListedJob>> list(const std::vector<std::string>& names);
  Answer<void> cancel(const std::vector<std::string>& ids);
  Answer<std::map<std::string, Joules>> energy(const std::vector<std::string>& jobs);

 private:
  template <class T>
  Answer<T> heard(Answer<T> answer);

  Scheduler& scheduler_;
  Clock& clock_;
  RunKeeper& keeper_;
  std::int64_t next_call_ns_ = 0;
  std::int64_t next_list_ns_ = 0;
  Seconds interval_ = between_calls;
  bool is_away_ = false;
};

}  // namespace prengdl
