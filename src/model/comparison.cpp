// SPDX-License-Identifier: Apache-2.0
#include "model/comparison.h"

#include <algorithm>

namespace prengdl {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::less:
      return "less";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::not_comparable:
      return "not comparable";
    case Verdict::modelled:
      return "modelled";
  }
  return "inconclusive";
}

std::string_view name_of(Caveat caveat) {
  switch (caveat) {
    case Caveat::shape_unjudged:
      return "shape-unjudged";
    case Caveat::dependence_unjudged:
      return "dependence-unjudged";
    case Caveat::skewed:
      return "skewed";
    case Caveat::fixed_order:
      return "fixed-order";
    case Caveat::confounded_time:
      return "confounded-time";
    case Caveat::confounded_machine:
      return "confounded-machine";
    case Caveat::sensor_accuracy:
      return "sensor-accuracy";
    case Caveat::machines_differ:
      return "machines-differ";
    case Caveat::disturbed:
      return "disturbed";
    case Caveat::looked:
      return "looked";
    case Caveat::unfinished:
      return "unfinished";
    case Caveat::score:
      return "score";
  }
  return "unknown";
}

bool Comparison::has(Caveat code) const {
  return std::any_of(caveats.begin(), caveats.end(),
                     [&](const CaveatText& one) { return one.code == code; });
}

}  // namespace prengdl
