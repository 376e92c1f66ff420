// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/units.h"
#include "profile/call_profile.h"

namespace prengdl {

/// How far stacks are followed. What lies beyond is counted for the frame where it was left off.
struct StackLimits {
  double least_share = 1e-4;   // of all time: stacks below it are not followed further
  std::size_t depth = 256;     // frames
  std::size_t lines = 200000;  // stacks
};

/// Takes a stack, places in the profile's functions with the outermost first, and its own time.
using TakeStack = std::function<void(std::span<const std::uint32_t> stack, Seconds own)>;

/// Stacks rebuilt from pairs of caller and callee. cProfile does not keep stacks: it knows how long
/// c took when b called it, and b when a called it, but not how long c took when b called it on
/// behalf of a. So the time of b's calls of c is divided over b's own callers in proportion to the
/// time that b took for each of them. The own times of all stacks add up to those of the functions;
/// a call that closes a circle (recursion) is counted for the function that was on the stack.
void for_each_stack(const CallProfile& profile, const TakeStack& take,
                    const StackLimits& limits = {});

}  // namespace prengdl
