// SPDX-License-Identifier: MIT
#include "sim/replay/engine/ordered_network.hpp"
#include "sim/replay/engine/shared_network.hpp"
#include "sim/replay/programs/compiler.hpp"

namespace finegrain::replay {

std::unique_ptr<Network> make_network(const NetworkParts& parts) {
  return keeps_order(parts.platform.costs) ? make_ordered_network(parts) : make_shared_network(parts);
}

}  // namespace finegrain::replay
