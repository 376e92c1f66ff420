// SPDX-License-Identifier: Apache-2.0
#include "meters/virtual_machine.h"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "base/files.h"

namespace prengdl {

bool is_virtual_machine(const std::filesystem::path& root) {
  // The flags of the first processor suffice; the file is long on a large machine.
  const auto file = open_for_reading(root / "proc/cpuinfo");
  if (!file) return false;
  char text[8192];
  const ssize_t got = ::read(file->get(), text, sizeof text);
  if (got <= 0) return false;
  const std::string_view first(text, static_cast<std::size_t>(got));
  const auto flags = first.find("\nflags");
  if (flags == std::string_view::npos) return false;
  const auto line = first.substr(flags + 1, first.find('\n', flags + 1) - flags - 1);
  return line.find(" hypervisor") != std::string_view::npos;
}

}  // namespace prengdl
