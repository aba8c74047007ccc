// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "traces/operation.hpp"

namespace finegrain::formats {

/// The messages that a rank sends and receives in a collective, between ranks of the run, in its order: for a
/// format that does not have the collective. @param body  that holds its sizes
using ExpandCollective =
    std::function<std::vector<Operation>(const Collective& collective, const Body& body, int rank)>;

/// Nonblocking collectives that are under way at one time on one communicator have tags of their own, which
/// recur after so many.
inline constexpr std::int64_t collectives_at_once = 64;

}  // namespace finegrain::formats
