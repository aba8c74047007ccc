// SPDX-License-Identifier: MIT
#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

std::vector<Point> centroids(const TetMesh& mesh) {
  std::vector<Point> result(mesh.tets.size());
#pragma omp parallel for
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    Point sum;
    for (const std::int32_t v : mesh.tets[t]) {
      const Point& vertex = mesh.vertices[static_cast<std::size_t>(v)];
      sum = {sum.x + vertex.x, sum.y + vertex.y, sum.z + vertex.z};
    }
    result[t] = {sum.x / 4, sum.y / 4, sum.z / 4};
  }
  return result;
}

}  // namespace finegrain::problem
