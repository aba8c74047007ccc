// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/tune/rounds.hpp"

namespace finegrain::tune {

/// Where a search may go on to more nodes.
struct MoreNodes {
  std::vector<std::int64_t> hosts;  ///< each platform's, shape [platforms]
  /// The ways to run on so many nodes of a platform, without closed forms.
  std::function<std::vector<Candidate>(std::size_t platform, std::int64_t nodes)> on_nodes;
};

/// Adds candidates on twice as many nodes of a platform, or on all that it has, and simulates a few
/// iterations of those that could win, as long as the most nodes gain: the best on them is faster than, or at
/// most a few percent slower than, the best on fewer. What could win is said by the simulations of the same
/// program, ranks a node, placement and BLOCKSIZE on half as many nodes, and by what others gained.
/// @param candidates  screened
/// @returns false if the time was up before more nodes stopped gaining
bool try_more_nodes(std::vector<Candidate>& candidates, const MoreNodes& more, const Simulate& simulate);

}  // namespace finegrain::tune
