// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sim/platform_make/number.hpp"

namespace finegrain::platform_make {

/// A machine in one line, e.g. 'fat_tree: 3 levels, 40-port, 1600 nodes, 2:1; node: 2 x 64 cores; link:
/// 200Gbps 600ns'. The grammar:
///
///     line     = clause { ";" clause }
///     clause   = name ":" item { "," item }
///     fat_tree : N levels | N-port | N nodes | DOWN:UP
///     dragonfly: N groups | N switches | N nodes per switch | N links between groups | N nodes
///     torus    : A x B x C | N nodes
///     switch   : N nodes | N-port
///     rail_optimised: as fat_tree, and N rails
///     node     : N cores | S x C cores | N rails | memory bandwidth, ... as name=value
///     link     : bandwidth | latency (also with a space between them) | name=value
///     uplinks  : DOWN:UP, where a file has switches above switches and does not say how many cables
///
/// A line has at most one network (fat_tree, dragonfly, torus, switch, rail_optimised).
struct MachineLine {
  std::string network;  ///< "fat_tree", ...; empty: the line has none
  Numbers numbers;
};

/// @throws InputError that names the item, and what may stand there
MachineLine parse_machine_line(std::string_view text);

}  // namespace finegrain::platform_make
