// SPDX-License-Identifier: MIT
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/replay/loaded_platform.hpp"
#include "sim/replay/replay.hpp"

namespace finegrain::replay {

/// Whether SimGrid's plugin host_energy can compute the energy of a platform: it interpolates linearly
/// between the power of no busy core and that of all, and ignores links. Without powers there is no energy.
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
