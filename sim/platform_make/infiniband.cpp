// SPDX-License-Identifier: MIT
#include "sim/platform_make/infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "traces/io/input_error.hpp"

namespace finegrain::platform_make {
namespace {

/// What a lane carries, without its coding (8b/10b up to QDR, 64b/66b from FDR10 on): the InfiniBand Trade
/// Association's rates. HDR and later are named by what they carry.
struct LaneRate {
  std::string_view name;
  double gbit_per_s;
  double signals_gbit_per_s;  ///< with the coding
};
constexpr std::array<LaneRate, 9> lane_rates{{{"SDR", 2.5 * 8 / 10, 2.5},
                                              {"DDR", 5. * 8 / 10, 5},
                                              {"QDR", 10. * 8 / 10, 10},
                                              {"FDR10", 10.3125 * 64 / 66, 10.3125},
                                              {"FDR", 14.0625 * 64 / 66, 14.0625},
                                              {"EDR", 25.78125 * 64 / 66, 25.78125},
                                              {"HDR", 50, 53.125},
                                              {"NDR", 100, 106.25},
                                              {"XDR", 200, 212.5}}};
/// Tools print 25.78125 as 25.78, too.
constexpr double tolerance_of_signals = 0.001;

/// "node001 mlx5_0", "node001 HCA-1", "node001": a name, and at most one word that is the adapter's.
std::string node_name_of(const InfinibandDevice& adapter) {
  const std::string& text = adapter.description;
  const std::size_t space = text.find(' ');
  const bool has_name = !text.empty() && space != 0 &&
                        (space == std::string::npos || text.find(' ', space + 1) == std::string::npos);
  return has_name ? text.substr(0, space) : adapter.id;
}

/// "leaf-1", or that of "MF0;leaf-1:MQM8790/U1"; empty: the description is no name.
std::string switch_name_in(const std::string& description) {
  const std::size_t semicolon = description.find(';');
  const std::size_t colon = description.find(':');
  if (semicolon != std::string::npos && colon != std::string::npos && semicolon < colon)
    return description.substr(semicolon + 1, colon - semicolon - 1);
  return description.find(' ') == std::string::npos ? description : std::string();
}

}  // namespace

std::map<std::string, std::size_t> add_devices(const std::vector<InfinibandDevice>& devices, Fabric& fabric) {
  std::map<std::string, int> uses;          // how many switches have the name
  std::map<std::string, int> descriptions;  // how many adapters have it
  for (const InfinibandDevice& device : devices)
    ++(device.is_switch ? uses[switch_name_in(device.description)] : descriptions[device.description]);
  std::map<std::string, std::size_t> vertex_of;
  std::map<std::string, std::size_t> node_of_name;
  int aggregation_nodes = 0;
  for (const InfinibandDevice& device : devices) {
    if (!device.is_switch && device.is_aggregation()) {
      ++aggregation_nodes;
      continue;
    }
    std::string name = device.is_switch ? switch_name_in(device.description) : node_name_of(device);
    // "localhost HCA-1" twice is not the same adapter of one node.
    if (!device.is_switch && descriptions[device.description] > 1) name = device.id;
    if (device.is_switch && (name.empty() || uses[name] > 1)) name = device.id;
    if (!device.is_switch) {
      const auto [known, is_new] = node_of_name.emplace(name, fabric.vertices.size());
      vertex_of[device.id] = known->second;
      if (!is_new) continue;
    } else {
      vertex_of[device.id] = fabric.vertices.size();
    }
    fabric.vertices.push_back({name, device.is_switch, device.where});
  }
  if (aggregation_nodes > 0)
    fabric.notes.push_back(fmt::format(
        "left out: {} that aggregate for collectives (SHARP) and compute nothing", aggregation_nodes));
  return vertex_of;
}

Number bandwidth_of_lanes(int width, std::string_view rate, const std::string& where) {
  const auto lane = std::ranges::find(lane_rates, rate, &LaneRate::name);
  if (lane == lane_rates.end() || (width != 1 && width != 2 && width != 4 && width != 8 && width != 12))
    throw InputError(where, fmt::format("'{}x{}' is not a width and rate of InfiniBand", width, rate),
                     "Known are 1, 2, 4, 8 and 12 x SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR and XDR");
  return {fmt::format("{:.6g}Gbps", width * lane->gbit_per_s), fmt::format("{}: {}x{}", where, width, rate)};
}

std::string_view rate_of_signals(double gbit_per_s) {
  const auto lane = std::ranges::find_if(lane_rates, [&](const LaneRate& one) {
    return std::abs(one.signals_gbit_per_s - gbit_per_s) <= tolerance_of_signals * one.signals_gbit_per_s;
  });
  return lane == lane_rates.end() ? std::string_view() : lane->name;
}

}  // namespace finegrain::platform_make
