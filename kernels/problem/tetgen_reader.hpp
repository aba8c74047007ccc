// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/problem/mesh_contents.hpp"

namespace finegrain::problem {

/// Reads a mesh in TetGen's format: nodes from x.node, tetrahedra from x.ele, whichever of the two is named.
/// Nodes are numbered from 0 or from 1; attributes, boundary markers and comments are passed over; of
/// tetrahedra with ten nodes the four corners are read. Tetrahedra that are negatively oriented are turned
/// round; those that are listed more than once are read once.
/// @throws InputError naming file and line: a file is missing or truncated, a count is wrong, a coordinate is
/// not finite, a node is out of range, a tetrahedron has no volume, or there are no tetrahedra
MeshContents read_tetgen(const std::filesystem::path& path);

}  // namespace finegrain::problem
