// SPDX-License-Identifier: MIT
#include "kernels/problem/left_ventricle_matrix.hpp"

#include <utility>

#include "kernels/problem/left_ventricle.hpp"

namespace finegrain::problem {

EllpackMatrix left_ventricle_matrix(std::int64_t tets, RowOrder order, std::uint64_t seed,
                                    const OnStep& on_step) {
  TetMesh mesh = left_ventricle(tets, seed);
  on_step("mesh");
  return mesh_matrix(std::move(mesh), order, seed, on_step);
}

}  // namespace finegrain::problem
