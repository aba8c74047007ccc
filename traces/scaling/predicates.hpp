// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// Whether something is true at a place.
struct Predicate {
  std::function<bool(const Where&)> holds;
  std::string text;
  int tier = 0;         ///< the lowest of those that fit is taken
  bool is_end = false;  ///< it holds at one end of a line of the grid
};

/// What programs ask of a rank and a step: whether it is the first or the last one in the grid, odd or even,
/// has a bit, is the rank of this step, ...
/// @param loops  as many as places have
std::vector<Predicate> simple_predicates(const Where& like, int loops);

/// The predicates that hold exactly where the samples are not 0: always, a simple one or its opposite; if
/// there is none, two or three of them that all hold, or of which one holds; then one that depends on the
/// steps only.
std::vector<Predicate> predicates_of(std::span<const Sample> samples);

}  // namespace finegrain::scaling
