// SPDX-License-Identifier: MIT
#include "kernels/micro/statistics.hpp"

#include <algorithm>

#include "traces/quantile.hpp"

namespace finegrain {

Spread spread_of(std::vector<double> values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return {*smallest, quantile(values, 0.5), *largest};
}

nlohmann::ordered_json spread_json(const std::vector<double>& values) {
  const Spread spread = spread_of(values);
  return {{"median", spread.median},
          {"min", spread.smallest},
          {"max", spread.largest},
          {"samples", values.size()}};
}

}  // namespace finegrain
