// SPDX-License-Identifier: Apache-2.0
#include "model/comparison.h"

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

bool is_within_margin(const std::array<double, 2>& interval, double margin) {
  return margin > 0 && interval[0] >= 1 / (1 + margin) && interval[1] <= 1 + margin;
}

Verdict verdict_of(const std::array<double, 2>& interval, bool is_different, double margin) {
  if (is_different) return Verdict::less;
  return is_within_margin(interval, margin) ? Verdict::equivalent : Verdict::inconclusive;
}

}  // namespace prengdl
