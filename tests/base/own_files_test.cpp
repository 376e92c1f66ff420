// SPDX-License-Identifier: Apache-2.0
#include "base/own_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_host.h"

namespace prengdl {
namespace {

class OwnFiles : public testing::Test {
 protected:
  OwnFiles() {
    host_.write("victim", "precious");
    host_.write("place/keep", "");
  }
  std::string victim() const { return read_text(host_.root() / "victim").value(); }
  std::filesystem::path place(const std::string& name) const {
    return host_.root() / "place" / name;
  }

  FakeHost host_;
};

TEST_F(OwnFiles, ANewFileReplacesALinkAndLeavesItsTarget) {
  host_.link("place/file", host_.root() / "victim");
  const FileDescriptor file = create_own_file(place("file"));
  EXPECT_EQ(::write(file.get(), "new", 3), 3);
  EXPECT_FALSE(std::filesystem::is_symlink(place("file")));
  EXPECT_EQ(victim(), "precious");
}

TEST_F(OwnFiles, ANewFileReplacesAHardLinkAndLeavesItsTarget) {
  std::filesystem::create_hard_link(host_.root() / "victim", place("file"));
  const FileDescriptor file = create_own_file(place("file"));
  EXPECT_EQ(::write(file.get(), "new", 3), 3);
  EXPECT_EQ(victim(), "precious");
}

TEST_F(OwnFiles, AFileThatStaysIsNoLinkNoPipeAndHasOneName) {
  host_.link("place/link", host_.root() / "victim");
  std::filesystem::create_hard_link(host_.root() / "victim", place("twin"));
  ASSERT_EQ(mkfifo(place("pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "twin", "pipe"})
    EXPECT_THROW(open_own_file(place(name)), Error) << name;
  EXPECT_EQ(victim(), "precious");
  EXPECT_TRUE(open_own_file(place("file")));
  EXPECT_TRUE(open_own_file(place("file"), O_APPEND));
}

TEST_F(OwnFiles, AFileThatStaysIsNobodyElses) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  host_.write("place/file", "");
  ASSERT_EQ(chown(place("file").c_str(), 65534, 65534), 0);
  EXPECT_THROW(open_own_file(place("file")), Error);
  ASSERT_EQ(chown(place("").c_str(), 65534, 65534), 0);
  EXPECT_THROW(check_directory_owner(place("")), Error);
  EXPECT_THROW(make_own_directory(host_.root(), "place/below"), Error);
  host_.link("link", host_.root());
  EXPECT_NO_THROW(check_directory_owner(host_.root() / "link"));
  ASSERT_EQ(lchown((host_.root() / "link").c_str(), 65534, 65534), 0);
  EXPECT_THROW(check_directory_owner(host_.root() / "link"), Error) << "somebody else's link";
}

TEST_F(OwnFiles, DirectoriesAreMadeButNotThroughLinks) {
  make_own_directory(host_.root(), "place/a/b");
  make_own_directory(host_.root(), "place/a/b");
  EXPECT_TRUE(std::filesystem::is_directory(place("a/b")));
  host_.write("elsewhere/file", "");
  host_.link("place/link", host_.root() / "elsewhere");
  EXPECT_THROW(make_own_directory(host_.root(), "place/link/b"), Error);
  EXPECT_FALSE(std::filesystem::exists(host_.root() / "elsewhere/b"));
  EXPECT_THROW(make_own_directory(host_.root(), "place/keep/b"), Error);
}

TEST_F(OwnFiles, NoPartOfAPathBelowARootIsALink) {
  host_.link("linked", host_.root() / "place");
  host_.link("place/link", host_.root() / "victim");
  EXPECT_TRUE(open_below(host_.root(), "place/keep", O_RDONLY));
  EXPECT_FALSE(open_below(host_.root(), "linked/keep", O_RDONLY));
  EXPECT_FALSE(open_below(host_.root(), "place/link", O_RDONLY));
  EXPECT_FALSE(open_below(host_.root() / "place", "../victim", O_RDONLY));
  EXPECT_FALSE(open_below(host_.root(), "place/none", O_RDONLY));
}

TEST_F(OwnFiles, AReplacedFileIsWholeAndNothingIsWrittenThroughLinks) {
  host_.link("place/file", host_.root() / "victim");
  host_.link("place/file.part", host_.root() / "victim");
  replace_file(place("file"), "all of it\n");
  EXPECT_EQ(read_bytes(place("file")).value(), "all of it\n");
  EXPECT_FALSE(std::filesystem::is_symlink(place("file")));
  EXPECT_FALSE(std::filesystem::exists(place("file.part")));
  EXPECT_EQ(victim(), "precious");
}

}  // namespace
}  // namespace prengdl
