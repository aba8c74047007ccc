// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/bench/traffic.hpp"
#include "kernels/machine/array.hpp"

namespace finegrain::kernels {

/// Two arrays to read and to copy with all threads. The kernels' rates are compared with these two passes.
/// Both prefetch memory, as the kernels do: on one core of a Xeon, a plain sum gets 0.8 of this read rate,
/// and a plain copy 0.85 of this copy rate.
class MemoryPasses {
 public:
  /// @throws std::bad_alloc
  explicit MemoryPasses(std::int64_t elements);

  /// Sums one array.
  void read();
  /// Copies one to the other.
  void copy();
  bool read_is_right() const;
  bool copy_is_right() const;
  Traffic read_traffic() const;
  Traffic copy_traffic() const;

 private:
  std::int64_t elements_;
  machine::Array<double> from_;
  machine::Array<double> to_;
  double sum_ = 0;
};

}  // namespace finegrain::kernels
