// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/spmv/spmv_input.hpp"
#include "kernels/upcxx/shared_array.hpp"

namespace finegrain::kernels {

/// An array that is distributed as the rows are: UPC's `shared [BLOCKSIZE * per_row] T a[n * per_row]`.
template <class T>
class SharedVector {
 public:
  /// Collective. The elements have no value yet. @throws as SharedArray does
  SharedVector(const Session& session, const SpmvInput& input, int per_row = 1)
      : input_(&input), per_row_(per_row), parts_(session, input.own_rows() * per_row) {}

  /// A pointer to element `entry` of a row, whichever rank owns it: what a pointer-to-shared finds at each
  /// access.
  upcxx::global_ptr<T> at(std::int64_t row, std::int64_t entry = 0) const {
    return parts_.of(input_->distribution.owner(row)) + (input_->local_index(row) * per_row_ + entry);
  }
  /// The first element of a rank's part.
  upcxx::global_ptr<T> of(int rank) const { return parts_.of(rank); }
  /// This rank's own part.
  T* local() const { return parts_.local(); }

 private:
  const SpmvInput* input_;
  int per_row_;
  SharedArray<T> parts_;
};

}  // namespace finegrain::kernels
