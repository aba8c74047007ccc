// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "sim/replay/engine/network.hpp"

namespace finegrain::replay {

/// Messages are flows that share links max-min fairly, as in SimGrid's CM02.
std::unique_ptr<Network> make_shared_network(const NetworkParts& parts);

}  // namespace finegrain::replay
