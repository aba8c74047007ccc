// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "traces/programs.hpp"

namespace finegrain::replay {

/// A rank's calls in their order, equal bodies by one number.
struct CallSequence {
  std::vector<std::uint32_t> calls;                 ///< places in `bodies`
  std::vector<std::shared_ptr<const Body>> bodies;  ///< each once
  /// Each body's regions that hold timed work.
  std::vector<std::vector<std::uint32_t>> timed_regions;
  /// The seconds of the timed regions of each call's body, one call after the other.
  std::vector<float> seconds;
};

/// A hash of what differs in most programs; bodies that are equal have the same.
std::size_t hash_of(const Body& body);

/// Reads a program to its end. @returns none, if it has too many calls or too many bodies to be worth it
/// @throws InputError where the program cannot be read further
std::optional<CallSequence> read_calls(ProgramCursor& program);

}  // namespace finegrain::replay
