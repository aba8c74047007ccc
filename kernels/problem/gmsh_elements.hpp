// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace finegrain::problem {

/// Nodes of an element of one of Gmsh's types; none if there is no such type or if it has no fixed number.
/// Source: gmsh::model::mesh::getElementProperties() of Gmsh 4.8.4; where that knows none, the numbers in the
/// names of its types (MSH_PRI_40, type 90, has 40 nodes).
std::optional<int> gmsh_element_nodes(std::int64_t type);

/// Tetrahedra of any order. Their first four nodes are the corners.
bool is_gmsh_tetrahedron(std::int64_t type);

/// The shape of volume elements that are no tetrahedra, e.g. "prisms"; empty for any other type.
std::string_view other_gmsh_volume(std::int64_t type);

}  // namespace finegrain::problem
