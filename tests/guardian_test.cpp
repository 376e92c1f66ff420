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
#include "base/text.h"
#include "fake_host.h"

namespace prengdl {
namespace {

const std::filesystem::path governor_file =
    "sys/devices/system/cpu/cpufreq/policy0/scaling_governor";

class GuardianTest : public testing::Test {
 protected:
  GuardianTest() { host_.write(governor_file, "powersave"); }

  std::string governor() const {
    return read_attribute(host_.root() / governor_file).value_or("missing");
  }
  std::vector<Setting> settings() const {
    MachineControl control;
    control.governor = "performance";
    return settings_for(host_.root(), control);
  }
  std::filesystem::path state() const { return host_.root() / "control.state"; }

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

TEST_F(GuardianTest, GivesBackWhenItIsLetGo) {
  {
    const Guardian guardian(settings(), state());
    EXPECT_EQ(governor(), "performance");
    EXPECT_TRUE(std::filesystem::exists(state())) << "the way back, should we both be killed";
  }
  EXPECT_EQ(governor(), "powersave");
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(GuardianTest, GivesBackWhenItsMasterIsKilled) {
  const pid_t master = start([&] { new Guardian(settings(), state()); });
  EXPECT_EQ(governor(), "performance");
  kill_hard(master);
  EXPECT_TRUE(soon([&] { return governor() == "powersave"; }));
  EXPECT_TRUE(soon([&] { return !std::filesystem::exists(state()); }));
}

TEST_F(GuardianTest, GivesBackAtTheNextStartWhenBothWereKilled) {
  const std::filesystem::path note = host_.root() / "guardian.pid";
  const pid_t master = start([&] {
    const auto* guardian = new Guardian(settings(), state());
    write_text(note, std::to_string(guardian->process()));
  });
  const auto guardian = static_cast<pid_t>(read_integer(note).value_or(-1));
  ASSERT_GT(guardian, 1);
  kill(guardian, SIGKILL);
  kill_hard(master);
  ASSERT_EQ(governor(), "performance") << "nobody was left to give it back";
  {
    const Guardian next({}, state());
    ASSERT_EQ(next.recovered().size(), 1u);
    EXPECT_EQ(governor(), "powersave");
  }
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(GuardianTest, EndsTheWorkloadsProcessesWhereverTheyHaveMovedTo) {
  // A process that left the workload's group and session, known by its environment alone.
  const std::filesystem::path note = host_.root() / "stray.pid";
  const std::filesystem::path events = host_.root() / "events";
  host_.write("events", "");
  const pid_t master = start([&] {
    auto* guardian = new Guardian({}, state());
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

TEST_F(GuardianTest, ChangesNothingWhenASettingFails) {
  auto wrong = settings();
  wrong.push_back({host_.root() / "no/such/file", "a", "b", {}, {}});
  EXPECT_THROW(Guardian(wrong, state()), Error);
  EXPECT_EQ(governor(), "powersave");
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(GuardianTest, OutlivesTheSignalsOfATerminal) {
  const std::filesystem::path note = host_.root() / "guardian.pid";
  const pid_t master = start([&] {
    const auto* guardian = new Guardian(settings(), state());
    write_text(note, std::to_string(guardian->process()));
  });
  const auto guardian = static_cast<pid_t>(read_integer(note).value_or(-1));
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) kill(guardian, number);
  usleep(20'000);
  EXPECT_EQ(kill(guardian, 0), 0);
  EXPECT_EQ(governor(), "performance");
  kill_hard(master);
  EXPECT_TRUE(soon([&] { return governor() == "powersave"; }));
}

}  // namespace
}  // namespace prengdl
