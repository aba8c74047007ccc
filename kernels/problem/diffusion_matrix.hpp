// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/problem/ellpack.hpp"
#include "kernels/problem/face_neighbours.hpp"

namespace finegrain::problem {

/// Off-diagonal entries a row: at most 4 neighbours across faces and 3 more across the faces of each.
inline constexpr int tetrahedral_r_nz = 16;

/// J of a cell-centred method on tetrahedra: the neighbours across faces and their neighbours, without
/// repetition and without the tetrahedron itself, in ascending order, then padding (the row's own index).
/// Shape [tets * tetrahedral_r_nz]. Source: section 6.1, Lagravière et al. 2019.
/// @pre neighbours are mutual, as face_neighbours() finds them
std::vector<std::int32_t> columns_within_two_faces(const FaceNeighbours& neighbours);

/// One explicit Euler step of diffusion, y = Mx: y_i = x_i + dt sum_j w_ij (x_j - x_i), where w_ij is the
/// inverse square of the distance between the centroids of i and j. So A_ij = dt w_ij, D_i = 1 - sum_j A_ij,
/// and every row sums to 1. dt is half the largest that keeps all D_i >= 0, that is D_i >= 1/2: no step can
/// amplify anything. Where J is symmetric, so is M, and the sum of x is conserved. The papers' values come
/// from cardiac data that is not public; neither their traffic nor their time depends on them.
/// @param columns  as from columns_within_two_faces(), for tetrahedra numbered like `centroids`
/// @throws InputError if two neighbours have the same centroid
EllpackMatrix diffusion_matrix(std::span<const Point> centroids, std::vector<std::int32_t> columns);

}  // namespace finegrain::problem
