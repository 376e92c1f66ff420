// SPDX-License-Identifier: Apache-2.0
//
// With real processes that are really killed.
#include "run/guardian.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/clock.h"
#include "base/files.h"
#include "fake_host.h"

namespace prengdl {
namespace {

class GuardianTest : public testing::Test {
 protected:
  /// Runs `body` in a process of its own that tells through a pipe when it is ready, then sleeps.
  pid_t start(const std::function<void()>& body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      body();
      [[maybe_unused]] const ssize_t ignored = write(ends[1], "r", 1);
      close(ends[1]);
      for (;;) pause();
    }
    close(ends[1]);
    char ready{};
    EXPECT_EQ(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    return pid;
  }

  static void kill_hard(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  /// Waits for something that another process does; a lost test ends by itself.
  static bool soon(const std::function<bool()>& is_so) {
    const std::int64_t until = monotonic_ns() + 20'000'000'000;
    while (monotonic_ns() < until) {
      if (is_so()) return true;
      usleep(2000);
    }
    return false;
  }

  FakeHost host_;
};

TEST_F(GuardianTest, EndsTheWorkloadsProcessesWhereverTheyHaveMovedTo) {
  // A process that left the workload's group and session, known by its environment alone.
  const std::filesystem::path note = host_.root() / "stray.pid";
  const std::filesystem::path events = host_.root() / "events";
  host_.write("events", "");
  const pid_t master = start([&] {
    auto* guardian = new Guardian();
    const pid_t stray = fork();
    if (stray == 0) {
      setsid();
      const std::string mark = "PRENGDL_EVENTS=" + events.string();
      const char* argv[] = {"sleep", "600", nullptr};
      const char* environment[] = {mark.c_str(), nullptr};
      execve("/bin/sleep", const_cast<char**>(argv), const_cast<char**>(environment));
      _exit(127);
    }
    write_text(note, std::to_string(stray));
    guardian->watch(-1, events);
    usleep(50'000);  // the exec
  });
  const auto stray = static_cast<pid_t>(read_integer(note).value_or(-1));
  ASSERT_GT(stray, 1);
  kill_hard(master);
  EXPECT_TRUE(soon([&] {
    const auto state = read_optional("/proc/" + std::to_string(stray) + "/stat");
    return !state || state->find(") Z") != std::string::npos;
  }));
  EXPECT_TRUE(soon([&] { return !std::filesystem::exists(events); }));
}

TEST_F(GuardianTest, OutlivesTheSignalsOfATerminal) {
  const Guardian guardian;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) kill(guardian.process(), number);
  usleep(20'000);
  EXPECT_EQ(waitpid(guardian.process(), nullptr, WNOHANG), 0) << "it must still be there";
}

TEST_F(GuardianTest, IsReplacedWhenItWasKilled) {
  Guardian guardian;
  const pid_t first = guardian.process();
  kill(first, SIGKILL);
  EXPECT_TRUE(soon([&] {
    guardian.watch_nothing();
    return guardian.process() != first;
  }));
}

}  // namespace
}  // namespace prengdl
