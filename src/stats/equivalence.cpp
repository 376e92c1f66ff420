// SPDX-License-Identifier: Apache-2.0
#include "stats/equivalence.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace prengdl {

Result<Equivalence> equivalence(const LogRatio& ratio, double margin, double alpha) {
  if (!(margin > 0) || !std::isfinite(margin))
    return failure("an equivalence margin must be above zero");
  if (!(alpha > 0 && alpha < 0.5)) return failure("an error rate must lie between 0 and 0.5");
  const double centre = std::log(ratio.ratio);
  // Rounding leaves some 1e-16 where all values are equal.
  if (!(ratio.standard_error > 1e-14 * std::max(1.0, std::abs(centre))))
    return failure("the values do not differ from run to run, so there is no spread",
                   "A meter that does not change, or has too coarse steps, looks like this.");
  const double bound = std::log1p(margin);
  const boost::math::students_t distribution(ratio.freedom);
  const auto chance_above = [&](double t) {
    return boost::math::cdf(boost::math::complement(distribution, t));
  };
  Equivalence result;
  result.ratio = ratio.ratio;
  result.bounds = {1 / (1 + margin), 1 + margin};
  result.interval = interval_of(ratio, 1 - 2 * alpha);
  result.p_below = chance_above((centre + bound) / ratio.standard_error);
  result.p_above = chance_above((bound - centre) / ratio.standard_error);
  result.p = std::max(result.p_below, result.p_above);
  result.equivalent = result.p < alpha;
  return result;
}

Result<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b,
                                       double margin, double alpha) {
  return paired_log_ratio(a, b).and_then(
      [&](const LogRatio& ratio) { return equivalence(ratio, margin, alpha); });
}

Result<Equivalence> unpaired_equivalence(std::span<const double> a, std::span<const double> b,
                                         double margin, double alpha) {
  return unpaired_log_ratio(a, b).and_then(
      [&](const LogRatio& ratio) { return equivalence(ratio, margin, alpha); });
}

}  // namespace prengdl
