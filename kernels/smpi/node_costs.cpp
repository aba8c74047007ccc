// SPDX-License-Identifier: MIT
#include "kernels/smpi/node_costs.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string>

#include "traces/io/input_error.hpp"
#include "traces/io/units.hpp"

namespace finegrain::kernels {

namespace sg4 = simgrid::s4u;

namespace {

/// A <prop> of the node, or of the zone it stands in.
std::optional<std::string> find_property(const std::string& name) {
  const sg4::Host* node = sg4::this_actor::get_host();
  const char* value = node->get_property(name);
  if (value == nullptr) value = node->get_englobing_zone()->get_property(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

double bandwidth_bytes_per_s(const std::string& name) {
  const std::optional<std::string> value = find_property(name);
  if (!value) {
    throw InputError(fmt::format("{}", sg4::this_actor::get_host()->get_name()),
                     fmt::format("no {} (SimGrid's own tags cannot say it)", name),
                     "Add it to the platform file");
  }
  return parse_bandwidth_bytes_per_s(*value, name);
}

/// A node's memory represented by its cores, which have nothing else to do. The number of cores that work
/// at a time is SimGrid's only limit for a computation on several cores.
struct Memory {
  int cores_of_one_rank;
  double flops_of_a_core_per_byte;
};

Memory find_memory() {
  const sg4::Host* node = sg4::this_actor::get_host();
  const double all_cores = node->get_core_count();
  const double memory_bytes_per_s = bandwidth_bytes_per_s("memory_bandwidth");
  const double share =
      bandwidth_bytes_per_s("memory_bandwidth_per_core") * omp_get_max_threads() / memory_bytes_per_s;
  const double cores = std::clamp(std::round(share * all_cores), 1.0, all_cores);
  return {static_cast<int>(cores), all_cores / cores * node->get_speed() / memory_bytes_per_s};
}

}  // namespace

void move_over_memory(double bytes) {
  if (bytes == 0) return;
  static const Memory memory = find_memory();
  sg4::this_actor::exec_init(bytes * memory.flops_of_a_core_per_byte)
      ->set_thread_count(memory.cores_of_one_rank)
      ->wait();
}

void advance_clock_by_overhead() {
  static const double seconds =
      parse_time_s(find_property("message_overhead").value_or("0s"), "message_overhead");
  sg4::this_actor::sleep_for(seconds);
}

bool is_on_this_node(int rank) {
  // smpirun starts the ranks in order, right after SimGrid's own actor 0.
  return sg4::Actor::by_pid(rank + 1)->get_host() == sg4::this_actor::get_host();
}

}  // namespace finegrain::kernels
