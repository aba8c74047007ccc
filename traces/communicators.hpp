// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace finegrain {

/// The communicators and windows of a trace. Each rank numbers those that it makes itself; here each has one
/// number for all ranks, from 1 on: 0 is the communicator of all ranks. Can be used by several threads.
class Communicators {
 public:
  /// @param identity equal on all its ranks, and different from that of any other communicator of theirs
  /// @param ranks  ranks of the run, in its order
  std::int32_t number_of(std::uint64_t identity, std::span<const std::int32_t> ranks);
  /// The ranks of one that number_of() gave, none of any other; valid as long as this object.
  std::span<const std::int32_t> ranks(std::int32_t number) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::int32_t> numbers_;
  std::deque<std::vector<std::int32_t>> ranks_;
};

}  // namespace finegrain
