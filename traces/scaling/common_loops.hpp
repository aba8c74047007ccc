// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <utility>
#include <vector>

namespace finegrain::scaling {

/// The first and the last place of a stretch of a program.
using Ends = std::pair<int, int>;

/// The loops that ranks have in common, of which any two are apart, or one is within the other.
/// @param of_ranks  the stretches that ranks repeat: from each place to which one goes back, to that from
/// which
std::vector<Ends> common_loops(const std::set<std::set<Ends>>& of_ranks);

}  // namespace finegrain::scaling
