// SPDX-License-Identifier: MIT
#include "sim/replay/reference/host_energy.hpp"

#include <fmt/format.h>
#include <simgrid/plugins/energy.h>
#include <xbt/log.h>

#include <cstddef>
#include <string>

#include "sim/replay/programs/compiler.hpp"
#include "sim/replay/programs/sockets.hpp"
#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::replay {

namespace sg4 = simgrid::s4u;

bool host_energy_knows(const platform::Platform& platform) {
  return platform.powers && platform.powers->socket.size() == 2 && platform.powers->link.busy_w == 0;
}

void start_host_energy(const platform::Platform& platform) {
  const platform::Powers& powers = *platform.powers;
  const double idle_w = powers.node_w + platform.sockets * powers.socket_w(0);
  const double core_w =
      (powers.socket.back().watts - powers.socket_w(0)) / static_cast<double>(powers.cores_of_socket());
  sg4::Host::on_creation_cb([=](sg4::Host& host) {
    const std::string idle_and_all =
        fmt::format("{}:{}:{}", idle_w, idle_w, idle_w + core_w * host.get_core_count());
    std::string of_states = idle_and_all;
    for (auto state = host.get_pstate_count(); state > 1; --state)
      of_states += ", " + idle_and_all;
    host.set_property("wattage_per_state", of_states);
  });
  xbt_log_control_set("host_energy.threshold:error");  // its report of every host
  sg_host_energy_plugin_init();
}

void LoadedCores::load() {
  constexpr double endless = 1e30;  // flops
  for (int thread = 0; thread < threads_; ++thread) {
    loads_.push_back(sg4::this_actor::exec_init(endless)->set_host(host_));
    loads_.back()->start();
  }
}

void LoadedCores::release() {
  for (const sg4::ExecPtr& load : loads_)
    load->cancel();
  loads_.clear();
}

Energy host_energy(const LoadedPlatform& loaded, const ReplayJob& job, const EnergyOptions& options,
                   double total_s) {
  const problem::Placement placement = placement_of(job);
  const int threads_per_rank = job.schedule->run.threads_per_rank;
  EnergyOptions all_sockets = options;
  all_sockets.counted = CountedSockets::all;
  Energy energy{.idle_j = total_s * idle_power_w(placement, threads_per_rank, *job.platform, options)};
  // The plugin counts all sockets.
  energy.total_j =
      energy.idle_j - total_s * idle_power_w(placement, threads_per_rank, *job.platform, all_sockets);
  for (int node = 0; node < placement.nodes(); ++node) {
    const sg4::Host* host = loaded.simgrid_host(node);
    const std::size_t threads = placement.ranks_of(node).size() * static_cast<std::size_t>(threads_per_rank);
    if (threads > static_cast<std::size_t>(host->get_core_count()))
      throw InputError(
          job.platform->file.string(),
          fmt::format("host {} has {} for {} (whose energy SimGrid is to tell)", host->get_name(),
                      format_count(host->get_core_count(), "core"), format_count(threads, "thread")),
          "Give it as many, or replay without one flow a message");
    energy.total_j += sg_host_get_consumed_energy(host);
  }
  return energy;
}

}  // namespace finegrain::replay
