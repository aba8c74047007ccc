// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/on_rank.hpp"
#include "traces/programs.hpp"

namespace finegrain {

/// One difference. Without a position it is about the region, without a region about the iteration, and
/// without an iteration about the rank.
struct Difference {
  int rank = 0;
  std::optional<std::int64_t> iteration;
  std::optional<int> region;
  std::optional<int> position;  ///< the operation's, in its region
  /// In what they differ: "peer", "bytes", ...; "missing": the first has it, the second has not; "extra": the
  /// other way round.
  std::string_view aspect = {};
  std::string first;   ///< what the first has, e.g. "1024"; empty if nothing
  std::string second;  ///< what the second has
};

/// A comparison, times aside.
struct TraceDiff {
  std::vector<Difference> differences;  ///< the first ones, by rank, iteration, region and position
  std::int64_t difference_count = 0;    ///< all of them
  /// What both have and was compared.
  int ranks = 0;
  std::int64_t iterations = 0;  ///< the sum over all ranks
  std::int64_t messages = 0;

  bool equal() const { return difference_count == 0; }
};

constexpr std::size_t differences_listed = 1000;

/// Compares operation by operation, in program order: regions by their index, operations by their position in
/// it. @throws InputError where a program cannot be read
TraceDiff diff(const Programs& first, const Programs& second, const OnRank& on_rank = {});

}  // namespace finegrain
