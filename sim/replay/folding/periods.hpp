// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace finegrain::replay {

/// Calls that repeat: from `first` on, `length` of them, each equal to the one a period before.
struct PeriodicCalls {
  std::size_t first;
  std::size_t period;
  std::size_t length;

  std::size_t count() const { return length / period; }  ///< whole periods
  std::size_t end() const { return first + length; }
  friend bool operator==(const PeriodicCalls&, const PeriodicCalls&) = default;
};

/// A loop with fewer repetitions is not worth folding.
inline constexpr std::size_t fewest_iterations = 8;

/// The longest loops of a sequence of calls that do not overlap, in their order. Each is the outermost loop
/// whose body is the same each time. If a time step has 20 equal iterations inside, it is the time step.
std::vector<PeriodicCalls> find_loops(std::span<const std::uint32_t> calls);

}  // namespace finegrain::replay
