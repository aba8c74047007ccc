// SPDX-License-Identifier: MIT
// Hosts that the file does not have, for the reference simulation.
#include <fmt/format.h>

#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <string>

#include "sim/replay/loaded_platform.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::replay {

namespace sg4 = simgrid::s4u;

sg4::NetZone* LoadedPlatform::new_zone(const std::string& name) {
  // Beside the platform's: a zone within it would change how SimGrid finds its routes.
  sg4::NetZone* zone = sg4::create_empty_zone(name);
  const auto* root = engine_.get_netzone_root()->get_impl();
  zone->get_impl()->set_cpu_pm_model(root->get_cpu_pm_model());
  zone->get_impl()->set_host_model(root->get_host_model());
  return zone;
}

std::vector<sg4::Host*> LoadedPlatform::make_changing_cores(std::span<const int> nodes) {
  std::vector<sg4::Host*> cores(nodes.size(), nullptr);
  const std::vector<const platform::SpeedProfile*> profiles = speed_profiles();
  if (profiles.empty()) return cores;
  sg4::NetZone* zone = new_zone("finegrain cores");
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const platform::SpeedProfile* const profile = profiles[static_cast<std::size_t>(nodes[rank])];
    if (profile == nullptr) continue;
    const std::string name = fmt::format("finegrain core {}", rank);
    std::string lines;
    for (const platform::Profile::Point& point : profile->factors().points) {
      if (point.value == 0)
        throw InputError(profile->where(),
                         fmt::format("host {} stands still at {} s (with one SimGrid flow a message, SimGrid "
                                     "3.32 simulates its work, and ends there)",
                                     profile->host(), point.at_s),
                         "Leave one of them out");
      lines += fmt::format("{} {}\n", point.at_s, point.value);
    }
    const double period_s = profile->factors().period_s;
    cores[rank] = zone->create_host(name, changing_core_flops_per_s)
                      ->set_speed_profile(simgrid::kernel::profile::ProfileBuilder::from_string(
                          name, lines, period_s > 0 ? period_s : -1))
                      ->seal();
  }
  zone->seal();
  return cores;
}

std::vector<sg4::Host*> LoadedPlatform::make_memories(std::span<const double> bandwidths_bytes_per_s,
                                                      int domains) {
  sg4::NetZone* zone = new_zone("finegrain memories");
  std::vector<sg4::Host*> memories;
  for (const double bandwidth_bytes_per_s : bandwidths_bytes_per_s)
    for (int domain = 0; domain < domains; ++domain)
      memories.push_back(zone->create_host(fmt::format("finegrain memory {}", memories.size()),
                                           bandwidth_bytes_per_s / domains)
                             ->seal());
  zone->seal();
  return memories;
}

}  // namespace finegrain::replay
