// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/face_neighbours.hpp"

namespace finegrain::problem {

/// How the rows of a matrix are numbered. sbd: bisection with separators between the halves; gnd: behind
/// them, as nested dissection does; rcm: reverse Cuthill-McKee; hilbert: along a Hilbert curve through the
/// centroids; none: as the mesh or the matrix came; random: the worst case.
enum class RowOrder : std::uint8_t { sbd, gnd, rcm, hilbert, none, random };

/// @throws InputError if the text is not one of "sbd", "gnd", "rcm", "hilbert", "none", "random"
RowOrder parse_row_order(std::string_view text);
std::string_view to_string(RowOrder order);

/// Checks that rows without a mesh can be put in this order.
/// @throws InputError if the order goes by centroids: sbd, gnd, hilbert
void check_needs_no_centroids(RowOrder order);

/// The order of rows that are tetrahedra.
/// @param seed  the order `random` follows from it; the others ignore it
/// @returns the old number of each new row. Shape [tets]
std::vector<std::int32_t> permutation(RowOrder order, std::span<const Point> centroids,
                                      const FaceNeighbours& neighbours, std::uint64_t seed);

/// The order of rows of which only the matrix is known.
/// @returns the old number of each new row. Shape [rows]
/// @throws InputError if the order goes by centroids
std::vector<std::int32_t> permutation(RowOrder order, const EllpackView& matrix, std::uint64_t seed);

/// The same data in a new numbering; in a matrix, each row's entries are in ascending order again, then
/// padding.
/// @param old_of  as from permutation()
std::vector<Point> renumbered(std::span<const Point> points, std::span<const std::int32_t> old_of);
FaceNeighbours renumbered(const FaceNeighbours& neighbours, std::span<const std::int32_t> old_of);
EllpackMatrix renumbered(const EllpackView& matrix, std::span<const std::int32_t> old_of);

}  // namespace finegrain::problem
