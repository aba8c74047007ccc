// SPDX-License-Identifier: MIT
#include "kernels/problem/diffusion_matrix.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "kernels/problem/left_ventricle.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

constexpr std::size_t width = 16;

/// Row by row, padding left out.
std::vector<std::vector<std::int32_t>> rows_of(const std::vector<std::int32_t>& columns) {
  std::vector<std::vector<std::int32_t>> rows(columns.size() / width);
  for (std::size_t e = 0; e < columns.size(); ++e) {
    if (columns[e] != static_cast<std::int32_t>(e / width)) rows[e / width].push_back(columns[e]);
  }
  return rows;
}

using Rows = std::vector<std::vector<std::int32_t>>;

struct Example {
  FaceNeighbours neighbours;
  std::vector<Point> points;
  EllpackMatrix matrix;
};

Example left_ventricle_example() {
  const TetMesh mesh = left_ventricle(20'000, 1);
  FaceNeighbours neighbours = face_neighbours(mesh);
  std::vector<Point> points = centroids(mesh);
  EllpackMatrix matrix = diffusion_matrix(points, columns_within_two_faces(neighbours));
  return {std::move(neighbours), std::move(points), std::move(matrix)};
}

TEST_CASE("J of a chain: one and two steps to each side") {
  const FaceNeighbours chain{
      {1, -1, -1, -1}, {0, 2, -1, -1}, {3, -1, 1, -1}, {2, 4, -1, -1}, {3, -1, -1, -1}};
  REQUIRE(rows_of(columns_within_two_faces(chain)) ==
          Rows{{1, 2}, {0, 2, 3}, {0, 1, 3, 4}, {1, 2, 4}, {2, 3}});
}

TEST_CASE("J of a ring of four: a tetrahedron that two ways lead to is there once") {
  const FaceNeighbours ring{{1, 3, -1, -1}, {0, 2, -1, -1}, {1, 3, -1, -1}, {2, 0, -1, -1}};
  REQUIRE(rows_of(columns_within_two_faces(ring)) == Rows{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}});
}

TEST_CASE("J: four neighbours with three more each fill all sixteen entries") {
  FaceNeighbours tree(17, {-1, -1, -1, -1});
  tree[0] = {1, 5, 9, 13};
  for (const std::int32_t near : tree[0]) {
    tree[static_cast<std::size_t>(near)] = {near + 3, 0, near + 1, near + 2};
    for (std::int32_t far = near + 1; far <= near + 3; ++far)
      tree[static_cast<std::size_t>(far)][2] = near;
  }
  std::vector<std::int32_t> all(16);
  std::iota(all.begin(), all.end(), 1);
  REQUIRE(rows_of(columns_within_two_faces(tree))[0] == all);
}

TEST_CASE("J of a lone tetrahedron is padding: its own row") {
  REQUIRE(columns_within_two_faces({{-1, -1, -1, -1}}) == std::vector<std::int32_t>(16, 0));
}

TEST_CASE("J of the left ventricle: what sets of neighbours give, ascending, then padding") {
  const Example example = left_ventricle_example();
  for (std::size_t row = 0; row < example.neighbours.size(); ++row) {
    std::set<std::int32_t> expected;
    for (const std::int32_t near : example.neighbours[row]) {
      if (near == no_neighbour) continue;
      expected.insert(near);
      const auto& further = example.neighbours[static_cast<std::size_t>(near)];
      expected.insert(further.begin(), further.end());
    }
    expected.erase(no_neighbour);
    expected.erase(static_cast<std::int32_t>(row));
    std::vector<std::int32_t> padded(expected.begin(), expected.end());
    padded.resize(width, static_cast<std::int32_t>(row));
    const auto begin = example.matrix.columns.begin() + static_cast<std::ptrdiff_t>(row * width);
    REQUIRE(std::equal(padded.begin(), padded.end(), begin));
  }
}

TEST_CASE("diffusion matrix: J and A are symmetric") {
  const EllpackMatrix matrix = left_ventricle_example().matrix;
  std::map<std::pair<std::int32_t, std::int32_t>, double> entries;
  for (std::size_t e = 0; e < matrix.columns.size(); ++e)
    entries[{static_cast<std::int32_t>(e / width), matrix.columns[e]}] = matrix.values[e];
  for (const auto& [at, value] : entries) {
    REQUIRE(entries.count({at.second, at.first}) == 1);
    REQUIRE(entries.at({at.second, at.first}) == value);
  }
}

TEST_CASE("diffusion matrix: padding has the value 0, and nothing else has") {
  const EllpackMatrix matrix = left_ventricle_example().matrix;
  for (std::size_t e = 0; e < matrix.columns.size(); ++e) {
    REQUIRE((matrix.values[e] == 0) == (matrix.columns[e] == static_cast<std::int32_t>(e / width)));
    REQUIRE(matrix.values[e] >= 0);
  }
}

TEST_CASE("diffusion matrix: three cells on a line, at 0, 1 and 3") {
  const std::vector<Point> points{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}};
  const FaceNeighbours chain{{1, -1, -1, -1}, {0, 2, -1, -1}, {1, -1, -1, -1}};
  const EllpackMatrix matrix = diffusion_matrix(points, columns_within_two_faces(chain));
  // The middle row has the largest sum of weights, 1 / 1 + 1 / 2^2, so its diagonal is the 1/2.
  const double time_step = 0.5 / (1 + 1. / 4);
  REQUIRE(matrix.values[0] == Approx(time_step));              // 0 to 1
  REQUIRE(matrix.values[1] == Approx(time_step / 9));          // 0 to 2
  REQUIRE(matrix.values[width] == Approx(time_step));          // 1 to 0
  REQUIRE(matrix.values[width + 1] == Approx(time_step / 4));  // 1 to 2
  REQUIRE(matrix.diagonal[0] == Approx(1 - time_step * (1 + 1. / 9)));
  REQUIRE(matrix.diagonal[1] == Approx(0.5));
  REQUIRE(matrix.diagonal[2] == Approx(1 - time_step * (1. / 4 + 1. / 9)));
}

TEST_CASE("diffusion matrix: a cell without neighbours keeps its value") {
  const EllpackMatrix matrix =
      diffusion_matrix(std::vector<Point>(1), columns_within_two_faces({{-1, -1, -1, -1}}));
  REQUIRE(matrix.diagonal == std::vector<double>{1});
  REQUIRE(matrix.values == std::vector<double>(16, 0));
}

TEST_CASE("diffusion matrix: every diagonal is at least 1/2") {
  const EllpackMatrix matrix = left_ventricle_example().matrix;
  REQUIRE(*std::min_element(matrix.diagonal.begin(), matrix.diagonal.end()) == Approx(0.5));
}

TEST_CASE("diffusion matrix: a constant stays as it is") {
  const EllpackMatrix matrix = left_ventricle_example().matrix;
  const std::vector<double> x(matrix.diagonal.size(), 3.0);
  std::vector<double> y(x.size());
  multiply(matrix.view(), x, y);
  for (const double value : y)
    REQUIRE(value == Approx(3.0).epsilon(1e-14));
}

TEST_CASE("diffusion matrix: a step keeps the sum and goes beyond neither end") {
  const EllpackMatrix matrix = left_ventricle_example().matrix;
  std::mt19937_64 random(1);
  std::vector<double> x(matrix.diagonal.size());
  for (double& value : x)
    value = std::uniform_real_distribution(0.0, 1.0)(random);
  std::vector<double> y(x.size());
  multiply(matrix.view(), x, y);
  REQUIRE(std::accumulate(y.begin(), y.end(), 0.0) ==
          Approx(std::accumulate(x.begin(), x.end(), 0.0)).epsilon(1e-13));
  const auto [lowest, highest] = std::minmax_element(x.begin(), x.end());
  for (const double value : y)
    REQUIRE((value > *lowest && value < *highest));
}

TEST_CASE("diffusion matrix: neighbours at one place are an input error that names them") {
  const FaceNeighbours pair{{1, -1, -1, -1}, {0, -1, -1, -1}};
  const auto columns = columns_within_two_faces(pair);
  REQUIRE_THROWS_AS(diffusion_matrix(std::vector<Point>(2), columns), InputError);
  REQUIRE_THROWS_WITH(diffusion_matrix(std::vector<Point>(2), columns),
                      Catch::Contains("two tetrahedra have the same centroid"));
}

}  // namespace
}  // namespace finegrain::problem
