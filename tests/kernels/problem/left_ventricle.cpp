// SPDX-License-Identifier: MIT
#include "kernels/problem/left_ventricle.hpp"

#include <omp.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/kernels/problem/mesh_checks.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

bool operator==(const Point& a, const Point& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool same(const TetMesh& a, const TetMesh& b) {
  return a.tets == b.tets && std::equal(a.vertices.begin(), a.vertices.end(), b.vertices.begin(),
                                        b.vertices.end(), [](auto& p, auto& q) { return p == q; });
}

/// The grid for about this many tetrahedra, all of its hexahedra used.
TetMesh uncut(std::int64_t tets) {
  return left_ventricle(6 * left_ventricle_grid(tets).hexahedra(), 1);
}

bool on_ellipsoid(const Point& p, double radius_mm, double half_length_mm) {
  return std::abs((p.x * p.x + p.y * p.y) / (radius_mm * radius_mm) +
                  p.z * p.z / (half_length_mm * half_length_mm) - 1) < 1e-12;
}

/// Whether three vertices lie on one of the three surfaces of the wall.
bool on_the_surface(const TetMesh& mesh, const test::FaceVertices& face) {
  const auto all = [&](auto&& lies_there) {
    return std::all_of(face.begin(), face.end(), [&](std::int32_t v) {
      return lies_there(mesh.vertices[static_cast<std::size_t>(v)]);
    });
  };
  return all([](const Point& p) { return on_ellipsoid(p, 7, 17); }) ||
         all([](const Point& p) { return on_ellipsoid(p, 10, 20); }) ||
         all([](const Point& p) { return std::abs(p.z - 5) < 1e-12; });
}

TEST_CASE("left ventricle: has exactly the number of tetrahedra asked for") {
  const std::int64_t tets = GENERATE(1, 2, 5, 6, 7, 29, 30, 31, 100, 1000, 99'991, 1'000'000);
  REQUIRE(left_ventricle(tets, 1).tets.size() == static_cast<std::size_t>(tets));
}

TEST_CASE("left ventricle: the grid holds what is asked for, with less than a ring to spare") {
  for (std::int64_t tets = 1000; tets < 100'000'000; tets += tets / 7 + 1) {
    CAPTURE(tets);
    const LeftVentricleGrid grid = left_ventricle_grid(tets);
    const std::int64_t ring = 6 * 4 * grid.block * grid.layers;
    REQUIRE(6 * grid.hexahedra() >= tets);
    REQUIRE(6 * grid.hexahedra() < tets + ring);
  }
}

TEST_CASE("left ventricle: every tetrahedron has a positive volume") {
  const std::int64_t tets = GENERATE(1, 30, 31, 100, 1000, 20'000, 300'000);
  const TetMesh mesh = left_ventricle(tets, 1);
  for (const Tet& tet : mesh.tets)
    REQUIRE(test::volume_mm3(mesh, tet) > 0);
}

TEST_CASE("left ventricle: the volumes add up to the wall's") {
  // pi r^2 times the integral of 1 - z^2 / c^2 from -c to 5, for r = 10, c = 20 without r = 7, c = 17.
  const double epicardium = 100 * (5 + 20 - (5. * 5 * 5 + 20. * 20 * 20) / (3 * 20 * 20));
  const double endocardium = 49 * (5 + 17 - (5. * 5 * 5 + 17. * 17 * 17) / (3 * 17 * 17));
  const TetMesh mesh = uncut(300'000);
  double sum = 0;
  for (const Tet& tet : mesh.tets)
    sum += test::volume_mm3(mesh, tet);
  REQUIRE(sum == Approx(std::numbers::pi * (epicardium - endocardium)).epsilon(0.003));
}

TEST_CASE("left ventricle: the largest element is a few times the mean, not many") {
  const TetMesh mesh = uncut(300'000);
  double sum = 0;
  double largest = 0;
  for (const Tet& tet : mesh.tets) {
    sum += test::volume_mm3(mesh, tet);
    largest = std::max(largest, test::volume_mm3(mesh, tet));
  }
  REQUIRE(largest < 5 * sum / static_cast<double>(mesh.tets.size()));
}

TEST_CASE("left ventricle: a face lies between two tetrahedra or on the wall's surface") {
  const std::int64_t tets = GENERATE(1000, 50'000);
  const TetMesh mesh = uncut(tets);
  for (const auto& [face, around] : test::tets_by_face(mesh)) {
    REQUIRE((around.size() == 2 || (around.size() == 1 && on_the_surface(mesh, face))));
  }
}

TEST_CASE("left ventricle: the surface is closed, and a sphere's by Euler's formula") {
  const TetMesh mesh = uncut(50'000);
  std::map<std::pair<std::int32_t, std::int32_t>, int> faces_at_edge;
  std::set<std::int32_t> vertices;
  std::size_t faces = 0;
  for (const auto& [face, around] : test::tets_by_face(mesh)) {
    if (around.size() != 1) continue;
    ++faces;
    vertices.insert(face.begin(), face.end());
    ++faces_at_edge[{face[0], face[1]}];
    ++faces_at_edge[{face[0], face[2]}];
    ++faces_at_edge[{face[1], face[2]}];
  }
  for (const auto& [edge, count] : faces_at_edge)
    REQUIRE(count == 2);
  REQUIRE(vertices.size() + faces == faces_at_edge.size() + 2);
}

TEST_CASE("left ventricle: where the last ring is incomplete, what is missing is missing at the base") {
  const std::int64_t all = 6 * left_ventricle_grid(50'000).hexahedra();
  const TetMesh whole = left_ventricle(all, 1);
  const TetMesh part = left_ventricle(50'000, 1);
  REQUIRE(part.tets.size() < whole.tets.size());
  REQUIRE(std::equal(part.tets.begin(), part.tets.end(), whole.tets.begin()));
  const std::vector<Point> points = centroids(whole);
  for (std::size_t t = part.tets.size(); t < whole.tets.size(); ++t)
    REQUIRE(points[t].z > 3);
}

TEST_CASE("left ventricle: one seed gives one mesh, another seed another") {
  REQUIRE(same(left_ventricle(5000, 7), left_ventricle(5000, 7)));
  REQUIRE_FALSE(same(left_ventricle(5000, 7), left_ventricle(5000, 8)));
}

TEST_CASE("left ventricle: the number of threads does not change the mesh") {
  omp_set_num_threads(1);
  const TetMesh one = left_ventricle(5000, 1);
  omp_set_num_threads(3);
  REQUIRE(same(left_ventricle(5000, 1), one));
}

TEST_CASE("left ventricle: no tetrahedra, or too many to number, are an input error") {
  const std::int64_t tets = GENERATE(std::int64_t{0}, std::int64_t{-5}, (std::int64_t{1} << 30) + 1);
  REQUIRE_THROWS_AS(left_ventricle(tets, 1), InputError);
}

}  // namespace
}  // namespace finegrain::problem
