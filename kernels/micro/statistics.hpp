// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace finegrain {

struct Spread {
  double smallest = 0;
  double median = 0;
  double largest = 0;
};

/// @pre values is not empty
Spread spread_of(std::vector<double> values);

/// {"median": ..., "min": ..., "max": ..., "samples": ...}
/// @pre values is not empty
nlohmann::ordered_json spread_json(const std::vector<double>& values);

}  // namespace finegrain
