// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "base/error.h"
#include "base/escaping.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/standard_streams.h"
#include "base/strings.h"
#include "meters/patience.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

int report(const Error& error, int exit_code) {
  // Words of the user may be in it, and words of the user may hold escape sequences.
  std::string text = "prengdl: ";
  for (const auto line : split(error.what(), '\n')) text += printable(line) + "\n";
  if (!error.hint.empty()) text += "  " + printable(error.hint) + "\n";
  std::cerr << wrapped(text, style_of(STDERR_FILENO).width);
  return exit_code;
}

int run(int argc, char** argv, int (*start)(const std::vector<std::string>& words)) try {
  secure_standard_streams();
  allow_open_files();
  const int exit_code = start({argv + std::min(argc, 1), argv + argc});
  std::cout.flush();
  if (!std::cout)
    throw Error("cannot write the results to standard output",
                "Check that the disk is not full and that the program that reads them still runs.");
  return exit_code;
} catch (const UsageError& error) {
  return report(error, 2);
} catch (const Error& error) {
  return report(error, 1);
} catch (const std::filesystem::filesystem_error& error) {
  return report(Error(fmt::format("cannot use {}: {}", error.path1().string(),
                                  error_text(error.code().value()))),
                1);
} catch (const std::system_error& error) {
  const int reason = error.code().value();
  return report(Error("cannot continue: " + error_text(reason), exhaustion_advice(reason)), 1);
} catch (const std::bad_alloc&) {
  return report(Error("out of memory", exhaustion_advice(ENOMEM)), 1);
} catch (const std::exception& error) {
  return report(Error(error.what()), 1);
}

}  // namespace

int run_program(int argc, char** argv, int (*start)(const std::vector<std::string>& words)) {
  const int exit_code = run(argc, argv, start);
  // A driver's library that hangs in a call may hang in its clean-up too.
  if (anything_has_hung()) {
    std::cout.flush();
    std::fflush(nullptr);
    _exit(exit_code);
  }
  return exit_code;
}

}  // namespace prengdl
