// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/text.h"

namespace prengdl {
namespace {

int report(const Error& error, int exit_code) {
  // Words of the user may be in it, and words of the user may hold escape sequences.
  const char* before = "prengdl: ";
  for (const auto line : split(error.what(), '\n')) {
    std::cerr << before << printable(line) << "\n";
    before = "";
  }
  if (!error.hint.empty()) std::cerr << "  " << printable(error.hint) << "\n";
  return exit_code;
}

}  // namespace

int run_program(int argc, char** argv, int (*start)(const std::vector<std::string>& words)) try {
  const int exit_code = start({argv + std::min(argc, 1), argv + argc});
  std::cout.flush();
  if (!std::cout) throw Error("cannot write the results to standard output", "is the disk full?");
  return exit_code;
} catch (const UsageError& error) {
  return report(error, 2);
} catch (const Error& error) {
  return report(error, 1);
} catch (const std::exception& error) {
  return report(Error(error.what()), 1);
}

}  // namespace prengdl
