// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace finegrain {

/// The value that a share of the values does not exceed, between two of them by linear interpolation: 0.5 is
/// the median, of an even number the mean of the two in the middle.
/// @pre values is not empty, 0 <= share <= 1
double quantile(std::vector<double> values, double share);

}  // namespace finegrain
