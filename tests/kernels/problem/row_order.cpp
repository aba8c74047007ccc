// SPDX-License-Identifier: MIT
#include "kernels/problem/row_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "kernels/problem/diffusion_matrix.hpp"
#include "kernels/problem/left_ventricle.hpp"
#include "kernels/problem/left_ventricle_matrix.hpp"
#include "kernels/problem/matrix_facts.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

constexpr std::int64_t tets_to_order = 40'000;  // enough for separators

const RowOrder every_order[] = {RowOrder::sbd,     RowOrder::gnd,  RowOrder::rcm,
                                RowOrder::hilbert, RowOrder::none, RowOrder::random};

TEST_CASE("row order: names are read back") {
  for (const RowOrder order : every_order)
    REQUIRE(parse_row_order(to_string(order)) == order);
}

TEST_CASE("row order: another name is an input error") {
  REQUIRE_THROWS_AS(parse_row_order("metis"), InputError);
}

TEST_CASE("row order: a renumbered matrix is the same matrix: multiplying commutes") {
  const TetMesh mesh = left_ventricle(tets_to_order, 1);
  const FaceNeighbours neighbours = face_neighbours(mesh);
  const std::vector<Point> points = centroids(mesh);
  const EllpackMatrix original = diffusion_matrix(points, columns_within_two_faces(neighbours));
  std::vector<double> x;
  for (std::int64_t i = 0; i < tets_to_order; ++i)
    x.push_back(std::sin(static_cast<double>(i)));
  std::vector<double> y(x.size());
  multiply(original.view(), x, y);

  for (const RowOrder order : every_order) {
    CAPTURE(to_string(order));
    const std::vector<std::int32_t> old_of = permutation(order, points, neighbours, 1);
    const EllpackMatrix matrix = diffusion_matrix(renumbered(points, old_of),
                                                  columns_within_two_faces(renumbered(neighbours, old_of)));
    std::vector<double> renumbered_x;
    for (const std::int32_t old : old_of)
      renumbered_x.push_back(x[static_cast<std::size_t>(old)]);
    std::vector<double> renumbered_y(x.size());
    multiply(matrix.view(), renumbered_x, renumbered_y);
    for (std::size_t i = 0; i < old_of.size(); ++i)
      REQUIRE(renumbered_y[i] == Approx(y[static_cast<std::size_t>(old_of[i])]).margin(1e-14));
  }
}

TEST_CASE("row order: each is a permutation") {
  const TetMesh mesh = left_ventricle(tets_to_order, 1);
  const FaceNeighbours neighbours = face_neighbours(mesh);
  const std::vector<Point> points = centroids(mesh);
  std::vector<std::int32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  for (const RowOrder order : every_order) {
    CAPTURE(to_string(order));
    std::vector<std::int32_t> old_of = permutation(order, points, neighbours, 1);
    REQUIRE((old_of == all) == (order == RowOrder::none));
    std::sort(old_of.begin(), old_of.end());
    REQUIRE(old_of == all);
  }
}

TEST_CASE("row order of a matrix without a mesh: none, random and rcm renumber as those of its mesh do") {
  const TetMesh mesh = left_ventricle(5000, 1);
  const FaceNeighbours neighbours = face_neighbours(mesh);
  const std::vector<Point> points = centroids(mesh);
  const EllpackMatrix original = diffusion_matrix(points, columns_within_two_faces(neighbours));
  for (const RowOrder order : {RowOrder::none, RowOrder::random, RowOrder::rcm}) {
    CAPTURE(to_string(order));
    const std::vector<std::int32_t> old_of = permutation(order, original.view(), 1);
    REQUIRE(old_of == permutation(order, points, neighbours, 1));
    const EllpackMatrix expected = diffusion_matrix(renumbered(points, old_of),
                                                    columns_within_two_faces(renumbered(neighbours, old_of)));
    const EllpackMatrix matrix = renumbered(original.view(), old_of);
    REQUIRE(matrix.columns == expected.columns);
    REQUIRE(matrix.values == expected.values);
    for (std::size_t i = 0; i < matrix.diagonal.size(); ++i)
      REQUIRE(matrix.diagonal[i] == Approx(expected.diagonal[i]).epsilon(1e-14));
  }
}

TEST_CASE("row order of a matrix without a mesh: those that go by centroids are input errors") {
  const EllpackMatrix matrix{1, {1}, {0}, {0}};
  for (const RowOrder order : {RowOrder::sbd, RowOrder::gnd, RowOrder::hilbert})
    REQUIRE_THROWS_WITH(permutation(order, matrix.view(), 1), Catch::Contains("goes by centroids"));
}

TEST_CASE("row order random: every row has one place, and the seed decides which") {
  const std::vector<Point> points(1000);
  const auto order = [&](std::uint64_t seed) { return permutation(RowOrder::random, points, {}, seed); };
  REQUIRE(order(1) == order(1));
  REQUIRE(order(1) != order(2));
  std::vector<std::int32_t> sorted = order(1);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  REQUIRE(sorted == all);
}

TEST_CASE("left-ventricle matrix: sbd keeps neighbours nearest, then gnd, and random scatters them") {
  const auto distance = [](RowOrder order) {
    return facts_of(left_ventricle_matrix(tets_to_order, order, 1).view()).mean_distance;
  };
  REQUIRE(distance(RowOrder::sbd) < distance(RowOrder::gnd));
  // Two numbers of 0 ... n-1 drawn at random are n / 3 apart on average.
  REQUIRE(distance(RowOrder::random) == Approx(tets_to_order / 3.).epsilon(0.01));
}

TEST_CASE("left-ventricle matrix: has a row for each tetrahedron, however few") {
  const std::int64_t few = GENERATE(1, 2, 5, 6, 7, 100);
  for (const RowOrder order : every_order) {
    const EllpackMatrix matrix = left_ventricle_matrix(few, order, 1);
    REQUIRE(matrix.view().rows == few);
    REQUIRE(matrix.columns.size() == static_cast<std::size_t>(few) * 16);
  }
}

}  // namespace
}  // namespace finegrain::problem
