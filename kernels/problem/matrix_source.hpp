// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/problem/matrix_market.hpp"
#include "kernels/problem/mesh_matrix.hpp"

namespace finegrain::problem {

/// What a matrix is made of: a file or, without one, the left ventricle with `tets` tetrahedra.
struct MatrixSource {
  std::int64_t tets = 0;
  std::filesystem::path input;    ///< a mesh (TetGen, Gmsh), or a matrix (Matrix Market)
  std::optional<RowOrder> order;  ///< none: sbd for a mesh, the file's own order for Matrix Market
  double most_padding = usual_most_padding;
  std::uint64_t seed = 1;
};

struct MadeMatrix {
  EllpackMatrix matrix;
  std::string description;              ///< for its file
  std::vector<std::string> notes = {};  ///< what the user should know of what was read, as sentences
};

/// @throws InputError if the file cannot be used, the order needs a mesh, or memory would not suffice
MadeMatrix make_matrix(
    const MatrixSource& source, const OnStep& on_step = [](std::string_view) {});

}  // namespace finegrain::problem
