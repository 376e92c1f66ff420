// SPDX-License-Identifier: Apache-2.0
#include "model/comparison.h"

namespace prengdl {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::less:
      return "less";
    case Verdict::less_below_margin:
      return "less, below margin";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::not_comparable:
      return "not comparable";
    case Verdict::derived:
      return "derived";
  }
  return "inconclusive";
}

}  // namespace prengdl
