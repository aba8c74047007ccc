// SPDX-License-Identifier: MIT
#include "kernels/problem/face_neighbours.hpp"

#include <catch2/catch.hpp>

#include "kernels/problem/left_ventricle.hpp"
#include "tests/kernels/problem/mesh_checks.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

using Catch::Contains;

TetMesh mesh_of(std::size_t vertices, std::vector<Tet> tets) {
  return {std::vector<Point>(vertices), std::move(tets)};
}

FaceNeighbours found_the_slow_way(const TetMesh& mesh) {
  FaceNeighbours result(mesh.tets.size(), {no_neighbour, no_neighbour, no_neighbour, no_neighbour});
  for (const auto& [face, around] : test::tets_by_face(mesh)) {
    if (around.size() != 2) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto t = static_cast<std::size_t>(around[side]);
      for (std::size_t f = 0; f < 4; ++f) {
        if (std::find(face.begin(), face.end(), mesh.tets[t][f]) == face.end())
          result[t][f] = around[1 - side];
      }
    }
  }
  return result;
}

TEST_CASE("face neighbours: a lone tetrahedron has none") {
  REQUIRE(face_neighbours(mesh_of(4, {{0, 1, 2, 3}})) == FaceNeighbours{{-1, -1, -1, -1}});
}

TEST_CASE("face neighbours: an empty mesh has none") {
  REQUIRE(face_neighbours({}).empty());
}

TEST_CASE("face neighbours: stand opposite to the vertex that is not on the common face") {
  // Faces 1-2-3 of both; opposite are vertex 0 (the first's number 0) and vertex 4 (the second's number 2).
  REQUIRE(face_neighbours(mesh_of(5, {{0, 1, 2, 3}, {3, 1, 4, 2}})) ==
          FaceNeighbours{{1, -1, -1, -1}, {-1, -1, 0, -1}});
}

TEST_CASE("face neighbours: an edge in common is not a face") {
  REQUIRE(face_neighbours(mesh_of(6, {{0, 1, 2, 3}, {2, 3, 4, 5}})) ==
          FaceNeighbours{{-1, -1, -1, -1}, {-1, -1, -1, -1}});
}

TEST_CASE("face neighbours: equal those found the slow way, however the mesh is numbered") {
  const TetMesh mesh = left_ventricle(5000, 1);
  REQUIRE(face_neighbours(mesh) == found_the_slow_way(mesh));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const TetMesh other = test::shuffled(mesh, seed);
    REQUIRE(face_neighbours(other) == found_the_slow_way(other));
  }
}

TEST_CASE("face neighbours: a vertex that all tetrahedra share is no obstacle") {
  // Around the edge 0-1, tetrahedron i between spokes i and i + 1.
  constexpr std::int32_t count = 1000;
  std::vector<Tet> tets;
  for (std::int32_t i = 0; i < count; ++i)
    tets.push_back({0, 1, 2 + i, 2 + (i + 1) % count});
  const FaceNeighbours neighbours = face_neighbours(mesh_of(count + 2, tets));
  for (std::int32_t i = 0; i < count; ++i) {
    REQUIRE(neighbours[static_cast<std::size_t>(i)] ==
            std::array<std::int32_t, 4>{-1, -1, (i + 1) % count, (i + count - 1) % count});
  }
}

TEST_CASE("face neighbours: three tetrahedra at one face are an input error that names them") {
  const TetMesh mesh = mesh_of(8, {{4, 5, 6, 7}, {0, 1, 2, 3}, {0, 1, 2, 4}, {5, 0, 2, 1}});
  REQUIRE_THROWS_WITH(face_neighbours(mesh), Contains("tetrahedra 1, 2 and 3 share one face"));
  REQUIRE_THROWS_AS(face_neighbours(mesh), InputError);
}

TEST_CASE("face neighbours: a tetrahedron given twice is an input error that names both") {
  REQUIRE_THROWS_WITH(face_neighbours(mesh_of(6, {{2, 3, 4, 5}, {0, 1, 2, 3}, {3, 1, 0, 2}})),
                      Contains("tetrahedra 1 and 2 have the same four vertices"));
}

TEST_CASE("face neighbours: a vertex that is not in the mesh is an input error that names it") {
  REQUIRE_THROWS_WITH(face_neighbours(mesh_of(4, {{0, 1, 2, 3}, {1, 2, 3, 4}})),
                      Contains("tetrahedron 1 has vertex 4"));
  REQUIRE_THROWS_WITH(face_neighbours(mesh_of(4, {{0, 1, 2, -1}})), Contains("tetrahedron 0 has vertex -1"));
}

TEST_CASE("face neighbours: a vertex twice in a tetrahedron is an input error that names it") {
  REQUIRE_THROWS_WITH(face_neighbours(mesh_of(4, {{3, 1, 2, 3}})), Contains("vertex 3 twice"));
}

}  // namespace
}  // namespace finegrain::problem
