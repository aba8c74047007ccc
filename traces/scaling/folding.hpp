// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::scaling {

/// One call, without the work before it.
struct Call {
  RegionName function;
  std::vector<Operation> operations;
  std::vector<std::int64_t> sizes;       ///< of its collectives
  double work_ns = 0;                    ///< before it
  std::size_t number = 0;                ///< among its rank's calls, from 1 on
  std::optional<RegionName> after = {};  ///< the function that the rank called before
};

struct Part;
using Program = std::vector<Part>;

/// A part of what a rank does: a call, or a loop.
struct Part {
  Call call;                    ///< a loop's first one
  std::vector<Program> steps;   ///< of a loop; one, if all are equal but for the time of their work
  std::int64_t step_count = 0;  ///< of a loop

  bool is_loop() const { return !steps.empty(); }
  /// @pre is_loop(), step < step_count
  const Program& step(std::int64_t step) const {
    return steps.size() == 1 ? steps[0] : steps[static_cast<std::size_t>(step)];
  }
};

/// What has to be equal for two calls to be instances of one.
enum class Numbers : std::uint8_t {
  peers_and_sizes,  ///< may differ, no others
  all               ///< tags, requests and the steps of loops may differ, too
};

/// Whether they do the same except for numbers.
bool same_shape(const Part& a, const Part& b, Numbers may_differ);

/// Which repetitions of equal calls are looked for first.
enum class First : std::uint8_t { shortest, longest };

/// Finds the loops in a list of calls: first what is repeated exactly, the shortest repetitions first and
/// then those of them, or only the one that covers most; then, in these loops and around them, what is
/// repeated with other numbers.
Program folded(Program calls, First first);

/// The program with loops where `like` has loops, of one step where it has no repetition.
/// @returns nothing if it has another shape
std::optional<Program> aligned(const Program& program, const Program& like);

}  // namespace finegrain::scaling
