// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/problem/tetrahedral_mesh.hpp"

namespace finegrain::problem {

/// The idealized left ventricle: the wall between two ellipsoids of revolution about the z axis, apex down,
/// cut off by a plane at the base. It stands in for the papers' meshes of a human left ventricle, which are
/// not public.
namespace left_ventricle_shape {
inline constexpr double endocardium_radius_mm = 7.0;
inline constexpr double endocardium_half_length_mm = 17.0;
inline constexpr double epicardium_radius_mm = 10.0;
inline constexpr double epicardium_half_length_mm = 20.0;
inline constexpr double base_mm = 5.0;  ///< z of the plane that cuts both
}  // namespace left_ventricle_shape

/// Hexahedra before they are cut: seen from the base, a square block of block x block in the middle and
/// `rings` rings of 4 * block around it (an O-grid), each through `layers` layers of the wall.
struct LeftVentricleGrid {
  std::int64_t block = 1;
  std::int64_t rings = 1;
  std::int64_t layers = 1;

  std::int64_t columns() const { return block * block + 4 * block * rings; }
  std::int64_t hexahedra() const { return columns() * layers; }
};

/// The grid of nearly cubic hexahedra that holds at least `tets` tetrahedra, with less than one ring to spare
/// (from 1,000 on).
/// @throws InputError if tets < 1, or more than face_neighbours() can take
LeftVentricleGrid left_ventricle_grid(std::int64_t tets);

/// A mesh of exactly `tets` tetrahedra: left_ventricle_grid(tets), every hexahedron cut into six, numbered
/// from the apex to the base; the last ring is left incomplete where it would be too many. Two hexahedra cut
/// their common face along the same diagonal, the one that starts at its vertex of highest priority, and
/// priorities are random, so the mesh is conforming and has no preferred direction.
/// @param seed  the priorities follow from it; the same seed gives the same mesh
/// @throws InputError as left_ventricle_grid()
TetMesh left_ventricle(std::int64_t tets, std::uint64_t seed);

}  // namespace finegrain::problem
