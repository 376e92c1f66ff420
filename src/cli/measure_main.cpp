// SPDX-License-Identifier: Apache-2.0
//
// The small program that measures: see cli/sibling.h.
#include "cli/measure.h"
#include "cli/program.h"
#include "cli/sibling.h"

namespace {

int start(const std::vector<std::string>& words) {
  if (words.empty() || words.front() != "measure") prengdl::become_full_program(words);
  return prengdl::measure({words.begin() + 1, words.end()}, nullptr);
}

}  // namespace

int main(int argc, char** argv) { return prengdl::run_program(argc, argv, start); }
