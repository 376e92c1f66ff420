// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/error.h"

namespace prengdl {

/// W is near 1 for values that look normal; a small p says that they do not.
struct NormalityTest {
  double w = 1;
  double p = 1;
};

/// The test of Shapiro and Wilk (1965) with Royston's approximations, algorithm AS R94 (Applied
/// Statistics 44, 1995), for 3 to 5000 values. Refuses other sizes, values that are not finite and
/// values that are all equal. Ties, as a coarse meter makes them, lower W.
Result<NormalityTest> shapiro_wilk(std::span<const double> values);

}  // namespace prengdl
