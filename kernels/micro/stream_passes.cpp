// SPDX-License-Identifier: MIT
#include "kernels/micro/stream_passes.hpp"

#include <array>

namespace finegrain {

void copy_pass(const double* from, double* to, std::int64_t elements) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < elements; ++i)
    to[i] = from[i];
}

double sum_pass(const double* values, std::int64_t elements) {
  // A single sum would wait for each addition, not for the memory.
  constexpr int sums = 32;
  std::array<double, sums> partial{};
  std::int64_t i = 0;
  for (; i + sums <= elements; i += sums)
    for (int k = 0; k < sums; ++k)
      partial[static_cast<std::size_t>(k)] += values[i + k];
  double total = 0;
  for (; i < elements; ++i)
    total += values[i];
  for (const double each : partial)
    total += each;
  return total;
}

}  // namespace finegrain
