// SPDX-License-Identifier: Apache-2.0
//
// Disks that are full or cannot be written: small file systems in memory, which root may mount.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <random>

#include "store/fixtures.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// A file system of a given size for one test.
class SmallDisk {
 public:
  explicit SmallDisk(std::size_t kilobytes) {
    // Nobody else sees the mounts of this process, and none outlives it.
    [[maybe_unused]] static const bool is_apart =
        unshare(CLONE_NEWNS) == 0 &&
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    is_mounted_ = mount("tmpfs", root().c_str(), "tmpfs", 0, size_option(kilobytes).c_str()) == 0;
    if (!is_mounted_) why_not_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(root().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  explicit operator bool() const { return is_mounted_; }
  const std::string& why_not() const { return why_not_; }
  const fs::path& root() const { return host_.root(); }

  void resize(std::size_t kilobytes) { remount(0, size_option(kilobytes)); }
  void forbid_writing() { remount(MS_RDONLY, ""); }

 private:
  static std::string size_option(std::size_t kilobytes) {
    return "size=" + std::to_string(kilobytes) + "k";
  }
  void remount(unsigned long flags, const std::string& options) {
    if (mount("tmpfs", root().c_str(), "tmpfs", MS_REMOUNT | flags, options.c_str()) != 0)
      throw std::runtime_error(std::string("cannot remount: ") + std::strerror(errno));
  }
  FakeHost host_;
  bool is_mounted_ = false;
  std::string why_not_;
};

#define SKIP_WITHOUT(disk) \
  if (!(disk)) GTEST_SKIP() << "a file system cannot be mounted here: " << (disk).why_not()

/// Samples that no compression makes small.
void record_noise(const ResultStore& store, const std::string& id, std::size_t samples) {
  std::mt19937_64 random(std::hash<std::string>{}(id));
  const auto record = store.record(id);
  for (std::size_t i = 0; i < samples; ++i)
    record->add(0, {.at_ns = static_cast<std::int64_t>(i), .raw = random()});
  record->finish(full_run(id));
}

/// Runs something that a signal ends before any destructor, as `kill -9` would.
void then_kill(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      action();
    } catch (const std::exception& error) {
      fprintf(stderr, "the child: %s\n", error.what());
      _exit(1);
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child did not come to its end";
}

TEST(FullDisk, CostsNoRunThatWasFinished) {
  for (const std::size_t samples : {100u, 3000u, 20'000u, 60'000u}) {
    SmallDisk disk(2000);
    SKIP_WITHOUT(disk);
    const auto directory = disk.root() / "r";
    std::vector<std::string> finished;
    std::string error;
    try {
      auto store = ResultStore::create(directory, small_study());
      for (int i = 0;; ++i) {
        const std::string id = "r" + std::to_string(i);
        record_noise(store, id, samples);
        finished.push_back(id);
        store.take_in();
      }
    } catch (const Error& full) {
      error = std::string(full.what()) + " | " + full.hint;
    }
    EXPECT_TRUE(contains(error, directory.string())) << error;
    EXPECT_TRUE(contains(error, "free some space")) << error;
    for (const auto& name : list_directory(directory / "records"))
      EXPECT_FALSE(name.ends_with(".part")) << name;
    EXPECT_FALSE(finished.empty());

    disk.resize(20'000);
    auto store = ResultStore::open(directory, Access::read_write);
    EXPECT_EQ(ids_of(store), finished);
    EXPECT_EQ(store.integrity(), "ok");
    for (const auto& id : finished) EXPECT_EQ(samples_of(store, id).size(), samples);
    record_noise(store, "more", samples);
    EXPECT_EQ(store.take_in(), 1u);
  }
}

TEST(FullDisk, IsReadAllTheSame) {
  SmallDisk disk(2000);
  SKIP_WITHOUT(disk);
  const auto directory = disk.root() / "r";
  {
    auto store = ResultStore::create(directory, small_study());
    record_noise(store, "a", 100);
    store.take_in();
  }
  std::ofstream filler(disk.root() / "filler");
  while (filler << std::string(4096, 'x') << std::flush) continue;
  const auto store = ResultStore::open(directory, Access::read_only);
  EXPECT_EQ(ids_of(store), std::vector<std::string>{"a"});
  EXPECT_EQ(samples_of(store, "a").size(), 100u);
}

TEST(FullDisk, WithoutRoomForTheStudyIsGoneOnWithLater) {
  for (const std::size_t kilobytes : {4u, 8u, 16u, 40u, 80u, 120u, 200u, 300u}) {
    SmallDisk disk(kilobytes);
    SKIP_WITHOUT(disk);
    const auto directory = disk.root() / "r";
    const auto error = error_of([&] { ResultStore::create(directory, small_study()); });
    EXPECT_TRUE(error.empty() || contains(error, directory.string())) << error;
    disk.resize(4000);
    const auto store = ResultStore::exists(directory)
                           ? ResultStore::open(directory, Access::read_write)
                           : ResultStore::create(directory, small_study());
    EXPECT_EQ(store.study().name, "small");
  }
}

TEST(ReadOnlyDisk, IsReadAndNotWritten) {
  SmallDisk disk(8000);
  SKIP_WITHOUT(disk);
  const auto directory = disk.root() / "r";
  {
    auto store = ResultStore::create(directory, small_study());
    record_noise(store, "a", 1000);
    store.take_in();
    record_noise(store, "b", 10);  // finished, not yet taken in
  }
  disk.forbid_writing();
  EXPECT_TRUE(ResultStore::exists(directory));
  const auto store = ResultStore::open(directory, Access::read_only);
  EXPECT_EQ(ids_of(store), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(samples_of(store, "a").size(), 1000u);
  EXPECT_EQ(samples_of(store, "b").size(), 10u);
  EXPECT_EQ(store.integrity(), "ok");
  const auto error = error_of([&] { ResultStore::open(directory, Access::read_write); });
  EXPECT_TRUE(contains(error, (directory / "lock").string())) << error;
  EXPECT_TRUE(contains(error, "make the file system writable or use another directory")) << error;
  EXPECT_TRUE(contains(error_of([&] { store.record("c"); }), "Read-only file system"));
}

TEST(ReadOnlyDisk, WithTheLogOfAKilledWriterShowsAllRunsOrSaysWhy) {
  for (const bool with_index : {true, false}) {
    SmallDisk disk(8000);
    SKIP_WITHOUT(disk);
    const auto directory = disk.root() / "r";
    then_kill([&] {
      auto store = ResultStore::create(directory, small_study());
      record_noise(store, "a", 1000);
      store.take_in();
      raise(SIGKILL);
    });
    ASSERT_GT(fs::file_size(directory / "study.db-wal"), 0u);
    if (!with_index) fs::remove(directory / "study.db-shm");
    disk.forbid_writing();
    std::vector<std::string> ids;
    const auto error =
        error_of([&] { ids = ids_of(ResultStore::open(directory, Access::read_only)); });
    if (error.empty())
      EXPECT_EQ(ids, std::vector<std::string>{"a"});
    else
      EXPECT_TRUE(contains(error, "Copy the directory to a place where you can write")) << error;
    EXPECT_EQ(error.empty(), with_index) << error;
  }
}

TEST(ReadOnlyDisk, DoesNotMatterToAUserWhoMayOnlyRead) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  FakeHost host;
  fs::permissions(host.root(), fs::perms(0755));
  const auto directory = host.root() / "r";
  const auto expect_runs = [&](std::size_t count) {
    const pid_t child = fork();
    if (child == 0) {
      if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
      try {
        const auto store = ResultStore::open(directory, Access::read_only);
        const auto error = error_of([&] { ResultStore::open(directory, Access::read_write); });
        _exit(ids_of(store).size() == count && contains(error, "let your user write there") ? 0
                                                                                            : 1);
      } catch (const std::exception& error) {
        fprintf(stderr, "the child: %s\n", error.what());
      }
      _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  };
  {
    auto store = ResultStore::create(directory, small_study());
    record_noise(store, "a", 10);
    store.take_in();
    expect_runs(1);  // while it is written
    record_noise(store, "b", 10);
    store.take_in();
    expect_runs(2);
  }
  expect_runs(2);  // afterwards
}

}  // namespace
}  // namespace prengdl
