// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// Marks a face on the mesh's boundary.
inline constexpr std::int32_t no_neighbour = -1;

/// Per tetrahedron, the one across the face opposite to each of its vertices, or no_neighbour. Shape
/// [tets][4].
using FaceNeighbours = std::vector<std::array<std::int32_t, 4>>;

/// Faces are numbered with 32 bits, four a tetrahedron.
inline constexpr std::int64_t max_tets = std::int64_t{1} << 30;

/// Which tetrahedra share faces, for any mesh of tetrahedra, in time proportional to its size.
/// @throws InputError if a vertex index is out of range or twice in a tetrahedron, if three tetrahedra share
/// a face or two have the same vertices, or if there are more than max_tets
FaceNeighbours face_neighbours(const TetMesh& mesh);

}  // namespace finegrain::problem
