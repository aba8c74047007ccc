// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace finegrain::kernels {

/// Where an element is.
struct Place {
  std::int32_t owner;
  std::int32_t local_index;  ///< in the owner's part

  friend auto operator<=>(const Place&, const Place&) = default;
};

/// The elements of other ranks that one window of a loop reads, and the buffer that they are fetched into:
/// the run-time part of an inspector and an executor. First references are added, then they are scheduled.
/// Once the values are in the buffer, find() locates each by a binary search. References to the rank's own
/// elements may be added too; they are not fetched.
class AccessWindow {
 public:
  /// Consecutive elements of one owner, in the order of the buffer.
  struct Stretch {
    Place first;
    std::size_t begin;  ///< in the buffer
    std::size_t length;
  };

  explicit AccessWindow(std::int32_t own_rank) : own_rank_(own_rank) {}

  /// Forgets all references, and sets the counts to zero.
  void clear();
  /// Adds one reference.
  void add(Place place);
  /// Adds many references in one call.
  void add(const std::vector<Place>& places);
  /// Sorts the added references, keeps each element once, and makes room for the values.
  void schedule();

  /// Ascending.
  const std::vector<Stretch>& stretches() const { return stretches_; }
  double* buffer() { return values_.data(); }
  /// The value of an element that was added. @param own  this rank's elements
  double find(Place place, const double* own);

  /// The number of calls of add() and find(), and the number of comparisons in sorting and finding (for each
  /// element, the logarithm of the number of elements); both since they were last taken.
  std::int64_t take_calls();
  std::int64_t take_steps();

 private:
  std::int32_t own_rank_;
  std::vector<Place> places_;
  std::vector<Stretch> stretches_;
  std::vector<double> values_;
  std::int64_t steps_of_search_ = 0;
  std::int64_t calls_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace finegrain::kernels
