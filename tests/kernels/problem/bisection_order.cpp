// SPDX-License-Identifier: MIT
#include "kernels/problem/bisection_order.hpp"

#include <omp.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "kernels/problem/diffusion_matrix.hpp"
#include "kernels/problem/left_ventricle.hpp"

namespace finegrain::problem {
namespace {

using Numbers = std::vector<std::int32_t>;

struct Input {
  std::vector<Point> points;
  Numbers columns;  ///< J
};

Input input_of(std::int64_t tets) {
  const TetMesh mesh = left_ventricle(tets, 1);
  return {centroids(mesh), columns_within_two_faces(face_neighbours(mesh))};
}

/// The definition, with sets and full sorts.
class Reference {
 public:
  Reference(const Input& input, SeparatorPlace place) : input_(input), place_(place) {}

  Numbers order(Numbers rows) const {
    if (rows.size() < 2) return rows;
    const auto half = static_cast<std::ptrdiff_t>(rows.size() / 2);
    sort_along_widest(rows);
    const Numbers right(rows.begin() + half, rows.end());
    Numbers left(rows.begin(), rows.begin() + half);
    Numbers separator;
    if (rows.size() >= 30'000) {
      const std::set<std::int32_t> beyond(right.begin(), right.end());
      const auto touches = [&](std::int32_t row) {
        const auto entry = input_.columns.begin() + std::ptrdiff_t{16} * row;
        return std::any_of(entry, entry + 16, [&](std::int32_t column) { return beyond.count(column) == 1; });
      };
      std::copy_if(left.begin(), left.end(), std::back_inserter(separator), touches);
      left.erase(std::remove_if(left.begin(), left.end(), touches), left.end());
    }
    Numbers result = order(left);
    const auto append = [&](const Numbers& more) { result.insert(result.end(), more.begin(), more.end()); };
    if (place_ == SeparatorPlace::between) append(order(separator));
    append(order(right));
    if (place_ == SeparatorPlace::behind) append(order(separator));
    return result;
  }

 private:
  void sort_along_widest(Numbers& rows) const {
    const auto at = [&](std::int32_t row, double Point::*axis) {
      return static_cast<float>(input_.points[static_cast<std::size_t>(row)].*axis);
    };
    const auto extent = [&](double Point::*axis) {
      const auto [low, high] = std::minmax_element(rows.begin(), rows.end(),
                                                   [&](auto a, auto b) { return at(a, axis) < at(b, axis); });
      return at(*high, axis) - at(*low, axis);
    };
    double Point::*widest = &Point::x;
    if (extent(&Point::y) > extent(widest)) widest = &Point::y;
    if (extent(&Point::z) > extent(widest)) widest = &Point::z;
    std::sort(rows.begin(), rows.end(),
              [&](auto a, auto b) { return std::pair(at(a, widest), a) < std::pair(at(b, widest), b); });
  }

  const Input& input_;
  SeparatorPlace place_;
};

Numbers first_numbers(std::size_t count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_CASE("bisection order: equals the definition with full sorts, separators included") {
  const Input input = input_of(130'000);  // two levels of separators, and separators within separators below
  const SeparatorPlace place = GENERATE(SeparatorPlace::between, SeparatorPlace::behind);
  REQUIRE(bisection_order(input.points, input.columns, 16, place) ==
          Reference(input, place).order(first_numbers(input.points.size())));
}

TEST_CASE("bisection order: a separator large enough has separators of its own") {
  // Every row touches the last one, so the left half is all separator, twice over.
  Input input;
  constexpr std::int32_t rows = 130'000;
  for (std::int32_t i = 0; i < rows; ++i) {
    input.points.push_back({static_cast<double>(i * 7919LL % rows), 0, 0});
    input.columns.insert(input.columns.end(), 16, (i + 1) % rows);
    input.columns.back() = 7919;
  }
  const SeparatorPlace place = GENERATE(SeparatorPlace::between, SeparatorPlace::behind);
  REQUIRE(bisection_order(input.points, input.columns, 16, place) ==
          Reference(input, place).order(first_numbers(input.points.size())));
}

TEST_CASE("bisection order: every row has one place") {
  const Input input = input_of(70'000);
  Numbers order = bisection_order(input.points, input.columns, 16, SeparatorPlace::between);
  std::sort(order.begin(), order.end());
  REQUIRE(order == first_numbers(70'000));
}

TEST_CASE("bisection order, separators between: in the left half, rows that touch the right half come last") {
  const Input input = input_of(70'000);
  const Numbers order = bisection_order(input.points, input.columns, 16, SeparatorPlace::between);
  Numbers new_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    new_of[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  std::vector<bool> touches;
  for (std::size_t i = 0; i < 35'000; ++i) {
    const auto entry = input.columns.begin() + std::ptrdiff_t{16} * order[i];
    touches.push_back(std::any_of(entry, entry + 16, [&](std::int32_t column) {
      return new_of[static_cast<std::size_t>(column)] >= 35'000;
    }));
  }
  REQUIRE(std::is_partitioned(touches.begin(), touches.end(), [](bool touching) { return !touching; }));
  REQUIRE(std::count(touches.begin(), touches.end(), true) > 100);
}

TEST_CASE("bisection order: below 30,000 rows there are no separators") {
  const Input below = input_of(29'999);
  const Input above = input_of(30'000);
  const auto same = [](const Input& input) {
    return bisection_order(input.points, input.columns, 16, SeparatorPlace::between) ==
           bisection_order(input.points, input.columns, 16, SeparatorPlace::behind);
  };
  REQUIRE(same(below));
  REQUIRE_FALSE(same(above));
}

TEST_CASE("bisection order: points on a line end up sorted along it") {
  std::vector<Point> points;
  for (int i = 0; i < 1000; ++i)
    points.push_back({1.0, static_cast<double>(i * 389 % 1000), 2.0});
  const Numbers order = bisection_order(points, Numbers(1000, 0), 1, SeparatorPlace::between);
  for (std::size_t i = 0; i < order.size(); ++i)
    REQUIRE(points[static_cast<std::size_t>(order[i])].y == static_cast<double>(i));
}

TEST_CASE("bisection order: points at one place keep their order") {
  REQUIRE(bisection_order(std::vector<Point>(1000), Numbers(1000, 0), 1, SeparatorPlace::between) ==
          first_numbers(1000));
}

TEST_CASE("bisection order: none and one row") {
  REQUIRE(bisection_order({}, {}, 16, SeparatorPlace::between).empty());
  REQUIRE(bisection_order(std::vector<Point>(1), Numbers(16, 0), 16, SeparatorPlace::behind) == Numbers{0});
}

TEST_CASE("bisection order: the number of threads does not change it") {
  const Input input = input_of(200'000);
  const SeparatorPlace place = GENERATE(SeparatorPlace::between, SeparatorPlace::behind);
  omp_set_num_threads(1);
  const Numbers one = bisection_order(input.points, input.columns, 16, place);
  for (const int threads : {2, 5, 16}) {
    omp_set_num_threads(threads);
    REQUIRE(bisection_order(input.points, input.columns, 16, place) == one);
  }
}

}  // namespace
}  // namespace finegrain::problem
