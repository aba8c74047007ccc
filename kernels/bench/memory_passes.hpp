// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/machine/array.hpp"

namespace finegrain {

/// Two arrays to read and to copy with all threads: the passes whose rates the kernels are held against.
class MemoryPasses {
 public:
  /// @throws std::bad_alloc
  explicit MemoryPasses(std::int64_t elements);

  void read();
  void copy();
  double read_bytes() const;
  /// A read, a write, and the read of the line that is written (its allocation in the cache).
  double copy_bytes() const;
  /// Whether both passes did what they should.
  bool are_right() const;

 private:
  std::int64_t elements_;
  Array<double> from_;
  Array<double> to_;
  double sum_ = 0;
};

}  // namespace finegrain
