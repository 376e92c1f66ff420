// SPDX-License-Identifier: Apache-2.0
#include "store/signature.h"

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include <vector>

namespace prengdl {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string user_name() {
  std::vector<char> buffer(1 << 14);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
    return found->pw_name;
  return std::to_string(getuid());
}

}  // namespace prengdl
