// SPDX-License-Identifier: Apache-2.0
#include "base/priority.h"

#include <sys/resource.h>

#include <algorithm>

namespace prengdl {
namespace {

constexpr rlim_t highest = 40;  // 20 minus a niceness of -20

rlimit limit_before{};
bool is_raised = false;

}  // namespace

void allow_high_priority() noexcept {
  if (getrlimit(RLIMIT_NICE, &limit_before) != 0) return;
  const rlimit raised{highest, std::max(highest, limit_before.rlim_max)};
  is_raised = setrlimit(RLIMIT_NICE, &raised) == 0;
}

void forbid_high_priority(pid_t child) noexcept {
  if (is_raised) prlimit(child, RLIMIT_NICE, &limit_before, nullptr);
}

}  // namespace prengdl
