// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fake_host.h"

namespace prengdl {
namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

TEST(Files, ReadsTextWithoutTheWhiteSpaceAtItsEnd) {
  FakeHost host;
  host.write("a", "  two words \t\r\n\n");
  EXPECT_EQ(read_text(host.root() / "a").value(), "  two words");
  host.write("blank", "  \n");
  EXPECT_EQ(read_text(host.root() / "blank").value(), "");
}

TEST(Files, ReadsFilesLongerThanOneRead) {
  FakeHost host;
  const std::string text = std::string(100000, 'x') + "end";
  host.write("long", text);
  EXPECT_EQ(read_text(host.root() / "long").value(), text);
}

TEST(Files, NamesTheFileThatIsMissing) {
  FakeHost host;
  const auto text = read_text(host.root() / "none");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().what(),
            "cannot read " + (host.root() / "none").string() + ": No such file or directory");
  EXPECT_EQ(text.error().hint, "");
  EXPECT_EQ(read_optional(host.root() / "none"), std::nullopt);
}

TEST(Files, SaysThatADirectoryIsNoText) {
  FakeHost host;
  const auto text = read_text(host.root());
  ASSERT_FALSE(text);
  EXPECT_NE(std::string(text.error().what()).find("Is a directory"), std::string::npos);
  EXPECT_EQ(read_optional(host.root()), std::nullopt);
}

TEST(Files, AdvisesWhereAPermissionIsMissing) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  FakeHost host;
  host.write("secret", "1");
  host.forbid("secret");
  const auto text = read_text(host.root() / "secret");
  ASSERT_FALSE(text);
  EXPECT_NE(std::string(text.error().what()).find("Permission denied"), std::string::npos);
  EXPECT_NE(text.error().hint.find("root"), std::string::npos);
}

TEST(Files, ReadsIntegersAndNothingElse) {
  FakeHost host;
  host.write("number", "262143328850");
  host.write("negative", "-12");
  host.write("words", "12 apples");
  host.write("empty", "");
  EXPECT_EQ(read_integer(host.root() / "number"), 262143328850);
  EXPECT_EQ(read_integer(host.root() / "negative"), -12);
  for (const auto* name : {"words", "empty", "none"})
    EXPECT_EQ(read_integer(host.root() / name), std::nullopt) << name;
}

TEST(Files, ListsADirectoryInNaturalOrder) {
  FakeHost host;
  for (const auto* name : {"zone10", "zone2", ".hidden", "zone1/inner"})
    host.write(std::filesystem::path("d") / name, "");
  EXPECT_EQ(list_directory(host.root() / "d"),
            (std::vector<std::string>{".hidden", "zone1", "zone2", "zone10"}));
  EXPECT_TRUE(list_directory(host.root() / "none").empty());
  EXPECT_TRUE(list_directory(host.root() / "d/zone2").empty()) << "a file is no directory";
}

TEST(Files, WritesTheWholeTextAndReplacesTheOld) {
  FakeHost host;
  const auto path = host.root() / "out";
  write_text(path, std::string(50000, 'a'));
  write_text(path, "short");
  EXPECT_EQ(read_text(path).value(), "short");
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
}

TEST(Files, NamesTheFileThatCannotBeWritten) {
  FakeHost host;
  const auto path = host.root() / "none/out";
  try {
    write_text(path, "x");
    FAIL() << "an Error was expected";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "cannot write " + path.string() + ": No such file or directory");
  }
  EXPECT_THROW(write_text("/dev/full", "x"), Error) << "a full disk must be noticed";
}

TEST(Files, ADescriptorIsClosedOnce) {
  FakeHost host;
  host.write("a", "1");
  int number = -1;
  {
    auto file = open_for_reading(host.root() / "a");
    ASSERT_TRUE(file);
    number = file->get();
    EXPECT_TRUE(fcntl(number, F_GETFD) & FD_CLOEXEC) << "workloads must not inherit it";
    FileDescriptor moved(std::move(*file));
    EXPECT_FALSE(*file);  // NOLINT(bugprone-use-after-move): what is left behind is the point
    EXPECT_EQ(moved.get(), number);
    FileDescriptor assigned;
    assigned = std::move(moved);
    EXPECT_TRUE(is_open(number));
    assigned.close();
    EXPECT_FALSE(is_open(number));
    EXPECT_FALSE(assigned);
    assigned.close();
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Directory, GivesItsFilesAndDirectories) {
  FakeHost host;
  host.write("zones/zone10/name", "ten\n");
  host.write("zones/zone2/energy", " 42\n");
  host.write("zones/zone2/name", "two\n");
  const Directory zones(host.root() / "zones");
  ASSERT_TRUE(zones);
  EXPECT_EQ(zones.names(), (std::vector<std::string>{"zone2", "zone10"}));
  const Directory two = zones / "zone2";
  EXPECT_EQ(two.attribute("name"), "two");
  EXPECT_EQ(two.integer("energy"), 42);
  EXPECT_EQ(two.integer("name"), std::nullopt);
  EXPECT_TRUE(two.file("energy"));
  EXPECT_EQ(zones.attribute("zone10/name"), "ten") << "a name may be a path";
  EXPECT_TRUE(zones.has("zone10"));
  EXPECT_FALSE(zones.has("zone3"));
}

TEST(Directory, OfAMissingOneEverythingIsMissing) {
  FakeHost host;
  const Directory missing(host.root() / "nowhere");
  EXPECT_FALSE(missing);
  EXPECT_FALSE(missing / "deeper");
  EXPECT_EQ(missing.attribute("name"), std::nullopt);
  EXPECT_EQ(missing.integer("name"), std::nullopt);
  EXPECT_FALSE(missing.has("name"));
  EXPECT_TRUE(missing.names().empty());
  host.write("file", "1");
  EXPECT_FALSE(Directory(host.root() / "file")) << "a file is no directory";
}

TEST(Files, GivesTheWordsOfAnErrorNumber) {
  EXPECT_EQ(error_text(EACCES), "Permission denied");
  EXPECT_FALSE(error_text(99999).empty());
}

TEST(Files, RefusesAPipeByNameWithoutWaitingForIt) {
  FakeHost host;
  const auto path = host.root() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto text = read_text(path);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().what(),
            "cannot read " + path.string() + ": it is a pipe, not a regular file");
  EXPECT_FALSE(open_regular("/dev/zero"));
}

TEST(Files, ReadsNoTextWithoutEnd) {
  FakeHost host;
  host.write("large", "x");
  std::filesystem::resize_file(host.root() / "large", std::uint64_t{20} << 30);
  const auto text = read_text(host.root() / "large");
  ASSERT_FALSE(text);
  EXPECT_NE(std::string(text.error().what()).find("it is larger than 64 MiB"), std::string::npos);
}

TEST(Files, TellsWhatIsMissingFromWhatCannotBeLookedAt) {
  FakeHost host;
  host.write("a", "");
  EXPECT_TRUE(is_there(host.root() / "a"));
  EXPECT_FALSE(is_there(host.root() / "b"));
  EXPECT_FALSE(is_there(host.root() / "a/b"));
  EXPECT_THROW(is_there(host.root() / std::string(300, 'x')), Error);
}

TEST(Files, ADirectoryThatCannotBeMadeIsNamed) {
  try {
    make_directories("/proc/no/such");
    FAIL() << "an Error was expected";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot make the directory /proc/no/such: No such file or directory");
    EXPECT_NE(error.hint, "");
  }
}

TEST(Files, AFullDeviceIsAnError) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(write_fully(full, "text", 4), ENOSPC);
  EXPECT_EQ(write_fully(full, "", 0), 0);
}

}  // namespace
}  // namespace prengdl
