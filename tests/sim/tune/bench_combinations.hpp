// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench_matrices.hpp"

namespace finegrain::test {

/// A row of the benchmark: a matrix, and where its ranks may be.
struct Combination {
  MatrixRecipe matrix;
  std::string platform;
  std::vector<std::int64_t> nodes;
  std::vector<int> ranks_per_node;
};

/// Those that the rule was made on.
extern const std::vector<Combination> made_on;

/// Added when the rule was fixed.
extern const std::vector<Combination> made_after;

/// Made when the rule was fixed for time: for other objectives, on platforms of which powers are assumed.
extern const std::vector<Combination> for_objectives;

}  // namespace finegrain::test
