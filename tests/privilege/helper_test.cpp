// SPDX-License-Identifier: Apache-2.0
//
// The privileged helper with real processes that are really killed, and with hostile messages.
#include "privilege/helper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/clock.h"
#include "base/files.h"
#include "fake_host.h"
#include "privilege/machine_settings.h"

namespace prengdl {
namespace {

const std::filesystem::path policies = "sys/devices/system/cpu/cpufreq";

class HelperTest : public testing::Test {
 protected:
  HelperTest() {
    set_governor("powersave");
    host_.write(policies / "policy0/scaling_available_governors", "performance powersave");
  }

  void set_governor(const std::string& name) {
    host_.write(policies / "policy0/scaling_governor", name);
  }
  std::string governor() const {
    return read_attribute(host_.root() / policies / "policy0/scaling_governor").value_or("missing");
  }
  HelperDuties duties() const {
    HelperDuties duties;
    duties.host = {host_.root(), ""};
    duties.user = geteuid();
    return duties;
  }
  static MachineControl performance() {
    MachineControl control;
    control.governor = "performance";
    return control;
  }
  std::filesystem::path record() const { return MachineSettings(duties().host).record(); }
  bool has_record() const { return std::filesystem::exists(record()); }

  /// Runs `body` in a process of its own that tells through a pipe when it is ready, then sleeps.
  static pid_t start(const std::function<void()>& body) {
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

  /// A helper that a test talks to without the class, which sends only what is right.
  struct Raw {
    explicit Raw(const HelperDuties& duties)
        : process(
              start_detached(SOCK_SEQPACKET, [duties](int link) { serve_helper(link, duties); })) {}
    ~Raw() {
      process.link.close();
      waitpid(process.pid, nullptr, 0);
    }
    bool send(const void* bytes, std::size_t size) const {
      return ::send(process.link.get(), bytes, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
    }
    /// Nothing when it has hung up.
    std::optional<HelperReply> answer() const {
      HelperReply reply;
      const ssize_t got = ::recv(process.link.get(), &reply, sizeof reply, 0);
      return got == sizeof reply ? std::optional(reply) : std::nullopt;
    }
    DetachedProcess process;
  };

  FakeHost host_;
};

TEST_F(HelperTest, RestoresWhenItIsLetGo) {
  {
    Helper helper(duties());
    EXPECT_TRUE(helper.set_machine(performance()).empty());
    EXPECT_EQ(governor(), "performance");
    EXPECT_TRUE(has_record()) << "the way back, should we both be killed";
    EXPECT_EQ(std::filesystem::status(record().parent_path()).permissions(),
              std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(governor(), "powersave");
  EXPECT_FALSE(has_record());
}

TEST_F(HelperTest, RestoresWhenAsked) {
  Helper helper(duties());
  helper.set_machine(performance());
  EXPECT_TRUE(helper.restore_machine().empty());
  EXPECT_EQ(governor(), "powersave");
  EXPECT_FALSE(has_record());
}

TEST_F(HelperTest, RestoresWhenItsMasterIsKilled) {
  const pid_t master = start([&] { (new Helper(duties()))->set_machine(performance()); });
  EXPECT_EQ(governor(), "performance");
  kill_hard(master);
  EXPECT_TRUE(soon([&] { return governor() == "powersave"; }));
  EXPECT_TRUE(soon([&] { return !has_record(); }));
}

TEST_F(HelperTest, OutlivesTheSignalsOfATerminal) {
  Helper helper(duties());
  helper.set_machine(performance());
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) kill(helper.process(), number);
  EXPECT_FALSE(helper.energy_filter()) << "it still answers: there is no such register here";
  EXPECT_EQ(governor(), "performance");
}

TEST_F(HelperTest, RestoresAtTheNextStartWhenBothWereKilledAndSetsItAgain) {
  const std::filesystem::path note = host_.root() / "helper.pid";
  const pid_t master = start([&] {
    auto* helper = new Helper(duties());
    helper->set_machine(performance());
    write_text(note, std::to_string(helper->process()));
  });
  const auto killed = static_cast<pid_t>(read_integer(note).value_or(-1));
  ASSERT_GT(killed, 1);
  // Its lock is free once it has ended, which takes a moment.
  const FileDescriptor watched(static_cast<int>(syscall(SYS_pidfd_open, killed, 0)));
  kill(killed, SIGKILL);
  pollfd ended{watched.get(), POLLIN, 0};
  poll(&ended, 1, -1);
  kill_hard(master);
  ASSERT_EQ(governor(), "performance") << "nobody was left to restore it";
  {
    Helper next(duties());
    EXPECT_EQ(next.set_machine(performance()).size(), 1u);
    EXPECT_EQ(governor(), "performance") << "set again for the runs to come";
  }
  EXPECT_EQ(governor(), "powersave") << "not what the killed one had set";
  EXPECT_FALSE(has_record());
}

TEST_F(HelperTest, KeepsTheRecordOfWhatItCannotRestore) {
  Helper helper(duties());
  helper.set_machine(performance());
  host_.remove(policies / "policy0/scaling_governor");
  const auto troubles = helper.restore_machine();
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_NE(troubles[0].find("policy0/scaling_governor"), std::string::npos);
  EXPECT_TRUE(has_record());
  EXPECT_THROW(helper.set_machine({}), Error) << "still not possible, and said so";
  EXPECT_TRUE(has_record());
  set_governor("performance");
  EXPECT_EQ(helper.set_machine({}).size(), 1u);
  EXPECT_EQ(governor(), "powersave");
  EXPECT_FALSE(has_record());
}

TEST_F(HelperTest, LeavesAloneWhatALivingOneHasSet) {
  Helper first(duties());
  first.set_machine(performance());
  Helper second(duties());
  EXPECT_TRUE(second.set_machine({}).empty());
  EXPECT_EQ(governor(), "performance");
  EXPECT_THROW(second.set_machine(performance()), Error);
  EXPECT_TRUE(first.restore_machine().empty());
  EXPECT_TRUE(second.set_machine(performance()).empty());
}

TEST_F(HelperTest, ChangesNothingWhenASettingFails) {
  host_.write(policies / "policy1/scaling_governor", "powersave");
  host_.write(policies / "policy1/scaling_available_governors", "powersave");
  Helper helper(duties());
  EXPECT_THROW(helper.set_machine(performance()), Error);
  EXPECT_EQ(governor(), "powersave");
  EXPECT_FALSE(has_record());
}

TEST_F(HelperTest, TrustsNoRecordThatOthersCouldWrite) {
  const auto planted = [&] {
    host_.write("run/prengdl/settings", "prengdl-settings/1\ngovernor policy0 performance");
  };
  planted();
  std::filesystem::permissions(record().parent_path(), std::filesystem::perms(0777));
  Helper helper(duties());
  EXPECT_THROW(helper.set_machine(performance()), Error);
  EXPECT_EQ(governor(), "powersave");
  std::filesystem::permissions(record().parent_path(), std::filesystem::perms(0700));
  host_.write("elsewhere", "prengdl-settings/1\ngovernor policy0 performance");
  host_.remove("run/prengdl/settings");
  host_.link("run/prengdl/settings", host_.root() / "elsewhere");
  EXPECT_THROW(helper.set_machine({}), Error);
  EXPECT_EQ(governor(), "powersave");
}

TEST_F(HelperTest, OpensTheMetersItKnowsAndNoOtherFile) {
  host_.write("sys/class/powercap/intel-rapl:0/energy_uj", "42");
  host_.write("sys/class/powercap/intel-rapl:0/name", "package-0");
  host_.write("sys/class/hwmon/hwmon3/energy1_input", "43");
  host_.write("secret", "44");
  host_.link("sys/class/powercap/intel-rapl:1/energy_uj", host_.root() / "secret");
  Helper helper(duties());
  const FileDescriptor counter = helper.open_meter("powercap", "intel-rapl:0", "energy_uj");
  EXPECT_EQ(read_attribute(counter), "42");
  EXPECT_EQ(fcntl(counter.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  EXPECT_EQ(fcntl(counter.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(read_attribute(helper.open_meter("hwmon", "hwmon3", "energy1_input")), "43");
  const std::vector<std::array<std::string, 3>> others{
      {"powercap", "intel-rapl:0", "name"},
      {"powercap", "intel-rapl:0", "constraint_0_power_limit_uw"},
      {"powercap", "intel-rapl:1", "energy_uj"},  // a link
      {"powercap", "..", "energy_uj"},
      {"powercap", "../../../secret:0", "energy_uj"},
      {"powercap", "intel-rapl:0/../intel-rapl:0", "energy_uj"},
      {"powercap", "intel-rapl:0", "../../../../secret"},
      {"powercap", "intel-rapl:0", ""},
      {"powercap", "", "energy_uj"},
      {"../..", "intel-rapl:0", "energy_uj"},
      {"hwmon", "hwmon3/..", "energy1_input"},
      {"hwmon", "hwmon", "energy1_input"},
      {"hwmon", "hwmon3", "energy1_input/../../../../../secret"},
      {"hwmon", "hwmon3", "energy_input"},
      {"hwmon", "hwmon3", "pwm1"}};
  for (const auto& [kind, entry, attribute] : others) {
    EXPECT_FALSE(helper.open_meter(kind, entry, attribute))
        << kind << " " << entry << " " << attribute;
    EXPECT_NE(errno, 0);
  }
}

TEST_F(HelperTest, OpensEventsOfThePowerPmuOnly) {
  Helper helper(duties());
  EXPECT_FALSE(helper.open_perf_event(2, 0)) << "this machine has no such PMU";
  host_.write("sys/bus/event_source/devices/power/type", "1");  // software events, which all have
  EXPECT_FALSE(helper.open_perf_event(0x1'0000'0002, 0));
  EXPECT_FALSE(helper.open_perf_event(2, -1));
  EXPECT_FALSE(helper.open_perf_event(2, 100'000));
}

TEST_F(HelperTest, WatchesTheExitOfTheUsersProcessesOnly) {
  HelperDuties of_another = duties();
  of_another.user = geteuid() + 1;
  Helper helper(of_another);
  EXPECT_FALSE(helper.watch_exit(getpid()));
  EXPECT_FALSE(helper.watch_exit(1));
  EXPECT_FALSE(helper.watch_exit(-1));
}

TEST_F(HelperTest, RefusesGovernorsAndClocksThatAreNone) {
  Helper helper(duties());
  for (const char* name :
       {"ondemand", "performance\n", "../../x", "performance powersave", "%s%n"}) {
    MachineControl control;
    control.governor = name;
    EXPECT_THROW(helper.set_machine(control), Error) << name;
  }
  MachineControl clock;
  for (const int mhz : {0, -5, 2'000'000'000}) {
    clock.gpu_clock_mhz = mhz;
    EXPECT_THROW(helper.set_machine(clock), Error) << mhz;
  }
  EXPECT_EQ(governor(), "powersave");
  EXPECT_THROW(helper.fix(0), Error) << "this one was not given any";
}

TEST_F(HelperTest, HangsUpAndRestoresWhenAMessageIsNoneOfOurs) {
  HelperRequest set;
  set.verb = Verb::set_machine;
  set.numbers = {turbo_as_it_is, 0};
  put_text(set.words[0], "performance");

  HelperRequest unknown = set;
  unknown.verb = static_cast<Verb>(99);
  HelperRequest none = set;
  none.verb = static_cast<Verb>(0);
  HelperRequest reserved = set;
  reserved.reserved = 1;
  HelperRequest endless = set;
  endless.words[0].fill('a');
  HelperRequest hidden = set;
  hidden.words[1][5] = 'x';  // behind the end of the word
  const std::string longer(sizeof(HelperRequest) + 1, '\0');
  std::string text(2000, 'x');

  const std::vector<std::pair<const void*, std::size_t>> messages{
      {&unknown, sizeof unknown},   {&none, sizeof none},
      {&reserved, sizeof reserved}, {&endless, sizeof endless},
      {&hidden, sizeof hidden},     {longer.data(), longer.size()},
      {&set, sizeof set - 1},       {&set, 1},
      {text.data(), text.size()}};
  for (const auto& [bytes, size] : messages) {
    const Raw helper(duties());
    ASSERT_TRUE(helper.send(&set, sizeof set));
    const auto first = helper.answer();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->error, 0) << text_in(first->text);
    EXPECT_EQ(governor(), "performance");
    helper.send(bytes, size);
    EXPECT_FALSE(helper.answer()) << "it must not answer " << size << " bytes";
    EXPECT_TRUE(soon([&] { return governor() == "powersave"; }));
    EXPECT_TRUE(soon([&] { return !has_record(); }));
  }
}

TEST_F(HelperTest, HoldsNothingOfOurs) {
  const FileDescriptor ours(::open((host_.root() / "held").c_str(), O_CREAT | O_RDWR, 0600));
  setenv("PRENGDL_TEST_SECRET", "1", 1);
  Helper helper(duties());
  EXPECT_FALSE(helper.energy_filter());  // by now it has begun to serve
  unsetenv("PRENGDL_TEST_SECRET");
  const std::filesystem::path process = "/proc/" + std::to_string(helper.process());
  EXPECT_EQ(std::filesystem::read_symlink(process / "cwd"), "/");
  EXPECT_EQ(list_directory(process / "fd"), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(getsid(helper.process()), helper.process());
}

TEST_F(HelperTest, TellsThatItWasKilled) {
  Helper helper(duties());
  helper.set_machine(performance());
  kill(helper.process(), SIGKILL);
  const auto troubles = helper.restore_machine();
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_NE(troubles[0].find("killed"), std::string::npos);
  EXPECT_TRUE(has_record());
}

}  // namespace
}  // namespace prengdl
