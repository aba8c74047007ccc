// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/replay/clock.hpp"
#include "sim/replay/engine/event_queue.hpp"
#include "sim/replay/engine/fair_queue.hpp"

namespace finegrain::replay {

/// The memories of nodes, each one domain or several. Who moves bytes over a domain shares it with all others
/// that do at the same time: of b, each gets the domain's bandwidth divided by b, and at most what a rank can
/// get.
class NodeMemory {
 public:
  struct Bandwidths {
    std::vector<double> of_nodes;  ///< bytes/s, shape [nodes]
    std::vector<double> of_ranks;  ///< the most that one rank gets, bytes/s, shape [nodes]
    int domains = 1;               ///< a node's, each with an equal part of the node's bandwidth
  };

  /// The domains are sources of `events` from now on: those of node n are n * domains and those that follow.
  NodeMemory(EventQueue& events, Bandwidths bandwidths);

  bool owns(std::size_t source) const { return source - first_source_ < queues_.size(); }
  /// From now on. @param strand  that is moving them, which dispatch() tells of
  void move(std::size_t strand, double bytes, std::uint32_t domain);
  /// How long moving bytes over a domain takes while nobody else does.
  double alone_s(double bytes, std::uint32_t domain) const { return bytes / rate_bytes_per_s(domain, 1); }
  /// The event of a domain. @param done  is called with each strand whose bytes have been moved
  template <class Done>
  void dispatch(std::size_t source, Done&& done) {
    const std::size_t domain = source - first_source_;
    while (queues_[domain].next_end_s() <= events_.now_s() + clock_resolution_s)
      done(std::size_t{queues_[domain].finish(events_.now_s())});
    share(domain);
  }

 private:
  /// What each mover gets, where so many move bytes over the domain.
  double rate_bytes_per_s(std::size_t domain, std::size_t movers) const;
  void share(std::size_t domain);

  EventQueue& events_;
  std::size_t first_source_;
  Bandwidths bandwidths_;
  std::vector<FairQueue> queues_;  ///< those of all nodes' domains
};

}  // namespace finegrain::replay
