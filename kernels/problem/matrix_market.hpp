// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/problem/ellpack.hpp"

namespace finegrain::problem {

/// The most entries that EllPack format may store for each entry of the matrix, unless more are asked for.
inline constexpr double usual_most_padding = 4.0;

/// Reads a square sparse matrix in Matrix Market format (coordinate; real, integer or pattern, whose entries
/// are 1; general or symmetric). Entries at one place are summed; a missing diagonal entry is 0; r_nz is the
/// number of off-diagonal entries of the longest row. Source: Boisvert, Pozo, Remington, "The Matrix Market
/// Exchange Formats: Initial Design", NISTIR 5935, 1996.
/// @param most_padding  the most entries stored for each entry of the matrix (EllpackShape::fill) that are
/// accepted
/// @throws InputError naming file and line: it is missing or truncated, of another kind, not square, a count
/// is wrong, a number is not finite or out of range, or there would be more padding
EllpackMatrix read_matrix_market(const std::filesystem::path& path, double most_padding);

}  // namespace finegrain::problem
