// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/node.hpp"

namespace finegrain::platform {

class PlatformDocument;

enum class CostUnit { bandwidth, time, size };

/// One property that finegrain reads from a platform file, and what was found.
struct CostProperty {
  std::string_view name;
  CostUnit unit;
  std::string_view used_by;  ///< "replay", "closed form", "both", or "limit" (of what fits, not a cost)
  std::string_view example;  ///< a value to copy, e.g. "100GBps"
  bool may_be_zero;
  std::optional<double> fallback;    ///< the value if none is given; none: it has to be given if it is used
  std::string_view without;          ///< what happens if it is not given; empty: it has to be given
  std::optional<double> given = {};  ///< bytes/s, seconds or bytes
  std::string source = {};           ///< where `given` is from: "file:line" or "--set name"
  bool measured = false;             ///< the file says so; otherwise declared: a data sheet's, or assumed
  /// The values of the nodes, relative to `given`, which is the first node's; empty: it is the same for all.
  std::vector<double> of_nodes = {};

  std::optional<double> value() const { return given ? given : fallback; }
};

/// All of finegrain's properties with the values from a platform file and from `overrides` ("name=value", or
/// "name=x2" for twice the value), which win over the file. No property has to be given. Properties of links
/// and of <config> belong to SimGrid, and unknown ones to other programs; they are ignored.
/// @throws InputError with file and line: malformed XML, a unit that does not parse, a zero where a rate is
/// needed, two values of one property, an unknown name in `overrides`, a reference to another file
std::vector<CostProperty> read_cost_properties(const std::filesystem::path& file,
                                               const std::vector<std::string>& overrides);

/// Does the same for a file that has been read.
std::vector<CostProperty> cost_properties(const PlatformDocument& document,
                                          const std::vector<std::string>& overrides);

/// Whether a platform may have a property of that name that finegrain reads, or it may be set.
bool is_property(const std::string& name);
/// The nodes where they are unlike one another; empty: they are alike. @param properties  the document's
std::vector<Node> nodes_of(const PlatformDocument& document, const std::vector<CostProperty>& properties);
/// Does the same for a file. @throws InputError as read_cost_properties()
std::vector<Node> read_nodes(const std::filesystem::path& file, const std::vector<CostProperty>& properties);

/// Splits texts into overrides: "tau=1us,mpi=mpich-4.0" gives two. An override ends before a comma that is
/// followed by the name of another property.
/// @throws InputError if a property is given twice
std::vector<std::string> split_overrides(const std::vector<std::string>& texts);

}  // namespace finegrain::platform
