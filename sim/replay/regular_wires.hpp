// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/regular/wiring.hpp"
#include "sim/replay/wires.hpp"

namespace finegrain::replay {

/// The hosts and links of one regular cluster, which are computed from their numbers. SimGrid has loaded the
/// cluster with its first host alone: bandwidths, latencies, sharing policies, the speed and the number of
/// cores are that host's and its links'.
class RegularWires : public Wires {
 public:
  /// @pre SimGrid has loaded platform::text_with_one_host()
  explicit RegularWires(const platform::RegularCluster& cluster);

  std::size_t hosts() const override { return wiring_->hosts(); }
  std::string host_name(std::size_t host) const override { return wiring_->cluster().host_name(host); }
  std::optional<std::size_t> find_host(const std::string& name) const override {
    return wiring_->cluster().find_host(name);
  }
  int cores(std::size_t /*host*/) const override { return cores_; }
  double speed_flops_per_s(std::size_t /*host*/) const override { return speed_flops_per_s_; }

  std::size_t links() const override { return numbers_.size(); }
  std::string link_name(std::size_t link) const override;
  std::optional<std::size_t> find_link(const std::string& name) const override;
  double bandwidth_bytes_per_s(std::size_t link) const override {
    return numbers_[link].bandwidth_bytes_per_s;
  }
  double latency_s(std::size_t link) const override { return numbers_[link].latency_s; }
  bool is_private(std::size_t link) const override { return numbers_[link].is_private; }
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    numbers_[link].bandwidth_bytes_per_s = bytes_per_s;
  }
  void set_latency(std::size_t link, double seconds) override { numbers_[link].latency_s = seconds; }

  Way way(std::size_t from_host, std::size_t to_host) const override;
  Ways ways(std::size_t from_host, std::size_t to_host) const override;
  std::optional<platform::RegularCluster::Topology> topology() const override {
    return wiring_->cluster().topology;
  }

 private:
  struct Numbers {
    double bandwidth_bytes_per_s;
    double latency_s;
    bool is_private;
  };
  void number_links();
  Way way_over(const std::vector<std::size_t>& in_wiring) const;

  std::unique_ptr<platform::Wiring> wiring_;
  std::vector<std::uint32_t> in_wiring_;  ///< a link's number in the wiring, shape [links of the wiring]
  std::vector<std::uint32_t> places_;     ///< the inverse
  std::vector<Numbers> numbers_;
  int cores_ = 0;
  double speed_flops_per_s_ = 0;
  bool has_latencies_of_limiters_;
};

}  // namespace finegrain::replay
