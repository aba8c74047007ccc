// SPDX-License-Identifier: MIT
#include "tests/kernels/problem/mesh_checks.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace finegrain::test {

double volume_mm3(const problem::TetMesh& mesh, const problem::Tet& tet) {
  const auto edge = [&](std::size_t i) {
    const problem::Point& from = mesh.vertices.at(static_cast<std::size_t>(tet[0]));
    const problem::Point& to = mesh.vertices.at(static_cast<std::size_t>(tet[i]));
    return problem::Point{to.x - from.x, to.y - from.y, to.z - from.z};
  };
  const problem::Point a = edge(1);
  const problem::Point b = edge(2);
  const problem::Point c = edge(3);
  return (c.x * (a.y * b.z - a.z * b.y) + c.y * (a.z * b.x - a.x * b.z) + c.z * (a.x * b.y - a.y * b.x)) / 6;
}

std::map<FaceVertices, std::vector<std::int32_t>> tets_by_face(const problem::TetMesh& mesh) {
  std::map<FaceVertices, std::vector<std::int32_t>> result;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      const problem::Tet& tet = mesh.tets[t];
      FaceVertices face{tet[(f + 1) % 4], tet[(f + 2) % 4], tet[(f + 3) % 4]};
      std::sort(face.begin(), face.end());
      result[face].push_back(static_cast<std::int32_t>(t));
    }
  }
  return result;
}

problem::TetMesh shuffled(const problem::TetMesh& mesh, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> new_of(mesh.vertices.size());
  std::iota(new_of.begin(), new_of.end(), 0);
  std::shuffle(new_of.begin(), new_of.end(), random);
  problem::TetMesh result{std::vector<problem::Point>(mesh.vertices.size()), mesh.tets};
  for (std::size_t v = 0; v < new_of.size(); ++v)
    result.vertices[static_cast<std::size_t>(new_of[v])] = mesh.vertices[v];
  for (problem::Tet& tet : result.tets) {
    for (std::int32_t& vertex : tet)
      vertex = new_of[static_cast<std::size_t>(vertex)];
    std::shuffle(tet.begin(), tet.end(), random);
  }
  std::shuffle(result.tets.begin(), result.tets.end(), random);
  return result;
}

}  // namespace finegrain::test
