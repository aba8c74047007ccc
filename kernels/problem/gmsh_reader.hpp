// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/problem/mesh_contents.hpp"

namespace finegrain::problem {

/// Reads the tetrahedra of a Gmsh mesh, MSH 2, 4.0 or 4.1, as text or binary. Volume elements of other shapes
/// are counted; other elements and sections are passed over; of tetrahedra of higher order the four corners
/// are read. Nodes may have any numbers and need not belong to a tetrahedron. Tetrahedra that are negatively
/// oriented are turned round; those that are listed more than once are read once; copies of another part's
/// are left out.
/// @throws InputError naming file and line (or byte): the file is missing, truncated or of another version, a
/// count is wrong, a coordinate is not finite, a node is not there, a tetrahedron has no volume, or there are
/// no tetrahedra
MeshContents read_gmsh(const std::filesystem::path& path);

}  // namespace finegrain::problem
