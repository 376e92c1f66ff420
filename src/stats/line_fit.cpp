// SPDX-License-Identifier: Apache-2.0
#include "stats/line_fit.h"

#include <algorithm>
#include <cmath>

#include "stats/log_ratio.h"
#include "stats/summary.h"

namespace prengdl {

Result<LineFit> fit_line(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) return failure("a line needs as many x as y");
  if (x.size() < 2) return failure("a line needs at least two points");
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  if (!std::isfinite(xx) || !std::isfinite(yy)) return failure("a line needs numbers");
  if (xx == 0) return failure("all x are equal: no line has a slope there");
  LineFit fit;
  fit.n = x.size();
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  if (yy > 0) fit.pearson = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
  if (x.size() < 3) return fit;
  // From the residuals themselves: yy - slope xy would cancel where the line fits well.
  double left = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = (y[i] - mean_y) - fit.slope * (x[i] - mean_x);
    left += residual * residual;
  }
  const double freedom = static_cast<double>(x.size()) - 2;
  const double half = student_factor(0.95, freedom) * std::sqrt(left / freedom / xx);
  fit.slope_ci95 = {fit.slope - half, fit.slope + half};
  return fit;
}

}  // namespace prengdl
