// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/standard_streams.h"
#include "base/text.h"

namespace prengdl {

bool can_overwrite(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) && !(terminal && std::string_view(terminal) == "dumb");
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void write_over(const std::string& line) {
  // The last column stays free: some terminals wrap as soon as it is written.
  const std::size_t most = std::max<std::size_t>(columns_of(STDERR_FILENO), 2) - 1;
  remark(fmt::format("\r\x1b[K{}", shortened(line, most)));
}

void write_over_nothing() { remark("\r\x1b[K"); }

bool wants_colour(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  return can_overwrite(descriptor) && !(refused && *refused);
}

}  // namespace prengdl
