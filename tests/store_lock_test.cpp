// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "store/lock.h"
#include "store_fixtures.h"

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
  EXPECT_TRUE(contains(error, "wait until it is done")) << error;
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
