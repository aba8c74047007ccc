// SPDX-License-Identifier: MIT
#include "sim/schedule/traffic.hpp"

namespace finegrain {
namespace {

void add(Volume& volume, const Message& message) {
  volume.messages += message.repeat;
  volume.bytes += message.repeat * message.size_bytes;
}

}  // namespace

std::vector<RankTraffic> traffic_of(const Schedule& schedule) {
  return traffic_of(schedule, Placement(schedule.run.ranks, schedule.run.ranks_per_node));
}

std::vector<RankTraffic> traffic_of(const Schedule& schedule, const Placement& placement) {
  std::vector<RankTraffic> traffic(schedule.ranks.size());
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    for (const Message& message : schedule.ranks[rank].messages) {
      const bool local = placement.same_node(static_cast<int>(rank), message.peer);
      const auto add_in = [&](RankTraffic& to) { add(local ? to.in_local : to.in_remote, message); };
      const auto add_out = [&](RankTraffic& from) { add(local ? from.out_local : from.out_remote, message); };
      RankTraffic& own = traffic[rank];
      RankTraffic& other = traffic[static_cast<std::size_t>(message.peer)];
      switch (message.kind) {
        case MessageKind::put:
          add_out(own);
          add_in(other);
          break;
        case MessageKind::get:
          add_in(own);
          add_out(other);
          break;
        case MessageKind::send:  // the other end of it is the peer's own receive
          add_out(own);
          break;
        case MessageKind::receive:
          add_in(own);
          break;
      }
    }
  }
  return traffic;
}

}  // namespace finegrain
