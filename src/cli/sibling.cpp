// SPDX-License-Identifier: Apache-2.0
#include "cli/sibling.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/limits.h"

namespace prengdl {

int become_sibling(std::vector<std::string> words) {
  const std::string program = words.front();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  restore_open_files();
  std::error_code none;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", none);
  execv((self.parent_path() / program).c_str(), arguments.data());
  // Root does not run what the caller's PATH names.
  if (geteuid() != 0) execvp(program.c_str(), arguments.data());
  return errno;
}

void become_full_program(std::vector<std::string> words) {
  words.insert(words.begin(), "prengdl-full");
  const int reason = become_sibling(std::move(words));
  throw Error("cannot start prengdl-full: " + error_text(reason),
              "it belongs beside prengdl: install the package as a whole");
}

}  // namespace prengdl
