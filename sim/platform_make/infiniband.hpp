// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform_make/fabric.hpp"

// What the files of several InfiniBand tools have in common.

namespace finegrain::platform_make {

/// A switch or a channel adapter.
struct InfinibandDevice {
  std::string id;  ///< its GUID with its kind: "S-b8cef60300e5d2a0", "H-..."; the name of what has no other
  std::string description;  ///< "node001 mlx5_0", "MF0;leaf-1:MQM8790/U1"
  bool is_switch = false;
  std::string where;  ///< "file:line"

  bool is_aggregation() const { return description.find("Aggregation Node") != std::string::npos; }
};

/// Adds the devices to the fabric, with their names. Adapters whose descriptions begin with one name
/// ("node001 mlx5_0", "node001 HCA-2") are of one node. A node whose adapter has no such description, or one
/// that another adapter has too, is named by its id. So is a switch whose description is not one word that no
/// other has. Nodes that aggregate for collectives (SHARP) are left out, with a note.
/// @returns the vertices of the devices, by their ids
std::map<std::string, std::size_t> add_devices(const std::vector<InfinibandDevice>& devices, Fabric& fabric);

/// The bandwidth of a port without its coding.
/// @param rate  a lane's: "HDR"
/// @throws InputError if there is no such width or rate
Number bandwidth_of_lanes(int width, std::string_view rate, const std::string& where);

/// The name of the rate at which a lane has this many bits a second with its coding: "HDR" of 53.125.
/// Empty: there is none.
std::string_view rate_of_signals(double gbit_per_s);

}  // namespace finegrain::platform_make
