// SPDX-License-Identifier: MIT
#include "kernels/problem/row_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "kernels/problem/bisection_order.hpp"
#include "kernels/problem/cuthill_mckee_order.hpp"
#include "kernels/problem/diffusion_matrix.hpp"
#include "kernels/problem/hilbert_order.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
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

std::vector<std::int32_t> inverse(std::span<const std::int32_t> old_of) {
  std::vector<std::int32_t> new_of(old_of.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < old_of.size(); ++i)
    new_of[static_cast<std::size_t>(old_of[i])] = static_cast<std::int32_t>(i);
  return new_of;
}

}  // namespace

RowOrder parse_row_order(std::string_view text) {
  for (const RowOrder order :
       {RowOrder::sbd, RowOrder::gnd, RowOrder::rcm, RowOrder::hilbert, RowOrder::none, RowOrder::random}) {
    if (text == to_string(order)) return order;
  }
  throw InputError("order", fmt::format("'{}' is no order of rows", text),
                   "Use sbd, gnd, rcm, hilbert, none or random");
}

std::string_view to_string(RowOrder order) {
  switch (order) {
    case RowOrder::sbd:
      return "sbd";
    case RowOrder::gnd:
      return "gnd";
    case RowOrder::rcm:
      return "rcm";
    case RowOrder::hilbert:
      return "hilbert";
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
    case RowOrder::rcm:
      return reverse_cuthill_mckee_order(columns_within_two_faces(neighbours), tetrahedral_r_nz,
                                         PatternSymmetry::symmetric);
    case RowOrder::hilbert:
      return hilbert_order(centroids);
    case RowOrder::random:
      return shuffled(centroids.size(), seed);
    case RowOrder::none:
      break;
  }
  return identity(centroids.size());
}

void check_needs_no_centroids(RowOrder order) {
  if (order == RowOrder::sbd || order == RowOrder::gnd || order == RowOrder::hilbert) {
    throw InputError(
        "order", fmt::format("{} goes by centroids (a matrix without its mesh has none)", to_string(order)),
        "Use none, random or rcm");
  }
}

std::vector<std::int32_t> permutation(RowOrder order, const EllpackView& matrix, std::uint64_t seed) {
  check_needs_no_centroids(order);
  if (order == RowOrder::rcm)
    return reverse_cuthill_mckee_order(matrix.columns, matrix.r_nz, PatternSymmetry::any);
  const auto rows = static_cast<std::size_t>(matrix.rows);
  return order == RowOrder::random ? shuffled(rows, seed) : identity(rows);
}

std::vector<Point> renumbered(std::span<const Point> points, std::span<const std::int32_t> old_of) {
  std::vector<Point> result(old_of.size());
#pragma omp parallel for
  for (std::size_t i = 0; i < old_of.size(); ++i)
    result[i] = points[static_cast<std::size_t>(old_of[i])];
  return result;
}

FaceNeighbours renumbered(const FaceNeighbours& neighbours, std::span<const std::int32_t> old_of) {
  const std::vector<std::int32_t> new_of = inverse(old_of);
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

EllpackMatrix renumbered(const EllpackView& matrix, std::span<const std::int32_t> old_of) {
  const std::vector<std::int32_t> new_of = inverse(old_of);
  const auto r_nz = static_cast<std::size_t>(matrix.r_nz);
  EllpackMatrix result{matrix.r_nz, std::vector<double>(old_of.size()),
                       std::vector<double>(matrix.values.size()),
                       std::vector<std::int32_t>(matrix.columns.size())};
#pragma omp parallel
  {
    std::vector<std::pair<std::int32_t, double>> row;
#pragma omp for
    for (std::size_t i = 0; i < old_of.size(); ++i) {
      const std::int32_t old = old_of[i];
      result.diagonal[i] = matrix.diagonal[static_cast<std::size_t>(old)];
      row.clear();
      for (std::size_t e = static_cast<std::size_t>(old) * r_nz;
           e < (static_cast<std::size_t>(old) + 1) * r_nz; ++e) {
        if (matrix.columns[e] != old)
          row.emplace_back(new_of[static_cast<std::size_t>(matrix.columns[e])], matrix.values[e]);
      }
      std::sort(row.begin(), row.end());
      row.resize(r_nz, {static_cast<std::int32_t>(i), 0.0});
      for (std::size_t e = 0; e < r_nz; ++e) {
        result.columns[i * r_nz + e] = row[e].first;
        result.values[i * r_nz + e] = row[e].second;
      }
    }
  }
  return result;
}

}  // namespace finegrain::problem
