// SPDX-License-Identifier: MIT
#include "kernels/micro/statistics.hpp"

#include <fmt/format.h>

#include "traces/quantile.hpp"

namespace finegrain::micro {

double median_of(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

nlohmann::ordered_json spread_json(const std::vector<double>& values) {
  return {{"median", median_of(values)},
          {"p10", quantile(values, 0.1)},
          {"p90", quantile(values, 0.9)},
          {"samples", values.size()}};
}

void print(const nlohmann::ordered_json& result) {
  fmt::print("{}\n", result.dump(2));
}

}  // namespace finegrain::micro
