// SPDX-License-Identifier: Apache-2.0
#include "run/attendant.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/clock.h"

namespace prengdl {
namespace {

constexpr std::int64_t attend_ns = 200'000'000;

}  // namespace

void Attendant::attend(int done, const std::function<void(Seconds)>& meanwhile) {
  for (;;) {
    pollfd watched[2] = {{done, POLLIN, 0}, {settings_.signals, POLLIN, 0}};
    const std::int64_t now = monotonic_ns();
    const std::int64_t wait = std::clamp(next_deadline() - now, std::int64_t{0}, attend_ns);
    const timespec timeout{0, static_cast<long>(wait)};
    const int ready = ppoll(watched, 2, &timeout, nullptr);
    if (ready > 0 && (watched[0].revents & POLLIN)) return;
    if (ready > 0 && (watched[1].revents & POLLIN)) take_signal();
    check_time();
    wake_if_stopped();
    meanwhile(seconds_between(start_ns_, monotonic_ns()));
  }
}

std::int64_t Attendant::next_deadline() const {
  if (kill_at_ns_) return *kill_at_ns_;
  if (settings_.timeout && !run_.timed_out && !is_over_)
    return start_ns_ + nanoseconds(*settings_.timeout);
  return INT64_MAX;
}

void Attendant::take_signal() {
  signalfd_siginfo info{};
  if (::read(settings_.signals, &info, sizeof info) != sizeof info) return;
  // The second time the user means it.
  if (run_.interrupted) {
    child_.signal_group(SIGKILL);
    return;
  }
  run_.interrupted = true;
  child_.signal_group(static_cast<int>(info.ssi_signo));
  child_.signal_group(SIGCONT);
  kill_at_ns_ = monotonic_ns() + nanoseconds(grace_period);
}

void Attendant::check_time() {
  const std::int64_t now = monotonic_ns();
  if (kill_at_ns_ && now >= *kill_at_ns_) {
    child_.signal_group(SIGKILL);
    kill_at_ns_ = now + nanoseconds(grace_period);
  } else if (settings_.timeout && !run_.timed_out && !kill_at_ns_ &&
             now >= start_ns_ + nanoseconds(*settings_.timeout) && !has_exited()) {
    run_.timed_out = true;
    child_.signal_group(SIGTERM);
    child_.signal_group(SIGCONT);
    kill_at_ns_ = now + nanoseconds(grace_period);
  }
}

/// If we were stopped ourselves it may have ended in time, long ago.
bool Attendant::has_exited() {
  pollfd exit{child_.pidfd(), POLLIN, 0};
  is_over_ = poll(&exit, 1, 0) > 0;
  return is_over_;
}

/// A run that is suspended (Ctrl-Z) would be measured asleep and would leave the terminal to a
/// process that does not read it.
void Attendant::wake_if_stopped() {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(child_.pid()), &info, WSTOPPED | WNOHANG) == 0 &&
      info.si_pid != 0) {
    child_.signal_group(SIGCONT);
    run_.warnings.emplace_back("the command was paused by a signal and continued");
  }
}

}  // namespace prengdl
