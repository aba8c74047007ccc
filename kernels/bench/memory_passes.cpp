// SPDX-License-Identifier: MIT
#include "kernels/bench/memory_passes.hpp"

#include <algorithm>
#include <array>

namespace finegrain::kernels {
namespace {

constexpr std::int64_t cache_line_doubles = 64 / sizeof(double);
constexpr std::int64_t read_ahead = 1024;
constexpr std::int64_t copy_ahead = 512;
/// Elements that a thread handles at once. A single sum would wait for each addition, not for the memory.
constexpr std::int64_t stretch = 32;

/// Small integers: their sum is exact in any order.
double value(std::int64_t i) {
  return 1.0 + static_cast<double>(i % 64);
}

}  // namespace

MemoryPasses::MemoryPasses(std::int64_t elements)
    : elements_((elements + stretch - 1) / stretch * stretch),
      from_(machine::allocate<double>(elements_)),
      to_(machine::allocate<double>(elements_)) {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < elements_; first += stretch) {
    for (std::int64_t i = first; i < first + stretch; ++i) {
      from_[i] = value(i);
      to_[i] = 0.0;
    }
  }
}

void MemoryPasses::read() {
  double total = 0;
#pragma omp parallel reduction(+ : total)
  {
    std::array<double, stretch> sums{};
#pragma omp for schedule(static) nowait
    for (std::int64_t first = 0; first < elements_; first += stretch) {
      const double* from = from_.get() + first;
      for (std::int64_t k = 0; k < stretch; k += cache_line_doubles)
        __builtin_prefetch(from + read_ahead + k);
      for (std::int64_t k = 0; k < stretch; ++k)
        sums[static_cast<std::size_t>(k)] += from[k];
    }
    for (const double sum : sums)
      total += sum;
  }
  sum_ = total;
}

void MemoryPasses::copy() {
#pragma omp parallel for schedule(static)
  for (std::int64_t first = 0; first < elements_; first += cache_line_doubles) {
    const double* from = from_.get() + first;
    double* to = to_.get() + first;
    __builtin_prefetch(from + copy_ahead);
    __builtin_prefetch(to + copy_ahead, 1);
#pragma GCC ivdep
    for (std::int64_t k = 0; k < cache_line_doubles; ++k)
      to[k] = from[k];
  }
}

bool MemoryPasses::read_is_right() const {
  double expected = 0;
  for (std::int64_t i = 0; i < elements_; ++i)
    expected += value(i);
  return sum_ == expected;
}

bool MemoryPasses::copy_is_right() const {
  for (std::int64_t i = 0; i < elements_; ++i)
    if (to_[i] != value(i)) return false;
  return true;
}

Traffic MemoryPasses::read_traffic() const {
  return {static_cast<double>(elements_) * sizeof(double), 0};
}

Traffic MemoryPasses::copy_traffic() const {
  return {0, 3 * static_cast<double>(elements_) * sizeof(double)};
}

}  // namespace finegrain::kernels
