// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "print/profile.h"
#include "profile/api_cost.h"
#include "profile/call_profile.h"
#include "profile/call_stacks.h"

// Any bytes are a profile or an error; what is made of a profile keeps its time and stays within
// bounds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prengdl;
  const auto profile = parse_profile(std::string(data, data + size));
  if (!profile) return 0;
  for (const auto& edge : profile->edges)
    if (edge.caller >= profile->functions.size() || edge.callee >= profile->functions.size())
      std::abort();
  static const ApiTable table = ApiTable::shipped();
  const ProfileCost cost = cost_of("fuzz", *profile, table);
  double own = 0;
  for (const auto& function : profile->functions) own += std::max(0.0, function.own.count());
  double stacks = 0;
  std::size_t lines = 0;
  const StackLimits limits;
  for_each_stack(cost.profile, [&](std::span<const std::uint32_t> stack, Seconds time) {
    if (stack.size() > limits.depth) std::abort();
    stacks += time.count();
    ++lines;
  });
  if (lines > limits.lines + profile->functions.size()) std::abort();
  if (std::abs(stacks - own) > 1e-6 * own) std::abort();
  ProfileView view;
  profile_text({cost}, view, false);
  profile_text({cost, cost}, view, true);
  profile_json({cost}, view);
  profile_csv({cost}, view);
  call_graph_dot(cost, 0);
  std::ostringstream out;
  write_collapsed(cost, out);
  return 0;
}
