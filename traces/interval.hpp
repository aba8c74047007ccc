// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace finegrain {

/// Start and end, nanoseconds: on rank 0's clock wherever a Trace hands it out, on the rank's own before.
struct Interval {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  /// Wraps instead of overflowing, whatever a file says.
  std::int64_t length_ns() const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(end_ns) -
                                     static_cast<std::uint64_t>(start_ns));
  }

  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace finegrain
