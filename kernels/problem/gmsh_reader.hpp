// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// Reads the tetrahedra of a Gmsh mesh, MSH 2.2 or 4.1, as text or binary. Elements of other shapes and
/// sections of other content are passed over; of tetrahedra of higher order the four corners are read. Nodes
/// may have any numbers and need not belong to a tetrahedron. Tetrahedra that are negatively oriented are
/// turned round.
/// @throws InputError naming file and line (or byte): the file is missing, truncated or of another version, a
/// count is wrong, a coordinate is not finite, a node is not there, a tetrahedron has no volume, or there are
/// no tetrahedra
TetMesh read_gmsh(const std::filesystem::path& path);

}  // namespace finegrain::problem
