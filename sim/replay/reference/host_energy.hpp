// SPDX-License-Identifier: MIT
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Whether SimGrid's plugin host_energy can tell the energy of a platform: it draws a line from the power of
/// no busy core to that of all, and knows nothing of links. Without powers there is nothing to tell.
bool host_energy_knows(const platform::Platform& platform);

/// Turns the plugin on. Before the platform is loaded. @pre host_energy_knows(platform)
void start_host_energy(const platform::Platform& platform);

/// What the plugin sees of a rank: a core is loaded for each of its threads while it is busy.
class LoadedCores {
 public:
  LoadedCores(simgrid::s4u::Host* host, int threads) : host_(host), threads_(threads) {}
  /// By the rank's actor.
  void load();
  void release();

 private:
  simgrid::s4u::Host* host_;
  int threads_;
  std::vector<simgrid::s4u::ExecPtr> loads_;
};

/// When the simulation is over. @param total_s  how long it took
/// @throws InputError if a host has fewer cores than its ranks have threads
Energy host_energy(const LoadedPlatform& loaded, const ReplayJob& job, const EnergyOptions& options,
                   double total_s);

}  // namespace finegrain::replay
