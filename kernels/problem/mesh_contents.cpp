// SPDX-License-Identifier: MIT
#include "kernels/problem/mesh_contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
namespace finegrain::problem {
namespace {

using Vertices = std::array<std::int32_t, 4>;

Vertices sorted(Tet tet) {
  std::sort(tet.begin(), tet.end());
  return tet;
}

/// The numbers of the tetrahedra by their smallest vertex; those of one vertex stand next to each other, in
/// ascending order. Shape of `begin`: [vertices + 1]
struct BySmallestVertex {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> tets;

  explicit BySmallestVertex(const TetMesh& mesh) : begin(mesh.vertices.size() + 1), tets(mesh.tets.size()) {
    const auto bucket = [&](std::size_t tet) {
      return static_cast<std::size_t>(*std::min_element(mesh.tets[tet].begin(), mesh.tets[tet].end()));
    };
    for (std::size_t tet = 0; tet < tets.size(); ++tet)
      ++begin[bucket(tet)];
    std::int64_t end = 0;
    for (std::int64_t& entry : begin) {
      end += entry;
      entry = end;
    }
    for (std::size_t tet = tets.size(); tet-- > 0;)
      tets[static_cast<std::size_t>(--begin[bucket(tet)])] = static_cast<std::int32_t>(tet);
  }
};

/// Marks the tetrahedra of one smallest vertex that have the vertices of an earlier one.
void mark_repeated(const TetMesh& mesh, std::span<const std::int32_t> tets, std::vector<char>& is_repeated) {
  std::vector<std::pair<Vertices, std::int32_t>> keyed;
  for (const std::int32_t tet : tets)
    keyed.emplace_back(sorted(mesh.tets[static_cast<std::size_t>(tet)]), tet);
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 1; i < keyed.size(); ++i)
    if (keyed[i].first == keyed[i - 1].first) is_repeated[static_cast<std::size_t>(keyed[i].second)] = 1;
}

/// "52 prisms", "8 hexahedra and 4 pyramids"
std::string counted(const std::map<std::string, std::int64_t>& shapes) {
  std::vector<std::string> parts;
  for (const auto& [shape, count] : shapes) {
    // "1 prism", "1 pyramid", "1 hexahedron"
    const std::string one = shape.ends_with("hedra") ? shape.substr(0, shape.size() - 1) + "on"
                                                     : shape.substr(0, shape.size() - 1);
    parts.push_back(fmt::format("{} {}", count, count == 1 ? one : shape));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

/// "part 1 of 3", "parts 1, 2 of at least 4", "part 1 of several"
std::string named(const MeshParts& parts) {
  std::string of = fmt::format("{}{}", parts.all_are_known ? "" : "at least ", parts.largest);
  if (parts.largest == 1) of = "several";
  constexpr std::size_t most_named = 4;
  if (parts.present.empty()) return fmt::format("none of {} parts", of);
  if (parts.present.size() > most_named) return fmt::format("{} parts of {}", parts.present.size(), of);
  return fmt::format("{} {} of {}", parts.present.size() == 1 ? "part" : "parts",
                     fmt::join(parts.present, ", "), of);
}

}  // namespace

bool MeshParts::may_be_whole() const {
  return !all_are_known && largest == 1;
}

bool MeshParts::is_incomplete() const {
  // One part of a mesh that has only one would not be numbered.
  if (may_be_whole()) return true;
  return static_cast<std::int64_t>(present.size()) < largest;
}

std::int64_t remove_repeated(TetMesh& mesh) {
  const BySmallestVertex buckets(mesh);
  std::vector<char> is_repeated(mesh.tets.size());
#pragma omp parallel for schedule(static)
  for (std::size_t vertex = 0; vertex < mesh.vertices.size(); ++vertex) {
    const auto begin = static_cast<std::size_t>(buckets.begin[vertex]);
    const auto end = static_cast<std::size_t>(buckets.begin[vertex + 1]);
    if (end - begin > 1)
      mark_repeated(mesh, std::span(buckets.tets).subspan(begin, end - begin), is_repeated);
  }
  std::size_t kept = 0;
  for (std::size_t tet = 0; tet < mesh.tets.size(); ++tet)
    if (is_repeated[tet] == 0) mesh.tets[kept++] = mesh.tets[tet];
  const auto removed = static_cast<std::int64_t>(mesh.tets.size() - kept);
  mesh.tets.resize(kept);
  return removed;
}

std::string in_few_words(const MeshRemarks& remarks) {
  std::string words;
  if (!remarks.left_out.empty()) words += fmt::format(", without {}", counted(remarks.left_out));
  if (remarks.parts.is_incomplete()) words += fmt::format(", {}", named(remarks.parts));
  return words;
}

std::vector<std::string> sentences(const MeshRemarks& remarks, const std::string& file) {
  std::vector<std::string> result;
  if (!remarks.left_out.empty()) {
    result.push_back(
        fmt::format("{}: {} {} left out, because only tetrahedra are used", file, counted(remarks.left_out),
                    remarks.left_out.size() == 1 && remarks.left_out.begin()->second == 1 ? "is" : "are"));
  }
  if (remarks.parts.is_incomplete()) {
    result.push_back(fmt::format(
        "{} {} of a mesh, and {} left out{}. Give the file of the whole "
        "mesh, if that is meant",
        file, (remarks.parts.may_be_whole() ? "may be " : "is ") + named(remarks.parts),
        remarks.parts.may_be_whole() ? "others, if there are any, are" : "the others are",
        remarks.ghosts == 0 ? "" : fmt::format(" (of which it has {} tetrahedra)", remarks.ghosts)));
  }
  if (remarks.repeated > 0) {
    result.push_back(fmt::format(
        "{}: {} the same four vertices as an earlier one, e.g. because a tetrahedron is in several "
        "physical groups. Each is read once",
        file,
        remarks.repeated == 1 ? "1 tetrahedron has" : fmt::format("{} tetrahedra have", remarks.repeated)));
  }
  return result;
}

}  // namespace finegrain::problem
