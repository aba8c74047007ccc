// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform_make/number.hpp"

namespace finegrain::platform_make {

/// A number without which no platform file can be written.
struct NeededNumber {
  std::string name;
  std::string how;      ///< how the line gives it, e.g. "link: 200Gbps"
  std::string typical;  ///< empty: there is no typical one
  std::string source;   ///< the typical one's
};

/// What a platform needs from its line or files.
/// @param network  the line's; empty: the network is a file's
/// @param cores  a node's, for the typical memory bandwidth; 0: they are not known
std::vector<NeededNumber> needed_numbers(std::string_view network, std::int64_t cores);

/// Nodes below a switch for each cable upwards, where a file names switches and no cables.
NeededNumber needed_uplinks();

/// As much for each core as platforms/hdr_infiniband.xml has.
std::string typical_memory_bandwidth(std::int64_t cores);

enum class Missing : std::uint8_t { refused, taken_as_typical };

/// The numbers, with typical ones for what is missing, which say so.
/// @throws InputError that names all missing numbers, each with a typical one and its source: if they are
/// refused, or if one of them has no typical one
Numbers with_needed_numbers(Numbers numbers, const std::vector<NeededNumber>& needed, Missing missing);

}  // namespace finegrain::platform_make
