// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "traces/scaling/where.hpp"

namespace finegrain::scaling {

/// The rules of the rank that another one names: a neighbour in the grid, a fixed rank from the first or the
/// last, the mirror image, one that differs in a bit, a parent or child in a tree, the rank with its
/// places exchanged, or, in the steps of a loop, those at growing distance or all in turn; among all ranks or
/// those that differ in one dimension. Then, as for numbers, by step, and by kind of place.
std::vector<Rule> peer_rules(std::span<const Sample> samples);

}  // namespace finegrain::scaling
