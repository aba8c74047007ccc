// SPDX-License-Identifier: MIT
#include "kernels/micro/line_fit.hpp"

#include <cassert>
#include <cmath>

namespace finegrain::micro {

LineFit fit_line(const std::vector<FitPoint>& points) {
  // Weighted least squares, weight 1 / y^2; around the weighted mean, where the sums do not cancel.
  double weights = 0;
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : points) {
    const double weight = 1 / (y * y);
    weights += weight;
    mean_x += weight * x;
    mean_y += weight * y;
  }
  mean_x /= weights;
  mean_y /= weights;
  double xx = 0;
  double xy = 0;
  for (const auto& [x, y] : points) {
    const double weight = 1 / (y * y);
    xx += weight * (x - mean_x) * (x - mean_x);
    xy += weight * (x - mean_x) * (y - mean_y);
  }
  assert(xx > 0);
  LineFit fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  for (const auto& [x, y] : points) {
    const double deviation = (fit.at(x) - y) / y;
    if (std::abs(deviation) < std::abs(fit.worst_deviation)) continue;
    fit.worst_deviation = deviation;
    fit.worst_x = x;
  }
  return fit;
}

}  // namespace finegrain::micro
