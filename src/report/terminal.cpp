// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace prengdl {

bool can_overwrite(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) && !(terminal && std::string_view(terminal) == "dumb");
}

bool wants_colour(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  return can_overwrite(descriptor) && !(refused && *refused);
}

}  // namespace prengdl
