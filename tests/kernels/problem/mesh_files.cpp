// SPDX-License-Identifier: MIT
#include "tests/kernels/problem/mesh_files.hpp"

#include <fmt/format.h>

#include <array>

namespace finegrain::test {
namespace {

template <typename T>
std::string bytes_of(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// Numbers one after the other: as a line, or as bytes of the types given.
template <typename... T>
std::string record(Content content, T... numbers) {
  if (content == Content::bytes) return (bytes_of(numbers) + ...);
  std::string line = (fmt::format("{} ", numbers) + ...);
  line.back() = '\n';
  return line;
}

std::string format_section(const char* version, Content content) {
  return fmt::format("$MeshFormat\n{} {} 8\n", version, content == Content::text ? 0 : 1) +
         (content == Content::text ? "" : bytes_of(1) + "\n") + "$EndMeshFormat\n";
}

}  // namespace

problem::TetMesh cube(int cells) {
  problem::TetMesh mesh;
  const auto vertex = [&](int x, int y, int z) { return (x * (cells + 1) + y) * (cells + 1) + z; };
  for (int x = 0; x <= cells; ++x) {
    for (int y = 0; y <= cells; ++y) {
      for (int z = 0; z <= cells; ++z)
        mesh.vertices.push_back({1. * x / cells, 1. * y / cells, 1. * z / cells});
    }
  }
  // The way from a corner to the opposite one along the three axes, in each order.
  constexpr std::array<std::array<int, 3>, 6> ways{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (int cell = 0; cell < cells * cells * cells; ++cell) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      std::array<int, 3> at{cell / (cells * cells), cell / cells % cells, cell % cells};
      problem::Tet tet{vertex(at[0], at[1], at[2])};
      for (std::size_t step = 0; step < 3; ++step) {
        ++at[static_cast<std::size_t>(ways[w][step])];
        tet[step + 1] = vertex(at[0], at[1], at[2]);
      }
      if (w >= 3) std::swap(tet[2], tet[3]);  // odd permutations of the axes are turned the other way
      mesh.tets.push_back(tet);
    }
  }
  return mesh;
}

std::string tetgen_nodes(const problem::TetMesh& mesh, int first) {
  std::string text = fmt::format("# x y z\n{} 3 0 0\n", mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const problem::Point& at = mesh.vertices[v];
    text += fmt::format("{} {} {} {}\n", v + static_cast<std::size_t>(first), at.x, at.y, at.z);
  }
  return text;
}

std::string tetgen_tets(const problem::TetMesh& mesh, int first) {
  std::string text = fmt::format("{} 4 0\n", mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const problem::Tet& tet = mesh.tets[t];
    text += fmt::format("{} {} {} {} {}\n", t + static_cast<std::size_t>(first), tet[0] + first,
                        tet[1] + first, tet[2] + first, tet[3] + first);
  }
  return text;
}

std::string gmsh_2_2(const problem::TetMesh& mesh, Content content) {
  std::string text = format_section("2.2", content) +
                     "$PhysicalNames\n1\n3 1 \"heart\"\n$EndPhysicalNames\n" +
                     fmt::format("$Nodes\n{}\n", mesh.vertices.size());
  int number = 0;
  for (const problem::Point& at : mesh.vertices)
    text += record(content, ++number, at.x, at.y, at.z);
  text +=
      fmt::format("{}$EndNodes\n$Elements\n{}\n", content == Content::text ? "" : "\n", mesh.tets.size() + 1);
  // A triangle (type 2), then the tetrahedra (type 4), with two tags each.
  if (content == Content::bytes) text += record(content, 2, 1, 2, 1, 7, 7, 1, 2, 3);
  if (content == Content::text) text += record(content, 1, 2, 2, 7, 7, 1, 2, 3);
  if (content == Content::bytes) text += record(content, 4, static_cast<int>(mesh.tets.size()), 2);
  number = 1;
  for (const problem::Tet& tet : mesh.tets) {
    ++number;
    text += content == Content::bytes ? record(content, number, 1, 1) : fmt::format("{} 4 2 1 1 ", number);
    text += record(content, tet[0] + 1, tet[1] + 1, tet[2] + 1, tet[3] + 1);
  }
  return text + (content == Content::text ? "" : "\n") + "$EndElements\n$NodeData\n0\n$EndNodeData\n";
}

std::string gmsh_4_1(const problem::TetMesh& mesh, Content content, std::uint64_t gap) {
  const std::uint64_t vertices = mesh.vertices.size();
  const std::uint64_t tets = mesh.tets.size();
  const std::uint64_t one = 1;
  const auto number = [gap](std::size_t v) { return (v + 1) * gap; };
  std::string text = format_section("4.1", content) + "$Entities\nnot of interest\n$EndEntities\n$Nodes\n";
  text += record(content, 2 * one, vertices, gap, number(vertices - 1));
  // The first node on a surface, with its coordinates there; the others in the volume.
  text += record(content, 2, 1, 1, one) + record(content, number(0));
  text += record(content, mesh.vertices[0].x, mesh.vertices[0].y, mesh.vertices[0].z, 0.5, 0.25);
  text += record(content, 3, 1, 0, vertices - 1);
  for (std::size_t v = 1; v < vertices; ++v)
    text += record(content, number(v));
  for (std::size_t v = 1; v < vertices; ++v)
    text += record(content, mesh.vertices[v].x, mesh.vertices[v].y, mesh.vertices[v].z);
  text += std::string(content == Content::text ? "" : "\n") + "$EndNodes\n$Elements\n";
  text += record(content, 2 * one, tets + 1, one, tets + 1);
  text += record(content, 2, 1, 2, one) + record(content, one, number(0), number(1), number(2));
  text += record(content, 3, 1, 4, tets);
  for (std::size_t t = 0; t < tets; ++t) {
    const auto corner = [&](std::size_t c) { return number(static_cast<std::size_t>(mesh.tets[t][c])); };
    text += record(content, one + 1 + t, corner(0), corner(1), corner(2), corner(3));
  }
  return text + (content == Content::text ? "" : "\n") + "$EndElements\n";
}

std::string gmsh_4_0(const problem::TetMesh& mesh, Content content, int parts) {
  const std::uint64_t vertices = mesh.vertices.size();
  const std::uint64_t tets = mesh.tets.size();
  const std::uint64_t one = 1;
  const std::uint64_t none = 0;
  const std::string end = content == Content::text ? "" : "\n";
  std::string text = format_section("4", content) + "$PartitionedEntities\n";
  // Parts; ghost entities: volume 9 has copies of part 2's elements; a point and two volumes.
  text += record(content, parts) + record(content, 1) + record(content, 9, 2);
  text += record(content, one, none, none, 2 * one);
  const double box = 0.5;
  text += record(content, 3, 0, 3, 2, 1, 2, box, box, box, box, box, box, none);
  text += record(content, 5, 3, 1, 1, 1, box, box, box, box, box, box, one, 7, one, 4);
  text += record(content, 6, 3, 1, 1, 2, box, box, box, box, box, box, none, none);
  text += end + "$EndPartitionedEntities\n$Nodes\n" + record(content, one, vertices) +
          record(content, 1, 2, 1, vertices);
  int number = 0;
  for (const problem::Point& at : mesh.vertices)
    text += record(content, ++number, at.x, at.y, at.z, 0.5, 0.25);
  text += end + "$EndNodes\n$Elements\n" + record(content, 3 * one, tets + 2);
  text += record(content, 1, 2, 2, one) + record(content, 1, 1, 2, 3);
  text += record(content, 5, 3, 4, tets);
  number = 1;
  for (const problem::Tet& tet : mesh.tets)
    text += record(content, ++number, tet[0] + 1, tet[1] + 1, tet[2] + 1, tet[3] + 1);
  text += record(content, 9, 3, 4, one) + record(content, ++number, 1, 2, 3, 8);
  return text + end + "$EndElements\n";
}

std::string matrix_market(const problem::EllpackView& matrix) {
  std::string entries;
  std::int64_t count = 0;
  const auto add = [&](std::int64_t row, std::int64_t column, double value) {
    entries += fmt::format("{} {} {}\n", row + 1, column + 1, value);
    ++count;
  };
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    add(row, row, matrix.diagonal[static_cast<std::size_t>(row)]);
    for (auto e = static_cast<std::size_t>(row * matrix.r_nz);
         e < static_cast<std::size_t>((row + 1) * matrix.r_nz); ++e) {
      if (matrix.columns[e] != row) add(row, matrix.columns[e], matrix.values[e]);
    }
  }
  return fmt::format("%%MatrixMarket matrix coordinate real general\n% made by a test\n\n{} {} {}\n",
                     matrix.rows, matrix.rows, count) +
         entries;
}

std::filesystem::path sample(const std::string& name) {
  return std::filesystem::path(FINEGRAIN_SAMPLES) / name;
}

}  // namespace finegrain::test
