// SPDX-License-Identifier: MIT
// Which ways a message takes, where there are several. A policy is one file, NAME_routing.cpp, and a line in
// routing.cpp. It says how many of a message's packets take which way. For example, two messages leave one
// switch, which has the uplinks a and b:
//
//     minimal    both take a, if that is what their destinations modulo 2 say:  a has 2 flows, b has none
//     spray      each has half of its packets on a, and half on b:  each uplink has 1 flow
//     adaptive   the same; if b is half as fast as a, two packets take a for each one that takes b
//
// What is decided when a message starts stays until its end.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/platform/platform.hpp"
#include "sim/platform/regular/regular_cluster.hpp"

namespace finegrain::replay {

/// What a message may take from one node to another.
struct WaysOfMessage {
  struct Way {
    std::vector<std::size_t>
        places;       ///< among the links of all ways, of those that some of the ways have, but not all
    double hops = 0;  ///< all its links
  };
  std::vector<Way> shortest;
  std::vector<Way> detours;
};

/// How full links are, while the packets of one message are put on ways. A link's load is 1 if the flows on
/// it can just fill it, each as fast as this message could be alone.
class LinkLoads {
 public:
  /// @param loads  shape [links of all ways]
  /// @param of_packet  what one packet of the message adds to each
  LinkLoads(std::vector<double> loads, std::vector<double> of_packet)
      : loads_(std::move(loads)), of_packet_(std::move(of_packet)) {}

  /// The load of a way's fullest link with one more packet; then that of all its links together. The second
  /// decides between ways whose fullest links are equally full.
  std::pair<double, double> with_packet(const WaysOfMessage::Way& way) const;
  void add_packet(const WaysOfMessage::Way& way);
  /// The first way that is least full with one more packet. @pre there is one
  std::size_t least_full(const std::vector<WaysOfMessage::Way>& ways) const;

 private:
  std::vector<double> loads_;
  std::vector<double> of_packet_;
};

/// How many packets of a message take each of its ways: of the shortest, then of the detours.
using PacketsOfWays = std::vector<std::size_t>;

/// Into how many packets policies divide a message that put it on ways by their loads.
inline constexpr std::size_t packets_of_message = 64;

struct Routing {
  std::string_view name;
  platform::RegularCluster::Topology topology;  ///< the only one in which there is something to choose
  /// Whether loads count. Otherwise all messages from one node to another go the same ways.
  bool follows_loads;
  PacketsOfWays (*packets)(const WaysOfMessage& ways, LinkLoads& loads);
};

// The policies that there are, each in the file of its name.
/// Fat trees: the packets of a message are spread equally over all shortest ways.
Routing spray_routing();
/// Fat trees: each packet takes the shortest way that is least full.
Routing adaptive_routing();
/// Dragonflies: the packets of a message are spread equally over all other groups, from which they go on.
/// Source: Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, 2008.
Routing valiant_routing();
/// Dragonflies: each packet takes the shortest way or a detour, by how full they are, and how long.
/// Source: as valiant_routing(), UGAL-G.
Routing ugal_routing();

/// What the platform's `routing` names; null: messages take the one way that the platform's rule gives.
/// @throws InputError if it is not a routing, or the platform has another network
const Routing* routing_of(const platform::Platform& platform);

}  // namespace finegrain::replay
