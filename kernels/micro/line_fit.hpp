// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace finegrain::micro {

/// What was measured at x.
struct FitPoint {
  double x = 0;
  double y = 0;
  double intercepts = 1;  ///< how many times the intercept is part of y
};

/// y = intercepts * intercept + slope * x, and how far it is from the points it was fitted to.
struct LineFit {
  double intercept = 0;
  double slope = 0;
  double worst_deviation = 0;  ///< (line - y) / y where that is largest in magnitude
  double worst_x = 0;          ///< and where that is

  double at(double x, double intercepts = 1) const { return intercepts * intercept + slope * x; }
};

/// The line that minimizes the sum of squared *relative* deviations ((line - y) / y)^2: a message of 8 B
/// counts as much as one of 4 MiB, whose time is a thousand times longer.
/// @pre two points or more, at different x / intercepts, and every y > 0
LineFit fit_line(const std::vector<FitPoint>& points);

/// The same of all lines of slope 0.
LineFit fit_level_line(const std::vector<FitPoint>& points);

}  // namespace finegrain::micro
