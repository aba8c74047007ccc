// SPDX-License-Identifier: MIT
#include "kernels/problem/oriented_tet.hpp"

#include <fmt/format.h>

#include <utility>

namespace finegrain::problem {
namespace {

Point difference(const Point& a, const Point& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

bool has_repeated_vertex(const Tet& tet) {
  return tet[0] == tet[1] || tet[0] == tet[2] || tet[0] == tet[3] || tet[1] == tet[2] || tet[1] == tet[3] ||
         tet[2] == tet[3];
}

}  // namespace

Tet oriented_tet(const std::vector<Point>& vertices, Tet tet, const TextReader& text) {
  if (has_repeated_vertex(tet)) text.fail("a tetrahedron has a vertex twice. Repair the mesh");
  const auto vertex = [&](std::size_t i) { return vertices[static_cast<std::size_t>(tet[i])]; };
  const Point a = difference(vertex(1), vertex(0));
  const Point b = difference(vertex(2), vertex(0));
  const Point c = difference(vertex(3), vertex(0));
  const double six_volumes =
      c.x * (a.y * b.z - a.z * b.y) + c.y * (a.z * b.x - a.x * b.z) + c.z * (a.x * b.y - a.y * b.x);
  if (six_volumes < 0) std::swap(tet[2], tet[3]);
  if (!(six_volumes < 0 || six_volumes > 0))
    text.fail("a tetrahedron has no volume (its vertices lie in one plane). Repair the mesh");
  return tet;
}

}  // namespace finegrain::problem
