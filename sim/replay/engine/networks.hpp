// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "sim/replay/engine/network.hpp"
#include "sim/replay/engine/routing.hpp"

namespace finegrain::replay {

// The networks that there are, each in the file of its name. make_network() (networks.cpp) chooses one.
/// Messages share links max-min fairly.
std::unique_ptr<Network> make_shared_network(const NetworkParts& parts);
/// The same, but a policy chooses the ways of each message.
std::unique_ptr<Network> make_routed_network(const NetworkParts& parts, const Routing& routing);
/// The same, but long messages are divided among the rails of their nodes (`stripe_above`).
std::unique_ptr<Network> make_striped_network(const NetworkParts& parts);
/// What goes from one rank to another passes one after the other, as on a TCP connection, and waits for
/// others as the platform's properties say: `replies`, `request_bytes`, `link_queues` and `connection_lead`.
std::unique_ptr<Network> make_ordered_network(const NetworkParts& parts);
/// A lossless network of input-queued switches with credits. @param parameters  "4x4KiB": credits of a link,
/// and the size of a packet
std::unique_ptr<Network> make_credit_network(const NetworkParts& parts, const std::string& parameters);

}  // namespace finegrain::replay
