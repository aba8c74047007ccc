// SPDX-License-Identifier: MIT
#include "sim/platform_make/needed_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "traces/io/input_error.hpp"

namespace finegrain::platform_make {
namespace {

constexpr const char* hdr = "platforms/hdr_infiniband.xml";
/// A node of platforms/hdr_infiniband.xml has 348 GB/s for 128 cores.
constexpr std::int64_t typical_bandwidth_of_cores_gb_per_s = 348;
constexpr std::int64_t typical_cores = 128;
constexpr std::int64_t typical_bandwidth_of_core_gb_per_s = 25;

std::vector<NeededNumber> needed_of_network(std::string_view network) {
  if (network == "fat_tree")
    return {{"levels", "fat_tree: 2 levels", "2", hdr},
            {"ports", "fat_tree: 40-port", "40", "NVIDIA's QM8790, a switch for HDR InfiniBand"},
            {"nodes", "fat_tree: 128 nodes", "", ""},
            {"ratio", "fat_tree: 1:1", "1:1", fmt::format("{}: full bisection bandwidth", hdr)}};
  if (network == "rail_optimised") {
    std::vector<NeededNumber> needed{{"rails", "rail_optimised: 4 rails", "", ""}};
    for (NeededNumber& of_rail : needed_of_network("fat_tree"))
      needed.push_back(std::move(of_rail));
    return needed;
  }
  if (network == "dragonfly")
    return {{"groups", "dragonfly: 8 groups", "", ""},
            {"switches", "dragonfly: 8 switches", "", ""},
            {"nodes_per_switch", "dragonfly: 4 nodes per switch", "", ""},
            {"links_between", "dragonfly: 2 links between groups", "2", "platforms/dragonfly_200g.xml"}};
  if (network == "torus") return {{"dimensions", "torus: 8 x 8 x 4", "", ""}};
  if (network == "switch") return {{"nodes", "switch: 32 nodes", "", ""}};
  return {};
}

}  // namespace

NeededNumber needed_uplinks() {
  return {"ratio", "uplinks: 1:1", "1:1", fmt::format("{}: full bisection bandwidth", hdr)};
}

std::string typical_memory_bandwidth(std::int64_t cores) {
  return fmt::format("{:.4g}GBps", static_cast<double>(typical_bandwidth_of_cores_gb_per_s * cores) /
                                       static_cast<double>(typical_cores));
}

std::vector<NeededNumber> needed_numbers(std::string_view network, std::int64_t cores) {
  std::vector<NeededNumber> needed = needed_of_network(network);
  const std::int64_t of_node = cores > 0 ? cores : typical_cores;
  const std::string bandwidth = typical_memory_bandwidth(of_node);
  // One core does not get more than all of a node with few.
  const std::string of_core =
      of_node * typical_bandwidth_of_cores_gb_per_s < typical_bandwidth_of_core_gb_per_s * typical_cores
          ? bandwidth
          : fmt::format("{}GBps", typical_bandwidth_of_core_gb_per_s);
  for (const NeededNumber& one : std::vector<NeededNumber>{
           {"cores", "node: 2 x 64 cores", std::to_string(typical_cores), hdr},
           {"link_bandwidth", "link: 200Gbps", "200Gbps", hdr},
           {"link_latency", "link: 300ns", "300ns",
            fmt::format("{}: 0.6us between neighbours, two links", hdr)},
           {"memory_bandwidth", fmt::format("node: memory_bandwidth={}", bandwidth), bandwidth,
            fmt::format("{}: 348GBps for 128 cores, as much for each core", hdr)},
           {"memory_bandwidth_per_core", fmt::format("node: memory_bandwidth_per_core={}", of_core), of_core,
            hdr},
           {"local_latency", "node: local_latency=400ns", "400ns", hdr},
           {"message_overhead", "link: message_overhead=300ns", "300ns", hdr},
           {"eager_limit", "link: eager_limit=64KiB", "64KiB",
            "btl_tcp_eager_limit of Open MPI 4.1, its default"}})
    needed.push_back(one);
  return needed;
}

Numbers with_needed_numbers(Numbers numbers, const std::vector<NeededNumber>& needed, Missing missing) {
  std::vector<std::string> asked;
  std::vector<std::string> without_typical;
  for (const NeededNumber& one : needed) {
    if (numbers.contains(one.name)) continue;
    if (one.typical.empty()) without_typical.push_back(one.name);
    asked.push_back(one.typical.empty() ? fmt::format("{} ('{}'; nothing is typical)", one.name, one.how)
                                        : fmt::format("{} ('{}'; typical is {}, {})", one.name, one.how,
                                                      one.typical, one.source));
    numbers.emplace(one.name, Number{one.typical, fmt::format("typical, not given: {}", one.source), true});
  }
  if (asked.empty() || (missing == Missing::taken_as_typical && without_typical.empty())) return numbers;
  throw InputError(
      "", fmt::format("Not given: {}", fmt::join(asked, ", ")),
      without_typical.empty()
          ? std::string("Give them in the line, or take all that are typical: --typical")
          : fmt::format("Give {}{}", fmt::join(without_typical, " and "),
                        asked.size() > without_typical.size() ? ", and the others too or --typical" : ""));
}

}  // namespace finegrain::platform_make
