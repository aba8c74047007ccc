// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/regular/regular_cluster.hpp"

namespace finegrain::replay {

/// The hosts and links of a platform, by number, and the links between two hosts.
class Wires {
 public:
  /// What a message crosses.
  struct Way {
    std::vector<std::size_t> links;  ///< in order
    double latency_s = 0;
  };
  /// Those among which a network may choose.
  struct Ways {
    std::vector<Way> shortest;  ///< the first is way()
    std::vector<Way> detours;   ///< longer ones
  };

  virtual ~Wires() = default;

  /// Hosts are numbered in natural order of their names: node-2 before node-10.
  virtual std::size_t hosts() const = 0;
  virtual std::string host_name(std::size_t host) const = 0;
  virtual std::optional<std::size_t> find_host(const std::string& name) const = 0;
  virtual int cores(std::size_t host) const = 0;
  virtual double speed_flops_per_s(std::size_t host) const = 0;

  /// Links are numbered as SimGrid lists them.
  virtual std::size_t links() const = 0;
  virtual std::string link_name(std::size_t link) const = 0;
  virtual std::optional<std::size_t> find_link(const std::string& name) const = 0;
  virtual double bandwidth_bytes_per_s(std::size_t link) const = 0;
  virtual double latency_s(std::size_t link) const = 0;
  /// FATPIPE: each flow has the whole bandwidth.
  virtual bool is_private(std::size_t link) const = 0;
  virtual void set_bandwidth(std::size_t link, double bytes_per_s) = 0;
  virtual void set_latency(std::size_t link, double seconds) = 0;

  /// No links and no latency where there is no route.
  virtual Way way(std::size_t from_host, std::size_t to_host) const = 0;
  virtual Ways ways(std::size_t from_host, std::size_t to_host) const {
    return {{way(from_host, to_host)}, {}};
  }
  /// By whose rule ways are found. None: the platform gives them.
  virtual std::optional<platform::RegularCluster::Topology> topology() const { return std::nullopt; }
};

}  // namespace finegrain::replay
