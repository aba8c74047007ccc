// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/mesh_matrix.hpp"

namespace finegrain::problem {

/// The diffusion matrix of the left-ventricle mesh, from the generator to the ordered rows.
/// @param seed  the mesh and the order `random` follow from it
/// @throws InputError if tets < 1 or > max_tets
EllpackMatrix left_ventricle_matrix(
    std::int64_t tets, RowOrder order, std::uint64_t seed, const OnStep& on_step = [](std::string_view) {});

}  // namespace finegrain::problem
