// SPDX-License-Identifier: MIT
#pragma once

#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "sim/platform/simgrid_file.hpp"
#include "sim/replay/wires.hpp"

namespace finegrain::replay {

/// The hosts and links that SimGrid has loaded.
class SimgridWires : public Wires {
 public:
  /// @param file  which SimGrid has loaded; it outlives this
  explicit SimgridWires(const platform::SimgridFile& file);

  std::size_t hosts() const override { return hosts_.size(); }
  std::string host_name(std::size_t host) const override { return hosts_[host]->get_name(); }
  std::optional<std::size_t> find_host(const std::string& name) const override;
  int cores(std::size_t host) const override { return hosts_[host]->get_core_count(); }
  double speed_flops_per_s(std::size_t host) const override { return hosts_[host]->get_speed(); }

  std::size_t links() const override { return links_.size(); }
  std::string link_name(std::size_t link) const override { return links_[link]->get_name(); }
  std::optional<std::size_t> find_link(const std::string& name) const override;
  double bandwidth_bytes_per_s(std::size_t link) const override;
  double latency_s(std::size_t link) const override { return links_[link]->get_latency(); }
  bool is_private(std::size_t link) const override;
  void set_bandwidth(std::size_t link, double bytes_per_s) override {
    links_[link]->set_bandwidth(bytes_per_s);
  }
  void set_latency(std::size_t link, double seconds) override { links_[link]->set_latency(seconds); }

  Way way(std::size_t from_host, std::size_t to_host) const override;

  simgrid::s4u::Host* host(std::size_t number) const { return hosts_[number]; }

 private:
  const platform::SimgridFile& file_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::unordered_map<const simgrid::s4u::Host*, std::size_t> host_places_;
  std::vector<simgrid::s4u::Link*> links_;
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> link_places_;
};

}  // namespace finegrain::replay
