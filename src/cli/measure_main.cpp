// SPDX-License-Identifier: Apache-2.0
//
// The small program that measures: see cli/sibling.h.
#include <unistd.h>

#include <cstdlib>

#include "cli/measure.h"
#include "cli/program.h"
#include "cli/sibling.h"

namespace {

int start(const std::vector<std::string>& words) {
  // Under sudo nothing is done, not even options are read, before root is left: by the other one,
  // which can look up users.
  const bool is_under_sudo = geteuid() == 0 && std::getenv("SUDO_UID");
  if (words.empty() || words.front() != "measure" || is_under_sudo)
    prengdl::become_full_program(words);
  return prengdl::measure({words.begin() + 1, words.end()}, nullptr);
}

}  // namespace

int main(int argc, char** argv) { return prengdl::run_program(argc, argv, start); }
