// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <new>
#include <upcxx/upcxx.hpp>
#include <vector>

#include "kernels/run/session.hpp"
#include "kernels/run/together.hpp"

namespace finegrain::kernels {

/// @throws InputError that says how much shared memory a rank needs, and where it is set
[[noreturn]] void throw_out_of_shared_memory(std::size_t size_bytes);

/// An array in the shared memory of each rank, whose length may differ from rank to rank, and which all ranks
/// can reach: Listing 9 of Paper III.
template <class T>
class SharedArray {
 public:
  /// Collective. The elements have no value yet.
  /// @throws KernelExit{1} on every rank, where the shared memory of any is too small
  SharedArray(const Session& session, std::int64_t length) {
    const auto own = together(session, [&] {
      try {
        return upcxx::new_array<T>(static_cast<std::size_t>(length));
      } catch (const std::bad_alloc&) {
        throw_out_of_shared_memory(static_cast<std::size_t>(length) * sizeof(T));
      }
    });
    for (int rank = 0; rank < session.ranks(); ++rank)
      parts_.push_back(upcxx::broadcast(own, rank).wait());
    rank_ = session.rank();
  }
  ~SharedArray() {
    if (!parts_.empty()) upcxx::delete_array(of(rank_));
  }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  SharedArray(SharedArray&& other) noexcept : parts_(std::move(other.parts_)), rank_(other.rank_) {
    other.parts_.clear();
  }
  SharedArray& operator=(SharedArray&& other) noexcept {
    std::swap(parts_, other.parts_);
    std::swap(rank_, other.rank_);
    return *this;
  }

  /// The first element of a rank's part.
  upcxx::global_ptr<T> of(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  /// The first element of this rank's own part.
  T* local() const { return of(rank_).local(); }

 private:
  std::vector<upcxx::global_ptr<T>> parts_;  ///< shape [ranks]
  int rank_ = 0;
};

}  // namespace finegrain::kernels
