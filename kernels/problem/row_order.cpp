// SPDX-License-Identifier: MIT
#include "kernels/problem/row_order.hpp"

#include <fmt/format.h>

#include <numeric>
#include <random>
#include <utility>

#include "kernels/problem/bisection_order.hpp"
#include "kernels/problem/diffusion_matrix.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain {
namespace {

std::vector<std::int32_t> identity(std::size_t rows) {
  std::vector<std::int32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Fisher-Yates with draws of our own: those of <random>'s distributions differ between standard libraries.
std::vector<std::int32_t> shuffled(std::size_t rows, std::uint64_t seed) {
  std::vector<std::int32_t> order = identity(rows);
  std::mt19937_64 draw(seed);
  for (std::size_t left = rows; left > 1; --left)
    std::swap(order[left - 1], order[draw() % left]);
  return order;
}

}  // namespace

RowOrder parse_row_order(std::string_view text) {
  for (const RowOrder order : {RowOrder::sbd, RowOrder::gnd, RowOrder::none, RowOrder::random}) {
    if (text == to_string(order)) return order;
  }
  throw InputError(fmt::format("order: '{}' is no order of rows. Use sbd, gnd, none or random", text));
}

std::string_view to_string(RowOrder order) {
  switch (order) {
    case RowOrder::sbd:
      return "sbd";
    case RowOrder::gnd:
      return "gnd";
    case RowOrder::none:
      return "none";
    case RowOrder::random:
      return "random";
  }
  return "";
}

std::vector<std::int32_t> permutation(RowOrder order, std::span<const Point> centroids,
                                      const FaceNeighbours& neighbours, std::uint64_t seed) {
  switch (order) {
    case RowOrder::sbd:
      return bisection_order(centroids, columns_within_two_faces(neighbours), tetrahedral_r_nz,
                             SeparatorPlace::between);
    case RowOrder::gnd:
      return bisection_order(centroids, columns_within_two_faces(neighbours), tetrahedral_r_nz,
                             SeparatorPlace::behind);
    case RowOrder::random:
      return shuffled(centroids.size(), seed);
    case RowOrder::none:
      break;
  }
  return identity(centroids.size());
}

std::vector<Point> renumbered(std::span<const Point> points, std::span<const std::int32_t> old_of) {
  std::vector<Point> result(old_of.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < old_of.size(); ++i)
    result[i] = points[static_cast<std::size_t>(old_of[i])];
  return result;
}

FaceNeighbours renumbered(const FaceNeighbours& neighbours, std::span<const std::int32_t> old_of) {
  std::vector<std::int32_t> new_of(old_of.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < old_of.size(); ++i)
    new_of[static_cast<std::size_t>(old_of[i])] = static_cast<std::int32_t>(i);
  FaceNeighbours result(old_of.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < old_of.size(); ++i) {
    for (std::size_t f = 0; f < 4; ++f) {
      const std::int32_t old = neighbours[static_cast<std::size_t>(old_of[i])][f];
      result[i][f] = old == no_neighbour ? no_neighbour : new_of[static_cast<std::size_t>(old)];
    }
  }
  return result;
}

}  // namespace finegrain
