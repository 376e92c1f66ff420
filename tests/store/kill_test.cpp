// SPDX-License-Identifier: Apache-2.0
//
// A process that stores runs is killed, at random moments and before each of its system calls that
// changes a file. Every run that it reported finished must be there, once and whole.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <random>
#include <set>

#include "base/strings.h"
#include "store/fixtures.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t ticks = 50;

/// Lines from a child that may be killed while it writes.
class Reports {
 public:
  Reports() {
    if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("pipe2");
  }
  ~Reports() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  void say(const std::string& id) const {
    const std::string line = id + "\n";
    [[maybe_unused]] const auto wrote = write(ends_[1], line.data(), line.size());
  }

  void gather(std::set<std::string>& ids) {
    char buffer[4096];
    std::string text;
    for (ssize_t got; (got = read(ends_[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    for (const auto line : split(text, '\n'))
      if (!line.empty()) ids.emplace(line);
  }

 private:
  int ends_[2]{};
};

/// Makes one run after the other and says which are finished.
void store_runs(const fs::path& directory, const Reports& reports, const std::string& prefix,
                int count) {
  auto store = ResultStore::open(directory, Access::read_write);
  for (int i = 0; i < count; ++i) {
    const std::string id = prefix + std::to_string(i);
    record_run(store, full_run(id), ticks);
    reports.say(id);
    store.take_in();
  }
}

/// Runs something in a child that ends without the destructors and the leak checks of this process.
template <class Action>
pid_t in_child(Action&& action) {
  const pid_t child = fork();
  if (child != 0) return child;
  int code = 0;
  try {
    action();
  } catch (const std::exception& error) {
    fprintf(stderr, "the child: %s\n", error.what());
    code = 1;
  }
  _exit(code);
}

void expect_sound(const fs::path& directory, const std::set<std::string>& reported) {
  const auto store = ResultStore::open(directory, Access::read_write);
  EXPECT_TRUE(store.troubles().empty());
  ASSERT_EQ(store.integrity(), "ok");
  std::map<std::string, int> found;
  for (const auto& id : ids_of(store)) ++found[id];
  for (const auto& [id, times] : found) {
    ASSERT_EQ(times, 1) << id;
    ASSERT_EQ(samples_of(store, id).size(), ticks) << id;
  }
  for (const auto& id : reported) ASSERT_EQ(found[id], 1) << id << " was finished and is not there";
  for (const auto& name : list_directory(directory / "records"))
    ADD_FAILURE() << name << " is left";
}

TEST(Kill, AtRandomMomentsLosesNoFinishedRun) {
  FakeHost host;
  const auto directory = host.root() / "r";
  { const auto store = ResultStore::create(directory, small_study()); }
  std::mt19937_64 random(51);
  std::set<std::string> reported;
  constexpr int kills = 60;
  // On a busy machine little is stored in that time: then kills come later, until enough is shown.
  std::uint64_t latest_us = 25'000;
  for (int round = 0; round < kills || reported.size() <= 10; ++round) {
    if (round % 20 == 19 && reported.size() < static_cast<std::size_t>(round) / 4) latest_us *= 2;
    Reports reports;
    const pid_t child = in_child(
        [&] { store_runs(directory, reports, "k" + std::to_string(round) + "-", 1 << 20); });
    usleep(static_cast<useconds_t>(random() % latest_us));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    reports.gather(reported);
    if (round % 10 == 9) expect_sound(directory, reported);
    if (HasFatalFailure()) return;
  }
}

/// Whether a system call may change what is on the disk, or takes the lock.
bool changes_files(std::uint64_t number) {
  constexpr std::array changing{SYS_write,     SYS_pwrite64, SYS_fsync,    SYS_fdatasync,
                                SYS_ftruncate, SYS_openat,   SYS_renameat, SYS_renameat2,
                                SYS_unlinkat,  SYS_mkdirat,  SYS_flock,
#ifdef SYS_rename  // newer machines have only the calls above
                                SYS_rename,    SYS_unlink,   SYS_mkdir
#endif
  };
  return std::find(changing.begin(), changing.end(), static_cast<long>(number)) != changing.end();
}

enum class End { killed, finished, failed, not_possible };

/// Lets a child run until right before its call number `calls` that changes files, and kills it.
template <class Action>
End killed_before(int calls, Action&& action) {
  const pid_t child = in_child([&] {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
    raise(SIGSTOP);
    action();
  });
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return End::not_possible;
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD) != 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return End::not_possible;
  }
  for (;;) {
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    if (waitpid(child, &status, 0) != child) return End::failed;
    if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? End::finished : End::failed;
    if (WIFSIGNALED(status)) return End::failed;
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      return End::not_possible;
    }
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !changes_files(info.entry.nr)) continue;
    if (--calls > 0) continue;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return End::killed;
  }
}

/// In memory where there is such a place: a hundred kills sync a thousand times.
class QuickDirectory {
 public:
  QuickDirectory() {
    std::string pattern = "/dev/shm/prengdl-XXXXXX";
    if (mkdtemp(pattern.data())) shared_ = pattern;
  }
  ~QuickDirectory() {
    std::error_code ignored;
    if (!shared_.empty()) fs::remove_all(shared_, ignored);
  }
  QuickDirectory(const QuickDirectory&) = delete;
  QuickDirectory& operator=(const QuickDirectory&) = delete;
  fs::path path() const { return (shared_.empty() ? host_.root() : shared_) / "r"; }

 private:
  FakeHost host_;
  fs::path shared_;
};

TEST(Kill, BeforeAnyStepOfStoringLosesNoFinishedRun) {
  QuickDirectory place;
  { const auto store = ResultStore::create(place.path(), small_study()); }
  std::set<std::string> reported;
  int steps = 0;
  for (End end = End::killed; end == End::killed; ++steps) {
    ASSERT_LT(steps, 2000) << "it never ends";
    Reports reports;
    end = killed_before(steps + 1, [&] {
      store_runs(place.path(), reports, "s" + std::to_string(steps) + "-", 1);
    });
    if (end == End::not_possible) GTEST_SKIP() << "processes cannot be traced here";
    ASSERT_NE(end, End::failed);
    reports.gather(reported);
    expect_sound(place.path(), reported);
    if (HasFatalFailure()) FAIL() << "after a kill before step " << steps + 1;
  }
  EXPECT_GT(steps, 30);
  EXPECT_GT(reported.size(), 10u);
}

/// Every third step: most of them write one page of the log after the other.
TEST(Kill, BeforeAStepOfTheCreationLeavesWhatCanBeGoneOnWith) {
  int steps = 0;
  for (End end = End::killed; end == End::killed; steps += 3) {
    ASSERT_LT(steps, 2000) << "it never ends";
    QuickDirectory place;
    end = killed_before(steps + 1, [&] { ResultStore::create(place.path(), small_study()); });
    if (end == End::not_possible) GTEST_SKIP() << "processes cannot be traced here";
    ASSERT_NE(end, End::failed);
    const auto store = ResultStore::exists(place.path())
                           ? ResultStore::open(place.path(), Access::read_write)
                           : ResultStore::create(place.path(), small_study());
    ASSERT_EQ(store.study().text, small_study().text) << "after a kill before step " << steps + 1;
    ASSERT_EQ(read_text(place.path() / "study.toml").value() + "\n", small_study().text);
    ASSERT_EQ(store.integrity(), "ok");
  }
  EXPECT_GT(steps, 30);
}

}  // namespace
}  // namespace prengdl
