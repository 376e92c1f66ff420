// SPDX-License-Identifier: Apache-2.0
#include "conclude/energy_kind.h"

#include <fmt/core.h>

#include <set>

#include "base/strings.h"
#include "model/measure.h"
#include "model/window.h"

namespace prengdl {
namespace {

std::string domains_of(const std::vector<const StoredRun*>& runs) {
  std::set<std::string> domains;
  for (const auto* run : runs)
    domains.insert(run->run.energy.covers.begin(), run->run.energy.covers.end());
  return domains.empty() ? "nothing" : joined(domains, " + ");
}

}  // namespace

std::optional<Quality> worst_quality(const std::vector<const StoredRun*>& runs,
                                     const std::string& measure) {
  std::optional<Quality> worst;
  for (const auto* run : runs)
    if (const auto one = quality_in(run->run, measure); one && (!worst || *one > *worst))
      worst = one;
  return worst;
}

std::string other_domains(const std::vector<const StoredRun*>& a,
                          const std::vector<const StoredRun*>& b, const std::string& measure) {
  if (measure != measures::metered || a.empty() || b.empty()) return "";
  const auto first = domains_of(a);
  const auto second = domains_of(b);
  if (first == second) return "";
  return fmt::format("one level has the energy of {}, the other that of {}", first, second);
}

}  // namespace prengdl
