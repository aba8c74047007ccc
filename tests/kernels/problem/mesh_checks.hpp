// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::test {

/// Signed: positive for a positively oriented tetrahedron.
double volume_mm3(const problem::TetMesh& mesh, const problem::Tet& tet);

using FaceVertices = std::array<std::int32_t, 3>;  ///< ascending

/// The tetrahedra at each face, found the slow way.
std::map<FaceVertices, std::vector<std::int32_t>> tets_by_face(const problem::TetMesh& mesh);

/// The same mesh with its vertices, its tetrahedra and the vertices within them in another order.
problem::TetMesh shuffled(const problem::TetMesh& mesh, std::uint64_t seed);

}  // namespace finegrain::test
