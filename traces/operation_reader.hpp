// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain {

/// The name of a region, at the front of `part`. @throws ChunkError
RegionName take_region_name(std::span<const std::byte>& part);

/// Sums of one rank's iteration. They are limited so that the sums over all ranks fit in 64 bits too. So
/// code that adds up an iteration need not check again.
class CheckedSum {
 public:
  explicit CheckedSum(std::int32_t ranks);
  /// @throws ChunkError if the sum becomes too large
  void add(std::int64_t each, std::int64_t times = 1);

 private:
  std::int64_t most_;
  std::int64_t sum_ = 0;
};

/// Reads the operations of one iteration or call, and checks what they add up to.
class OperationReader {
 public:
  /// @param sizes  takes those of collectives (Body::sizes)
  /// @pre both outlive the reader
  OperationReader(std::span<const std::byte>& column, std::vector<std::int64_t>& sizes, std::int32_t ranks);

  /// @throws ChunkError
  Operation take_operation();

 private:
  Work take_work();
  Work take_work_with_calls();
  Work take_work_by_pointers_to_shared();
  Complete take_complete();
  Collective take_collective();
  Lock take_lock();
  Post take_post(std::byte code);
  std::int32_t take_communicator();

  std::span<const std::byte>& column_;
  std::vector<std::int64_t>& sizes_;
  std::int32_t ranks_;
  std::uint64_t peer_ = 0;
  CheckedSum memory_bytes_, scattered_stores_, copied_bytes_, calls_, steps_, shared_references_,
      affinity_tests_, posts_, post_bytes_, collective_bytes_;
};

}  // namespace finegrain
