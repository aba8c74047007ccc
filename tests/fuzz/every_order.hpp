// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/problem/mesh_matrix.hpp"
#include "tests/fuzz/input_file.hpp"

namespace finegrain::fuzz {

/// What `finegrain mesh` does with a mesh that was read, whatever its coordinates are.
inline void make_in_every_order(const problem::TetMesh& mesh) {
  for (const problem::RowOrder order :
       {problem::RowOrder::none, problem::RowOrder::sbd, problem::RowOrder::gnd, problem::RowOrder::rcm,
        problem::RowOrder::hilbert, problem::RowOrder::random})
    read_or_refuse([&] { mesh_matrix(mesh, order, 1); });
}

}  // namespace finegrain::fuzz
