// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/problem/tetrahedral_mesh.hpp"
#include "kernels/problem/text_reader.hpp"

namespace finegrain::problem {

/// The tetrahedron with positive orientation: as it is, or with its last two vertices swapped.
/// @param text  the reader, at the place where the tetrahedron was read; for the error
/// @throws InputError if it has no volume: a vertex is there twice, or all lie in one plane
/// @pre its vertices are in range
Tet oriented_tet(const std::vector<Point>& vertices, Tet tet, const TextReader& text);

}  // namespace finegrain::problem
