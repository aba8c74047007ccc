// SPDX-License-Identifier: MIT
#include "kernels/problem/ellpack.hpp"

#include <catch2/catch.hpp>

namespace finegrain::problem {
namespace {

TEST_CASE("multiply: three rows by hand, padding adds nothing") {
  const EllpackMatrix matrix{2, {1, 2, 3}, {10, 20, 30, 40, 50, 0}, {1, 2, 0, 2, 0, 2}};
  const std::vector<double> x{1, 2, 3};
  std::vector<double> y(3);
  multiply(matrix.view(), x, y);
  REQUIRE(y == std::vector<double>{1 * 1 + 10 * 2 + 20 * 3, 2 * 2 + 30 * 1 + 40 * 3, 3 * 3 + 50 * 1});
}

}  // namespace
}  // namespace finegrain::problem
