// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prengdl {

/// What the `main` of each program does: calls `start` with the words of the command line, writes
/// out what was printed, turns errors into messages, and gives the exit code.
int run_program(int argc, char** argv, int (*start)(const std::vector<std::string>& words));

}  // namespace prengdl
