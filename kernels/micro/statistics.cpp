// SPDX-License-Identifier: MIT
#include "kernels/micro/statistics.hpp"

#include <algorithm>

#include "traces/quantile.hpp"

namespace finegrain {

Spread spread_of(std::vector<double> values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return {*smallest, quantile(values, 0.5), *largest};
}

}  // namespace finegrain
