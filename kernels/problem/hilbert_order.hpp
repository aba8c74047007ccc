// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// Place of a cell on the Hilbert curve through a cube of 2^bits cells a side: successive cells have a face
/// in common. Source: Hamilton, "Compact Hilbert Indices", report CS-2006-07, Dalhousie University, 2006.
/// @param bits  1 ... 21
std::uint64_t hilbert_index(const std::array<std::uint32_t, 3>& cell, int bits);

/// Orders points along the Hilbert curve through the smallest cube, with edges along the axes, that holds
/// them, 2^21 cells a side. Points in one cell are ordered by number.
/// @returns the old number of each new one
std::vector<std::int32_t> hilbert_order(std::span<const Point> points);

}  // namespace finegrain::problem
