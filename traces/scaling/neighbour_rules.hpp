// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// Steps from a rank to another one, in each dimension of the grid.
using Direction = std::vector<int>;

/// The steps to a neighbour: at most one in each dimension, or two on a line. Nothing if it is none.
std::optional<Direction> steps_to(const Where& where, std::int64_t other);

/// Whether the grid has a rank so many steps away; it is not closed.
bool is_inside(const Where& where, const Direction& steps);

/// What some ranks do for each of their neighbours, in this order.
struct Visits {
  const Where* where;
  std::vector<Direction> directions;
};

/// All directions, where each rank visits those of them in which the open grid has a rank, in their order,
/// and not all ranks have equally many. Empty if this is not so.
std::vector<Direction> directions_of(std::span<const Visits> visits);

/// A rank with which another one exchanges in a neighbour collective.
struct Neighbour {
  std::int64_t rank = 0;  ///< in the run
  std::int64_t bytes = 0;
};

/// Those to which a rank sends in a neighbour collective, or those from which it receives.
struct NeighboursOf {
  const Where* where;
  std::vector<Neighbour> neighbours;
};

/// The rules of such a list.
struct NeighbourRules {
  std::vector<Direction> directions = {};  ///< if the grid is open: one neighbour in each that it has
  std::vector<Rule> count = {};            ///< if it is closed
  std::vector<Rule> peer = {};             ///< likewise, at the step that has the neighbour's number
  std::vector<Rule> bytes = {};            ///< at that step, or at the direction's
};

/// Nothing if there are none. @param lists  not empty
std::optional<NeighbourRules> neighbour_rules(std::span<const NeighboursOf> lists);

/// The list of one rank; nothing if the rules give none, or disagree.
std::optional<std::vector<Neighbour>> neighbours_at(const NeighbourRules& rules, const Where& where);

}  // namespace finegrain::scaling
