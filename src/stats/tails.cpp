// SPDX-License-Identifier: Apache-2.0
#include "stats/tails.h"

#include <boost/math/distributions/normal.hpp>

namespace prengdl {

Tails normal_tails(double above_mean, double half_step, double spread) {
  if (!(spread > 0)) return {};
  const boost::math::normal normal;
  return {boost::math::cdf(normal, (above_mean + half_step) / spread),
          boost::math::cdf(boost::math::complement(normal, (above_mean - half_step) / spread))};
}

}  // namespace prengdl
