// SPDX-License-Identifier: MIT
#include "kernels/problem/gmsh_elements.hpp"

#include <algorithm>
#include <array>

namespace finegrain::problem {
namespace {

/// Number of nodes by type; 0 where there is no such type or no fixed number.
constexpr std::array<std::int16_t, 141> nodes_of{
    0,   2,   3,   4,   4,   8,   6,  5,  3,   6,   9,   10,  27,  18,  14,   1,  8,   20,  15,  13,  9,
    10,  12,  15,  15,  21,  4,   5,  6,  20,  35,  56,  22,  28,  0,   0,    16, 25,  36,  12,  16,  20,
    28,  36,  45,  55,  66,  49,  64, 81, 100, 121, 18,  21,  24,  27,  30,   24, 28,  32,  36,  40,  7,
    8,   9,   10,  11,  0,   0,   0,  0,  84,  120, 165, 220, 286, 0,   0,    0,  34,  40,  46,  52,  58,
    1,   1,   1,   1,   1,   1,   40, 75, 64,  125, 216, 343, 512, 729, 1000, 32, 44,  56,  68,  80,  92,
    104, 126, 196, 288, 405, 550, 24, 33, 42,  51,  60,  69,  78,  30,  55,   91, 140, 204, 285, 385, 21,
    29,  37,  45,  53,  61,  69,  1,  0,  0,   0,   0,   16,  4,   5,   4};

constexpr std::array<std::int64_t, 19> tetrahedra{4,  11, 29, 30, 31, 32, 33, 71,  72, 73,
                                                  74, 75, 79, 80, 81, 82, 83, 137, 139};

/// Consecutive types of one shape.
struct Types {
  std::int64_t first;
  std::int64_t last;
  const char* shape;
};

constexpr std::array<Types, 13> other_volumes{{{5, 5, "hexahedra"},
                                               {12, 12, "hexahedra"},
                                               {17, 17, "hexahedra"},
                                               {92, 105, "hexahedra"},
                                               {6, 6, "prisms"},
                                               {13, 13, "prisms"},
                                               {18, 18, "prisms"},
                                               {90, 91, "prisms"},
                                               {106, 117, "prisms"},
                                               {7, 7, "pyramids"},
                                               {14, 14, "pyramids"},
                                               {19, 19, "pyramids"},
                                               {118, 132, "pyramids"}}};

}  // namespace

std::optional<int> gmsh_element_nodes(std::int64_t type) {
  if (type < 0 || type >= static_cast<std::int64_t>(nodes_of.size())) return std::nullopt;
  const int nodes = nodes_of[static_cast<std::size_t>(type)];
  return nodes == 0 ? std::nullopt : std::optional(nodes);
}

bool is_gmsh_tetrahedron(std::int64_t type) {
  return std::find(tetrahedra.begin(), tetrahedra.end(), type) != tetrahedra.end();
}

std::string_view other_gmsh_volume(std::int64_t type) {
  const auto found = std::find_if(other_volumes.begin(), other_volumes.end(), [type](const Types& types) {
    return types.first <= type && type <= types.last;
  });
  return found == other_volumes.end() ? std::string_view() : found->shape;
}

}  // namespace finegrain::problem
