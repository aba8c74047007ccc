// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/problem/mesh_matrix.hpp"
#include "tests/fuzz/input_file.hpp"

namespace finegrain::fuzz {

/// What `finegrain mesh` does with a mesh that was read, whatever its coordinates are.
inline void make_in_every_order(const TetMesh& mesh) {
  for (const RowOrder order :
       {RowOrder::none, RowOrder::sbd, RowOrder::gnd, RowOrder::rcm, RowOrder::hilbert, RowOrder::random})
    read_or_refuse([&] { mesh_matrix(mesh, order, 1); });
}

}  // namespace finegrain::fuzz
