// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "fake_host.h"

namespace prengdl {
namespace {

Launch launch_of(std::vector<std::string> argv) {
  Launch launch;
  launch.argv = std::move(argv);
  return launch;
}

int wait_for_exit(WaitingChild& child) {
  pollfd watched{child.pidfd(), POLLIN, 0};
  while (poll(&watched, 1, -1) < 0) {
  }
  return child.reap().status;
}

TEST(Process, WaitsAtTheGateUntilItIsOpened) {
  const FakeHost scratch;
  const auto mark = scratch.root() / "mark";
  WaitingChild child(launch_of({"touch", mark.string()}));
  pollfd watched{child.pidfd(), POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, 50), 0) << "it must not run before the gate is open";
  EXPECT_FALSE(std::filesystem::exists(mark));
  child.open_gate();
  EXPECT_EQ(wait_for_exit(child), 0);
  EXPECT_TRUE(std::filesystem::exists(mark));
}

TEST(Process, TellsTheExitCodeAndTheSignal) {
  WaitingChild seven(launch_of({"sh", "-c", "exit 7"}));
  seven.open_gate();
  const int code = wait_for_exit(seven);
  EXPECT_TRUE(WIFEXITED(code));
  EXPECT_EQ(WEXITSTATUS(code), 7);

  WaitingChild killed(launch_of({"sh", "-c", "kill -9 $$"}));
  killed.open_gate();
  const int status = wait_for_exit(killed);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Process, NamesAProgramThatIsNotThere) {
  try {
    WaitingChild child(launch_of({"prengdl-no-such-program"}));
    FAIL() << "it must not start";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("prengdl-no-such-program"), std::string::npos);
    EXPECT_FALSE(error.hint.empty());
  }
}

TEST(Process, ReportsAnExecThatFailed) {
  FakeHost scratch;
  scratch.write("broken", "#!/no/such/interpreter");
  std::filesystem::permissions(scratch.root() / "broken", std::filesystem::perms::all);
  WaitingChild child(launch_of({(scratch.root() / "broken").string()}));
  child.open_gate();
  EXPECT_THROW(wait_for_exit(child), Error);
}

TEST(Process, RunsAScriptWithoutAFirstLineByTheShell) {
  FakeHost scratch;
  scratch.write("script", "exit 5");
  std::filesystem::permissions(scratch.root() / "script", std::filesystem::perms::all);
  WaitingChild child(launch_of({(scratch.root() / "script").string()}));
  child.open_gate();
  EXPECT_EQ(WEXITSTATUS(wait_for_exit(child)), 5);
}

TEST(Process, StartsInTheDirectoryWithTheVariablesGiven) {
  const FakeHost scratch;
  Launch launch = launch_of({"sh", "-c", "test \"$COLOUR\" = red && test \"$(pwd)\" = \"$WHERE\""});
  launch.directory = scratch.root();
  launch.environment = {{"COLOUR", "red"},
                        {"WHERE", std::filesystem::canonical(scratch.root()).string()}};
  WaitingChild child(launch);
  child.open_gate();
  EXPECT_EQ(wait_for_exit(child), 0);
}

TEST(Process, ADirectoryThatIsMissingIsNamedAsTheReason) {
  Launch launch = launch_of({"true"});
  launch.directory = "/no/such/directory";
  WaitingChild child(launch);
  child.open_gate();
  try {
    wait_for_exit(child);
    FAIL() << "it must not run";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("working directory"), std::string::npos);
  }
}

TEST(Process, HasAGroupOfItsOwn) {
  WaitingChild child(launch_of({"sleep", "100"}));
  EXPECT_EQ(getpgid(child.pid()), child.pid());
  child.open_gate();
  child.signal_group(SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(wait_for_exit(child)));
}

TEST(Process, AChildThatNobodyWaitedForIsEnded) {
  pid_t pid = 0;
  {
    WaitingChild child(launch_of({"sleep", "100"}));
    child.open_gate();
    pid = child.pid();
  }
  EXPECT_EQ(kill(pid, 0), -1) << "it must be gone";
}

TEST(Process, AsRootNeedsAWayBackThatWasKept) {
  Launch launch = launch_of({"true"});
  launch.as_root = true;
  WaitingChild child(launch);
  child.open_gate();
  EXPECT_THROW(wait_for_exit(child), Error);
}

/// Its exit status, with what it wrote to its standard output.
std::pair<int, std::string> started(ProgramStart start) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor out(ends[0]);
  FileDescriptor in(ends[1]);
  start.standard_output = in.get();
  const auto pid = start_program(start);
  in.close();
  EXPECT_TRUE(pid) << pid.error().what();
  std::string text;
  char buffer[256];
  for (ssize_t got = 0; (got = ::read(out.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  int status = 0;
  waitpid(*pid, &status, 0);
  return {WEXITSTATUS(status), text};
}

TEST(StartedProgram, IsFoundInThePathAndLeftToItsCaller) {
  EXPECT_EQ(started({.words = {"sh", "-c", "echo $0 $1; exit 3", "a", "b c"}}),
            (std::pair<int, std::string>{3, "a b c\n"}));
}

TEST(StartedProgram, HasTheEnvironmentThatItWasGiven) {
  EXPECT_EQ(started({.words = {"/usr/bin/env"}, .environment = std::vector<std::string>{"A=b"}}),
            (std::pair<int, std::string>{0, "A=b\n"}));
}

TEST(StartedProgram, ReadsNothingWhenItIsSilent) {
  EXPECT_EQ(started({.words = {"cat"}, .is_silent = true}), (std::pair<int, std::string>{0, ""}));
}

TEST(StartedProgram, MayHaveAGroupOfItsOwn) {
  const std::string script = "test $(ps -o pgid= -p $$) = $$";
  EXPECT_EQ(started({.words = {"sh", "-c", script}, .has_own_group = true}).first, 0);
}

TEST(StartedProgram, IsNamedWhenItIsMissing) {
  const auto pid = start_program({.words = {"no-such-program"}});
  ASSERT_FALSE(pid);
  EXPECT_STREQ(pid.error().what(), "cannot run no-such-program: No such file or directory");
}

}  // namespace
}  // namespace prengdl
