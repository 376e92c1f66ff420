// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace prengdl {

/// A temporary directory that looks like a machine: fill /sys, /proc and /dev below it and hand its
/// root to the code under test. Removed at the end.
class FakeHost {
 public:
  FakeHost() {
    std::string pattern = (std::filesystem::temp_directory_path() / "prengdl-host-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
    root_ = pattern;
  }
  ~FakeHost() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const std::filesystem::path& root() const { return root_; }

  /// Writes in place (no rename), so that descriptors that are open see the new text.
  void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream file(root_ / path, std::ios::trunc);
    file << text << "\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + (root_ / path).string());
  }

  /// A link as /sys is full of them; the target is relative to the link.
  void link(const std::filesystem::path& path, const std::filesystem::path& target) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::filesystem::create_symlink(target, root_ / path);
  }

  void remove(const std::filesystem::path& path) { std::filesystem::remove_all(root_ / path); }

  /// Takes all permissions from a file. Root reads it all the same: see skip_if_root in the tests.
  void forbid(const std::filesystem::path& path) {
    std::filesystem::permissions(root_ / path, std::filesystem::perms::none);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace prengdl
