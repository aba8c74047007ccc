// SPDX-License-Identifier: MIT
#include "kernels/micro/line_fit.hpp"

#include <catch2/catch.hpp>

using namespace finegrain;
using namespace finegrain::micro;

TEST_CASE("points on a line give that line, however far apart they are") {
  // 0.5 us, and 10 GB/s = 1e-10 s/B.
  const LineFit fit =
      fit_line({{8, 0.5e-6 + 8e-10}, {1024, 0.5e-6 + 1024e-10}, {1 << 22, 0.5e-6 + (1 << 22) * 1e-10}});
  CHECK(fit.intercept == Approx(0.5e-6));
  CHECK(fit.slope == Approx(1e-10));
  CHECK(fit.worst_deviation == Approx(0).margin(1e-9));
}

TEST_CASE("where the intercept counts several times, the fit knows") {
  // 0.5 us and 1e-10 s/B; from 8 KiB on, three times the 0.5 us.
  const LineFit fit = fit_line({{8, 0.5e-6 + 8e-10},
                                {1024, 0.5e-6 + 1024e-10},
                                {8192, 1.5e-6 + 8192e-10, 3},
                                {1 << 20, 1.5e-6 + (1 << 20) * 1e-10, 3}});
  CHECK(fit.intercept == Approx(0.5e-6));
  CHECK(fit.slope == Approx(1e-10));
  CHECK(fit.worst_deviation == Approx(0).margin(1e-9));
}

TEST_CASE("deviations count relative to what was measured, not in seconds") {
  // For a constant c through 1 and 3, the sum (c - 1)^2 + ((c - 3) / 3)^2 is least at c = (1 + 1/3) / (1 +
  // 1/9) = 1.2; the unweighted mean would be 2. The point of 3 is there twice, left and right, so the slope
  // is 0.
  const LineFit fit = fit_line({{-1, 3}, {0, 1}, {0, 1}, {1, 3}});
  CHECK(fit.slope == Approx(0).margin(1e-12));
  CHECK(fit.intercept == Approx((1 + 1. / 3) / (1 + 1. / 9)));
  CHECK(fit.worst_deviation == Approx((1.2 - 3) / 3));
}

TEST_CASE("the worst deviation is at the point that lies off the line of the others") {
  const LineFit fit = fit_line({{0, 1}, {1, 2}, {2, 3}, {3, 8}, {4, 5}, {5, 6}, {6, 7}});
  CHECK(fit.worst_x == 3);
  CHECK(fit.worst_deviation < 0);
  CHECK(fit.worst_deviation == Approx((fit.at(3) - 8) / 8));
}
