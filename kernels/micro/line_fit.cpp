// SPDX-License-Identifier: MIT
#include "kernels/micro/line_fit.hpp"

#include <cassert>
#include <cmath>

namespace finegrain::micro {
namespace {

LineFit with_worst_deviation(LineFit fit, const std::vector<FitPoint>& points) {
  for (const auto& [x, y, intercepts] : points) {
    const double deviation = (fit.at(x, intercepts) - y) / y;
    if (std::abs(deviation) < std::abs(fit.worst_deviation)) continue;
    fit.worst_deviation = deviation;
    fit.worst_x = x;
  }
  return fit;
}

}  // namespace

LineFit fit_line(const std::vector<FitPoint>& points) {
  // Weighted least squares, weight 1 / y^2, around the weighted mean of x / intercepts, where the sums do not
  // cancel.
  double weights = 0;
  double mean_x = 0;
  for (const auto& [x, y, intercepts] : points) {
    const double weight = intercepts * intercepts / (y * y);
    weights += weight;
    mean_x += weight * x / intercepts;
  }
  mean_x /= weights;
  double mean_y = 0;
  double xx = 0;
  double xy = 0;
  for (const auto& [x, y, intercepts] : points) {
    const double weight = 1 / (y * y);
    const double from_mean = x - intercepts * mean_x;
    mean_y += weight * intercepts * y / weights;
    xx += weight * from_mean * from_mean;
    xy += weight * from_mean * y;
  }
  assert(xx > 0);
  LineFit fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  return with_worst_deviation(fit, points);
}

LineFit fit_level_line(const std::vector<FitPoint>& points) {
  double xy = 0;
  double xx = 0;
  for (const FitPoint& point : points) {
    xy += point.intercepts / point.y;
    xx += point.intercepts * point.intercepts / (point.y * point.y);
  }
  LineFit fit;
  fit.intercept = xy / xx;
  return with_worst_deviation(fit, points);
}

}  // namespace finegrain::micro
