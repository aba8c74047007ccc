// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "traces/scaling/process_grid.hpp"

namespace finegrain::scaling {

/// A number that one rank of one recording has at a place of its program.
struct Sample {
  const ProcessGrid* grid;
  int rank;
  std::int64_t value;
};

/// What a number is elsewhere. Rules are exact: one that misses a sample is none.
enum class Outcome : std::uint8_t { known, no_rule, rules_disagree };
struct Answer {
  Outcome outcome = Outcome::no_rule;
  std::int64_t value = 0;
};

/// The rank that `rank` of `grid` names: a neighbour in the grid, a fixed rank from the first or the last,
/// the rank as far from the end as its own is from the beginning, or one that differs in one bit of its
/// number.
/// @param samples  not empty, of grids of as many dimensions
Answer peer_at(std::span<const Sample> samples, const ProcessGrid& grid, int rank);

/// A size: a constant, or one that grows or shrinks with the ranks, or with sides of the grid.
/// @param samples  as above
Answer size_at(std::span<const Sample> samples, const ProcessGrid& grid);

}  // namespace finegrain::scaling
