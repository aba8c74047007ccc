// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/row_order.hpp"
#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// Called with a step's name when it is done.
using OnStep = std::function<void(std::string_view step)>;

/// The diffusion matrix of a mesh, its rows in order.
/// @param mesh  taken over, and freed as soon as it is not needed
/// @param seed  the order `random` follows from it
/// @throws InputError if the mesh is invalid: see face_neighbours() and diffusion_matrix()
EllpackMatrix mesh_matrix(
    TetMesh mesh, RowOrder order, std::uint64_t seed, const OnStep& on_step = [](std::string_view) {});

}  // namespace finegrain::problem
