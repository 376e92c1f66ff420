// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prengdl {

/// Goes on as another program of prengdl's: the one next to this program, else, unless we are root,
/// where the shell would find it. Comes back, with errno, only when there is none. `words` begin
/// with the program's name.
int become_sibling(std::vector<std::string> words);

/// `prengdl` itself is a small program that can measure and nothing else, linked without the
/// loader: its start and its end are part of the time that it adds to a command. All other
/// commands, and whatever needs a library (GPUs speak through theirs, and so do the directories
/// that know a cluster's users), are done by `prengdl-full`.
///
/// Goes on as that one with these words, from the beginning: to be called by the small one, before
/// anything was printed or changed. Throws where the full one is missing.
[[noreturn]] void become_full_program(std::vector<std::string> words);

}  // namespace prengdl
