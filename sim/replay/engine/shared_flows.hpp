// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/replay/engine/flow_network.hpp"
#include "sim/replay/engine/network.hpp"

namespace finegrain::replay {

/// Flows on links that they share max-min fairly (FlowNetwork), and who is told of them. What networks are
/// made of in which messages share links.
class SharedFlows {
 public:
  /// The sources of `parts.events` from now on are its routes.
  SharedFlows(const NetworkParts& parts, FlowListener& listener);

  /// @param queue, parts  as in FlowNetwork::add_route()
  void add_route(std::span<const std::size_t> links, double most_bytes_per_s,
                 std::optional<std::size_t> queue = std::nullopt, std::span<const float> parts = {});
  /// @param of_route  that is told of
  /// @param part_of_share  with which its bytes go: a message may use a part of its share only
  void start(std::size_t route, const LoadedPlatform::Route& of_route, double bytes, const Flow& flow,
             bool is_later, double part_of_share = 1);
  /// The event of one of its routes: ends its flows that are due.
  void dispatch(std::size_t source);

  void settle() { network_.share(events_.now_s()); }
  void set_bandwidth(std::size_t link, double bytes_per_s) {
    network_.set_bandwidth(link, bytes_per_s, events_.now_s());
  }
  /// @param routes  that were added
  void follow_latencies(std::span<const LoadedPlatform::Route* const> routes,
                        const platform::PlatformCosts& costs);
  /// How long what has passed the other links of a route now has to wait in front of its queue.
  double delay_s(std::size_t route) const { return network_.delay_s(route, events_.now_s()); }
  // As in FlowNetwork.
  void change_route(std::size_t route, std::span<const std::size_t> links, std::span<const float> parts) {
    network_.change_route(route, links, parts);
  }
  bool is_free(std::size_t route) const { return network_.is_free(route); }
  double flows_on(std::size_t link) const { return network_.flows_on(link); }
  std::int64_t started() const { return started_; }

 private:
  EventQueue& events_;
  FlowListener& listener_;
  std::size_t first_source_;
  FlowNetwork network_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> ended_;  ///< places in flows_ to use again
  std::int64_t started_ = 0;
};

}  // namespace finegrain::replay
