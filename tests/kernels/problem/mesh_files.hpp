// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::test {

/// A unit cube of cells^3 small ones, each cut into six tetrahedra around its diagonal.
problem::TetMesh cube(int cells);

/// TetGen's two files, numbered from `first`.
std::string tetgen_nodes(const problem::TetMesh& mesh, int first);
std::string tetgen_tets(const problem::TetMesh& mesh, int first);

enum class Content { text, bytes };
/// Gmsh's formats. Between the nodes and the tetrahedra that matter there are other sections and elements.
std::string gmsh_2_2(const problem::TetMesh& mesh, Content content);
/// @param gap  between the numbers of two nodes
std::string gmsh_4_1(const problem::TetMesh& mesh, Content content, std::uint64_t gap = 1);

/// All nodes on a surface, with their coordinates there; the tetrahedra in volume 5, which is part 1 of
/// `parts`.
std::string gmsh_4_0(const problem::TetMesh& mesh, Content content, int parts);

/// The whole matrix, as "real general".
std::string matrix_market(const problem::EllpackView& matrix);

/// A file that was made by a program other than this.
std::filesystem::path sample(const std::string& name);

}  // namespace finegrain::test
