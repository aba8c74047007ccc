// SPDX-License-Identifier: MIT
#include "kernels/micro/statistics.hpp"

#include <algorithm>

namespace finegrain {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

}  // namespace finegrain
