// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace finegrain::problem {

struct Point {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

/// Vertices of one tetrahedron. Positively oriented: (v1 - v0) x (v2 - v0) . (v3 - v0) > 0.
using Tet = std::array<std::int32_t, 4>;

struct TetMesh {
  std::vector<Point> vertices;  ///< in mm
  std::vector<Tet> tets;        ///< indices into vertices
};

/// Mean of the four vertices of each tetrahedron. Shape [tets].
std::vector<Point> centroids(const TetMesh& mesh);

}  // namespace finegrain::problem
