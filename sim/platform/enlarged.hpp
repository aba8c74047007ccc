// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "traces/io/atomic_file.hpp"

namespace finegrain::platform {

/// The most nodes that a platform is enlarged to.
inline constexpr int most_nodes = 500'000;

/// Adds nodes to the <cluster> of a platform file, each like the existing ones:
/// - one switch (no topology): it has more ports; a backbone stays as it is.
/// - FAT_TREE: more subtrees under the same top switches, which have more ports; subtrees stay as they are.
/// - TORUS: the prime factors of the growth, largest first, each multiply the dimension that is smallest.
/// - DRAGONFLY: more groups, at most as many as a group has switches: each links its group to one other.
/// Where there are as many hosts or more, the first are nodes: <prop id="nodes" value="..."/> says so.
/// @returns the file's text, with what was done as a comment; other comments stay
/// @throws InputError with file and line: the platform is not one cluster with nodes of consecutive numbers,
/// or its rule does not lead to this number
std::string enlarged_xml(const std::filesystem::path& file, int nodes);

/// The smallest number of nodes, at least `nodes`, to which enlarged_xml brings the platform.
/// @returns nothing if there is none of at most most_nodes
std::optional<int> possible_nodes(const std::filesystem::path& file, int nodes);

/// What enlarged_xml makes, as a file.
FileKind enlarged_platform_kind();

}  // namespace finegrain::platform
