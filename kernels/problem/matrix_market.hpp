// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "kernels/problem/ellpack.hpp"

namespace finegrain::problem {

/// The most entries that EllPack format may store for each entry of the matrix, unless more are asked for.
inline constexpr double usual_most_padding = 4.0;
inline constexpr double largest_most_padding = 1e6;  ///< that can be asked for

/// A matrix as it was read.
struct MarketMatrix {
  EllpackMatrix matrix;
  bool is_complex = false;  ///< its values are the real parts of complex ones
};

/// Reads a square sparse matrix in Matrix Market format: coordinate; real, complex, integer or pattern, whose
/// entries are 1; general, symmetric, skew-symmetric or hermitian, and then given by either half. Entries at
/// one place are summed; a missing diagonal entry is 0; r_nz is the number of off-diagonal entries of the
/// longest row. Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design",
/// NISTIR 5935, 1996. Beyond it, comments may stand anywhere.
/// @param most_padding  the most entries stored for each entry of the matrix (EllpackShape::fill) that are
/// accepted
/// @throws InputError naming file and line: it is missing or truncated, of another kind, not square, a count
/// is wrong, a number is not finite or out of range, or there would be more padding
MarketMatrix read_matrix_market(const std::filesystem::path& path, double most_padding);

}  // namespace finegrain::problem
