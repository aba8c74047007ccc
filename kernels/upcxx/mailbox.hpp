// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace finegrain::kernels {

/// Numbers that one other rank puts into this rank's memory, each larger than the one before, the first
/// larger than 0. A put may store a number more than once: glibc's memcpy of 8 bytes, which UPC++ may use
/// within a node, does so twice. So a number that was taken is never cleared, and the same number does not
/// count as a new one.
class Mailbox {
 public:
  /// @param number  where the other rank puts them; 0 until the first
  explicit Mailbox(std::int64_t& number) : number_(number) {}

  /// @returns the number, if it has not been taken yet
  std::optional<std::int64_t> take() {
    const std::int64_t number = number_.load(std::memory_order_acquire);
    if (number <= taken_) return std::nullopt;
    taken_ = number;
    return number;
  }

 private:
  std::atomic_ref<std::int64_t> number_;
  std::int64_t taken_ = 0;
};

}  // namespace finegrain::kernels
