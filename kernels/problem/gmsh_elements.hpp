// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace finegrain::problem {

/// Nodes of an element of one of Gmsh's types; none if there is no such type or if it has no fixed number.
/// Source: gmsh::model::mesh::getElementProperties() of Gmsh 4.8.4.
std::optional<int> gmsh_element_nodes(std::int64_t type);

/// Tetrahedra of any order. Their first four nodes are the corners.
bool is_gmsh_tetrahedron(std::int64_t type);

}  // namespace finegrain::problem
