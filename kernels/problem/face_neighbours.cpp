// SPDX-License-Identifier: MIT
#include "kernels/problem/face_neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

/// Face number 4 * tet + f: the face opposite to the tetrahedron's vertex f.
using Face = std::uint32_t;

std::array<std::int32_t, 3> sorted_vertices(const TetMesh& mesh, Face face) {
  const Tet& tet = mesh.tets[face / 4];
  std::array<std::int32_t, 3> vertices{tet[(face + 1) % 4], tet[(face + 2) % 4], tet[(face + 3) % 4]};
  std::sort(vertices.begin(), vertices.end());
  return vertices;
}

std::int32_t smallest_vertex(const Tet& tet, std::size_t f) {
  return std::min({tet[(f + 1) % 4], tet[(f + 2) % 4], tet[(f + 3) % 4]});
}

void check(const TetMesh& mesh) {
  if (mesh.tets.size() > static_cast<std::size_t>(max_tets)) {
    throw InputError("mesh",
                     fmt::format("{} tetrahedra (at most {} can be handled)", mesh.tets.size(), max_tets));
  }
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    Tet sorted = mesh.tets[t];
    std::sort(sorted.begin(), sorted.end());
    if (sorted[0] < 0 || static_cast<std::size_t>(sorted[3]) >= mesh.vertices.size()) {
      throw InputError("mesh", fmt::format("tetrahedron {} has vertex {} (there are {} vertices)", t,
                                           sorted[0] < 0 ? sorted[0] : sorted[3], mesh.vertices.size()));
    }
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
      throw InputError("mesh", fmt::format("tetrahedron {} has vertex {} twice", t, *twice));
    }
  }
}

/// Faces sorted by their smallest vertex.
struct Buckets {
  std::vector<std::int64_t> begin;  ///< shape [vertices + 1]
  std::vector<Face> faces;          ///< shape [4 * tets]
};

/// Counting sort.
Buckets by_smallest_vertex(const TetMesh& mesh) {
  Buckets buckets{std::vector<std::int64_t>(mesh.vertices.size() + 1),
                  std::vector<Face>(4 * mesh.tets.size())};
  for (const Tet& tet : mesh.tets) {
    for (std::size_t f = 0; f < 4; ++f)
      ++buckets.begin[static_cast<std::size_t>(smallest_vertex(tet, f))];
  }
  std::int64_t end = 0;
  for (std::int64_t& entry : buckets.begin) {
    end += entry;
    entry = end;
  }
  // From the back, so that a bucket's end moves down to its beginning and its faces stay in ascending order.
  for (std::size_t t = mesh.tets.size(); t-- > 0;) {
    for (std::size_t f = 4; f-- > 0;) {
      const auto vertex = static_cast<std::size_t>(smallest_vertex(mesh.tets[t], f));
      buckets.faces[static_cast<std::size_t>(--buckets.begin[vertex])] = static_cast<Face>(4 * t + f);
    }
  }
  return buckets;
}

struct KeyedFace {
  std::int32_t middle_vertex;
  std::int32_t largest_vertex;
  Face face;

  bool same_vertices(const KeyedFace& other) const {
    return middle_vertex == other.middle_vertex && largest_vertex == other.largest_vertex;
  }
  bool operator<(const KeyedFace& other) const {
    return std::tie(middle_vertex, largest_vertex, face) <
           std::tie(other.middle_vertex, other.largest_vertex, other.face);
  }
};

/// Sorts the faces of one smallest vertex, so that equal ones are next to each other.
void sort_bucket(const TetMesh& mesh, std::span<const Face> faces, std::vector<KeyedFace>& sorted) {
  sorted.clear();
  for (const Face face : faces) {
    const auto vertices = sorted_vertices(mesh, face);
    sorted.push_back({vertices[1], vertices[2], face});
  }
  std::sort(sorted.begin(), sorted.end());
}

/// The first of three consecutive entries that are the same face, or sorted.end().
auto threefold(const std::vector<KeyedFace>& sorted) {
  return std::adjacent_find(sorted.begin(), sorted.end(), [&](const KeyedFace& a, const KeyedFace& b) {
    return a.same_vertices(b) && &b != &sorted.back() && b.same_vertices(*(&b + 1));
  });
}

[[noreturn]] void fail_threefold(const TetMesh& mesh, std::span<const Face> faces) {
  std::vector<KeyedFace> sorted;
  sort_bucket(mesh, faces, sorted);
  const auto found = threefold(sorted);
  throw InputError(
      "mesh",
      fmt::format("tetrahedra {}, {} and {} share one face (only two can; the first is number 0)",
                  found->face / 4, (found + 1)->face / 4, (found + 2)->face / 4),
      "Repair the mesh");
}

/// A neighbour across two faces, if there is one: the two tetrahedra then have all their vertices in common.
std::int32_t neighbour_twice(const std::array<std::int32_t, 4>& neighbours) {
  for (std::size_t f = 0; f < 4; ++f) {
    if (neighbours[f] != no_neighbour && std::count(neighbours.begin(), neighbours.end(), neighbours[f]) > 1)
      return neighbours[f];
  }
  return no_neighbour;
}

void check_none_twice(const FaceNeighbours& neighbours) {
  std::size_t first = neighbours.size();
#pragma omp parallel for reduction(min : first)
  for (std::size_t t = 0; t < neighbours.size(); ++t) {
    if (neighbour_twice(neighbours[t]) != no_neighbour) first = std::min(first, t);
  }
  if (first == neighbours.size()) return;
  throw InputError("mesh",
                   fmt::format("tetrahedra {} and {} have the same four vertices (the first is number 0)",
                               first, neighbour_twice(neighbours[first])),
                   "Repair the mesh");
}

}  // namespace

FaceNeighbours face_neighbours(const TetMesh& mesh) {
  check(mesh);
  const Buckets buckets = by_smallest_vertex(mesh);
  const auto bucket = [&](std::size_t vertex) {
    return std::span(buckets.faces)
        .subspan(static_cast<std::size_t>(buckets.begin[vertex]),
                 static_cast<std::size_t>(buckets.begin[vertex + 1] - buckets.begin[vertex]));
  };
  FaceNeighbours neighbours(mesh.tets.size(), {no_neighbour, no_neighbour, no_neighbour, no_neighbour});
  std::size_t first_threefold = mesh.vertices.size();
#pragma omp parallel reduction(min : first_threefold)
  {
    std::vector<KeyedFace> sorted;
#pragma omp for schedule(static)
    for (std::size_t vertex = 0; vertex < mesh.vertices.size(); ++vertex) {
      sort_bucket(mesh, bucket(vertex), sorted);
      if (threefold(sorted) != sorted.end()) first_threefold = std::min(first_threefold, vertex);
      for (std::size_t i = 1; i < sorted.size(); ++i) {
        const KeyedFace& a = sorted[i - 1];
        const KeyedFace& b = sorted[i];
        if (!a.same_vertices(b)) continue;
        neighbours[a.face / 4][a.face % 4] = static_cast<std::int32_t>(b.face / 4);
        neighbours[b.face / 4][b.face % 4] = static_cast<std::int32_t>(a.face / 4);
      }
    }
  }
  if (first_threefold < mesh.vertices.size()) fail_threefold(mesh, bucket(first_threefold));
  check_none_twice(neighbours);
  return neighbours;
}

}  // namespace finegrain::problem
