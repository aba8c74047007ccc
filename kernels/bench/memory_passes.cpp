// SPDX-License-Identifier: MIT
#include "kernels/bench/memory_passes.hpp"

#include <omp.h>

#include "kernels/micro/stream_passes.hpp"

namespace finegrain {
namespace {

/// Small integers: their sum is exact in any order.
double value(std::int64_t i) {
  return 1.0 + static_cast<double>(i % 64);
}

/// Calls each(first, elements) on every thread, with its share.
template <class Each>
void on_shares(std::int64_t elements, Each each) {
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t thread = omp_get_thread_num();
    const std::int64_t first = elements * thread / threads;
    each(first, elements * (thread + 1) / threads - first);
  }
}

}  // namespace

MemoryPasses::MemoryPasses(std::int64_t elements)
    : elements_(elements), from_(allocate<double>(elements)), to_(allocate<double>(elements)) {
  on_shares(elements_, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
      from_[i] = value(i);
      to_[i] = 0;
    }
  });
}

void MemoryPasses::read() {
  sum_ = 0;
  on_shares(elements_, [&](std::int64_t first, std::int64_t count) {
    const double sum = sum_pass(from_.get() + first, count);
#pragma omp atomic
    sum_ += sum;
  });
}

void MemoryPasses::copy() {
  on_shares(elements_, [&](std::int64_t first, std::int64_t count) {
    copy_pass(from_.get() + first, to_.get() + first, count);
  });
}

double MemoryPasses::read_bytes() const {
  return static_cast<double>(elements_) * sizeof(double);
}

double MemoryPasses::copy_bytes() const {
  return 3 * static_cast<double>(elements_) * sizeof(double);
}

bool MemoryPasses::are_right() const {
  double expected = 0;
  bool is_copied = true;
  for (std::int64_t i = 0; i < elements_; ++i) {
    expected += value(i);
    is_copied = is_copied && to_[i] == value(i);
  }
  return is_copied && sum_ == expected;
}

}  // namespace finegrain
