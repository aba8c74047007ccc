// SPDX-License-Identifier: MIT
#include "kernels/problem/mesh_matrix.hpp"

#include "kernels/problem/diffusion_matrix.hpp"

namespace finegrain::problem {

EllpackMatrix mesh_matrix(TetMesh mesh, RowOrder order, std::uint64_t seed, const OnStep& on_step) {
  FaceNeighbours neighbours = face_neighbours(mesh);
  std::vector<Point> points = centroids(mesh);
  mesh = {};
  on_step("neighbours");
  if (order != RowOrder::none) {
    const std::vector<std::int32_t> old_of = permutation(order, points, neighbours, seed);
    points = renumbered(points, old_of);
    neighbours = renumbered(neighbours, old_of);
    on_step("order");
  }
  EllpackMatrix matrix = diffusion_matrix(points, columns_within_two_faces(neighbours));
  on_step("matrix");
  return matrix;
}

}  // namespace finegrain::problem
