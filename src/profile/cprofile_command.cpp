// SPDX-License-Identifier: Apache-2.0
#include "profile/cprofile_command.h"

#include <array>
#include <cctype>
#include <string_view>

namespace prengdl {
namespace {

/// python, python3, python3.11, pypy3: whatever its directory.
bool is_python(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  for (const std::string_view known : {"python", "pypy"}) {
    if (!name.starts_with(known)) continue;
    const std::string version = name.substr(known.size());
    return version.find_first_not_of("0123456789.") == std::string::npos;
  }
  return false;
}

/// Options of the interpreter that take the next word as their value.
bool takes_a_value(const std::string& option) {
  constexpr std::array<std::string_view, 4> all{"-W", "-X", "--check-hash-based-pycs", "-Q"};
  for (const auto one : all)
    if (option == one) return true;
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> under_cprofile(const std::vector<std::string>& command,
                                                       const std::filesystem::path& file) {
  if (command.empty() || !is_python(command.front())) return std::nullopt;
  std::size_t at = 1;
  while (at < command.size() && command[at].starts_with("-") && command[at] != "-m") {
    // A program text (-c) or standard input (-): cProfile takes modules and files only.
    if (command[at] == "-c" || command[at] == "-") return std::nullopt;
    at += takes_a_value(command[at]) ? 2 : 1;
  }
  if (at >= command.size()) return std::nullopt;
  std::vector<std::string> profiled(command.begin(),
                                    command.begin() + static_cast<std::ptrdiff_t>(at));
  for (const auto& word :
       {std::string("-m"), std::string("cProfile"), std::string("-o"), file.string()})
    profiled.push_back(word);
  profiled.insert(profiled.end(), command.begin() + static_cast<std::ptrdiff_t>(at), command.end());
  return profiled;
}

}  // namespace prengdl
