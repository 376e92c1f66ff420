// SPDX-License-Identifier: Apache-2.0
#include "store/lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "store/fixtures.h"

namespace prengdl {
namespace {

TEST(ResultLock, SaysWhoHoldsIt) {
  FakeHost host;
  const ResultLock first(host.root());
  const auto error = error_of([&] { ResultLock second(host.root()); });
  EXPECT_TRUE(
      contains(error, host.root().string() + " is in use by prengdl " + std::to_string(getpid())))
      << error;
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  EXPECT_TRUE(contains(error, std::string(" on ") + name + " since 20")) << error;
  EXPECT_TRUE(contains(error, "Wait until it has finished")) << error;
}

TEST(ResultLock, NamesTheCommandOfItsHolder) {
  EXPECT_EQ(holder_of("pid 1234\nhost box\nsince 2025-11-16T10:20:30Z\ncommand run study.toml\n"),
            "prengdl 1234 (run study.toml) on box since 2025-11-16T10:20:30Z");
  EXPECT_EQ(holder_of(""), "another process");
  EXPECT_EQ(holder_of("pid 7\ncommand a\x1B[2J b"), "prengdl 7 (a\\x1b[2J b)");
}

TEST(ResultLock, IsFreeAgainAfterwards) {
  FakeHost host;
  for (int i = 0; i < 3; ++i) {
    const ResultLock lock(host.root());
    std::optional<ResultLock> other;
    EXPECT_THROW(other.emplace(host.root()), Error);
  }
  EXPECT_EQ(read_text(host.root() / "lock").value(), "");
}

TEST(ResultLock, IsGivenBackByTheKernelWhenItsHolderIsKilled) {
  FakeHost host;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ResultLock lock(host.root());
    [[maybe_unused]] const auto told = write(ready[1], "x", 1);
    for (;;) pause();
  }
  char byte{};
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(contains(error_of([&] { ResultLock lock(host.root()); }),
                       "prengdl " + std::to_string(child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(ResultLock(host.root()));
  close(ready[0]);
  close(ready[1]);
}

TEST(ResultLock, HoldsWhenItsFileIsRemoved) {
  FakeHost host;
  const ResultLock first(host.root());
  std::filesystem::remove(host.root() / "lock");
  EXPECT_TRUE(contains(error_of([&] { ResultLock second(host.root()); }),
                       host.root().string() + " is in use by another process"));
  EXPECT_FALSE(std::filesystem::exists(host.root() / "lock")) << "the second one makes none";
  EXPECT_TRUE(first.has_directory());
  EXPECT_FALSE(first.has_file());
}

TEST(ResultLock, NoticesThatTheFileOrTheDirectoryWasReplaced) {
  FakeHost host;
  const auto directory = host.root() / "r";
  std::filesystem::create_directory(directory);
  const ResultLock lock(directory);
  EXPECT_TRUE(lock.has_directory());
  EXPECT_TRUE(lock.has_file());
  std::filesystem::remove(directory / "lock");
  std::ofstream(directory / "lock") << "";
  EXPECT_FALSE(lock.has_file());
  std::filesystem::rename(directory, host.root() / "moved");
  EXPECT_FALSE(lock.has_directory());
  std::filesystem::create_directory(directory);
  EXPECT_FALSE(lock.has_directory());
}

TEST(ResultLock, LetsTheStoreSayWhatWasRemovedFromUnderIt) {
  FakeHost host;
  const auto directory = host.root() / "r";
  auto store = ResultStore::create(directory, small_study());
  EXPECT_NO_THROW(store.check_is_there());
  std::filesystem::remove(directory / "study.db");
  EXPECT_TRUE(contains(error_of([&] { store.check_is_there(); }), "study.db was removed"));
  EXPECT_TRUE(contains(error_of([&] { store.take_in(); }), "study.db was removed"))
      << "records would be removed that nobody finds in a database";
  std::filesystem::remove_all(directory);
  EXPECT_TRUE(contains(error_of([&] { store.record("a"); }), "was removed or replaced"));
  EXPECT_FALSE(std::filesystem::exists(directory));
  EXPECT_NO_THROW(ResultStore::create(directory, small_study()))
      << "a lock on what is gone keeps nobody out";
}

TEST(ResultLock, KeepsASecondWriterOutAndLetsReadersIn) {
  FakeHost host;
  const auto directory = host.root() / "r";
  std::optional<ResultStore> writer(ResultStore::create(directory, small_study()));
  EXPECT_TRUE(contains(error_of([&] { ResultStore::open(directory, Access::read_write); }),
                       "is in use by prengdl"));
  EXPECT_TRUE(contains(error_of([&] { ResultStore::create(directory, small_study()); }),
                       "is in use by prengdl"));
  EXPECT_EQ(ResultStore::open(directory, Access::read_only).study().name, "small");
  writer.reset();
  EXPECT_NO_THROW(ResultStore::open(directory, Access::read_write));
}

}  // namespace
}  // namespace prengdl
