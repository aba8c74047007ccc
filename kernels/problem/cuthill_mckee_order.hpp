// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace finegrain::problem {

/// Whether J has j in row i wherever it has i in row j.
enum class PatternSymmetry : std::uint8_t { symmetric, any };

/// Reverse Cuthill-McKee order of a matrix, which makes its bandwidth small. If the pattern of M is not
/// symmetric, the pattern of M + transposed M is ordered instead. Each connected part starts from a row at
/// its rim, which the search of George and Liu finds.
/// @param columns  J, shape [rows][r_nz], each a row
/// @returns the old number of each new row
std::vector<std::int32_t> reverse_cuthill_mckee_order(std::span<const std::int32_t> columns, int r_nz,
                                                      PatternSymmetry symmetry);

}  // namespace finegrain::problem
