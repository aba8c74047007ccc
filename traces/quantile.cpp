// SPDX-License-Identifier: MIT
#include "traces/quantile.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain {

double quantile(std::vector<double> values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(std::floor(position));
  std::nth_element(values.begin(), below, values.end());
  const double between = position - std::floor(position);
  if (between == 0) return *below;
  return (1 - between) * *below + between * *std::min_element(below + 1, values.end());
}

}  // namespace finegrain
