// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace finegrain {

struct Spread {
  double smallest = 0;
  double median = 0;
  double largest = 0;
};

/// @pre values is not empty
Spread spread_of(std::vector<double> values);

}  // namespace finegrain
