// SPDX-License-Identifier: MIT
#include "kernels/problem/gmsh_reader.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <map>

#include "tests/kernels/problem/mesh_files.hpp"
#include "tests/kernels/problem/temporary_folder.hpp"
#include "traces/io/input_error.hpp"

namespace finegrain::problem {
namespace {

using Catch::Contains;
using test::Content;

MeshContents contents_of(const std::string& bytes) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "m.msh", bytes);
  return read_gmsh(folder / "m.msh");
}

TetMesh read(const std::string& bytes) {
  return contents_of(bytes).mesh;
}

void require_refused(const std::string& bytes, const std::string& where, const std::string& problem) {
  CAPTURE(bytes);
  REQUIRE_THROWS_AS(read(bytes), InputError);
  REQUIRE_THROWS_WITH(read(bytes), Contains("/m.msh:" + where + ": ") && Contains(problem));
}

const std::string format_2_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string nodes_2_2 = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";

std::string elements_2_2(const std::string& lines) {
  return "$Elements\n" + lines + "$EndElements\n";
}

TEST_CASE("Gmsh 2.2: elements of other shapes and orders, with any number of tags, stand beside tetrahedra") {
  const TetMesh mesh =
      read(format_2_2 + "$Nodes\n5\n40 0 0 0\n20 1 0 0\n30 0 1 0\n10 0 0 1\n50 1 1 1\n$EndNodes\n" +
           elements_2_2("5\n1 15 2 0 1 40\n2 4 0 40 20 30 10\n3 2 4 1 1 1 1 40 20 30\n"
                        "4 5 0 1 2 3 4 5 6 7 8\n5 11 1 9 20 30 10 50 1 2 3 4 5 6\n"));
  REQUIRE(mesh.vertices.size() == 5);
  REQUIRE(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}, {1, 2, 3, 4}});
}

TEST_CASE("Gmsh: what is wrong is named by file and line") {
  const std::string tet = elements_2_2("1\n1 4 2 1 1 1 2 3 4\n");
  REQUIRE(read(format_2_2 + nodes_2_2 + tet).tets.size() == 1);
  require_refused("", "1", "no $MeshFormat");
  require_refused("solid\n", "1", "does not begin with $MeshFormat");
  require_refused("$MeshFormat\n3 0 8\n$EndMeshFormat\n", "2", "MSH 3 (versions 2, 4.0 and 4.1 are read)");
  require_refused("$NOD\n1\n1 0 0 0\n$ENDNOD\n", "1", "MSH 1 (versions 2, 4.0 and 4.1 are read)");
  require_refused("$MeshFormat\n2.2 1 4\n$EndMeshFormat\n", "2", "numbers of 4 bytes");
  require_refused(nodes_2_2 + tet, "1", "$Nodes before $MeshFormat");
  require_refused(format_2_2 + tet, "4", "$Elements before $Nodes");
  require_refused(format_2_2, "3", "no nodes");
  require_refused(format_2_2 + nodes_2_2, "10", "no tetrahedra");
  require_refused(format_2_2 + nodes_2_2 + elements_2_2("1\n1 2 0 1 2 3\n"), "14", "no tetrahedra");
  require_refused(format_2_2 + "$Nodes\n2\n1 0 0 0\n2 0 nan 0\n$EndNodes\n" + tet, "7",
                  "y coordinate is nan");
  require_refused(format_2_2 + "$Nodes\n2\n1 0 0 0\n1 0 1 0\n$EndNodes\n" + tet, "8",
                  "two nodes have the number 1");
  require_refused(format_2_2 + "$Nodes\n3\n1 0 0 0\n2 0 1 0\n$EndNodes\n" + tet, "8", "a wrong count");
  require_refused(format_2_2 + "$Nodes\n1\n1 0 0 0\n2 0 1 0\n$EndNodes\n" + tet, "7",
                  "$EndNodes belongs here");
  require_refused(format_2_2 + nodes_2_2 + elements_2_2("1\n1 4 2 1 1 1 2 3 5\n"), "13",
                  "node 5 is not in the mesh");
  require_refused(format_2_2 + nodes_2_2 + elements_2_2("1\n1 4 2 1 1 1 2 3\n"), "13", "missing");
  require_refused(format_2_2 + nodes_2_2 + elements_2_2("1\n1 4 2 1 1 1 2 3 1\n"), "13", "a vertex twice");
  require_refused(format_2_2 + nodes_2_2 + elements_2_2("1\n1 34 2 1 1 1 2 3 1\n"), "13", "type 34");
  require_refused(format_2_2 + nodes_2_2 + "$Elements\n1\n1 4 2 1 1 1 2 3 4\n", "13", "$EndElements");
  require_refused(format_2_2 + nodes_2_2 + tet + "$NodeData\n1\n", "15", "no $EndNodeData follows");
}

TEST_CASE("Gmsh 2.2: nodes may have coordinates on their entity, which are passed over") {
  const std::string nodes =
      "$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 4 0.5\n3 0 1 0 2 9 0.5 0.25\n4 0 0 1 3 "
      "1\n$EndParametricNodes\n";
  const TetMesh mesh = read(format_2_2 + nodes + elements_2_2("1\n1 4 2 1 1 1 2 3 4\n"));
  REQUIRE(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}});
  REQUIRE(mesh.vertices[2].y == 1);
}

TEST_CASE("Gmsh: a tetrahedron that is in two physical groups is read once") {
  const MeshContents contents = contents_of(
      format_2_2 + "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n" +
      elements_2_2("4\n1 4 2 1 1 1 2 3 4\n2 4 2 2 1 2 1 3 4\n3 4 2 1 1 2 3 4 5\n4 4 2 2 1 5 3 2 4\n"));
  REQUIRE(contents.mesh.tets == std::vector<Tet>{{0, 1, 2, 3}, {1, 2, 3, 4}});
  REQUIRE(contents.remarks.repeated == 2);
}

TEST_CASE("Gmsh: volume elements of other shapes are counted, and surfaces are not") {
  const std::string nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
  const std::string others =
      "1 6 2 1 1 1 2 3 4 1 2\n2 13 2 1 1 1 2 3 4 1 2 1 2 3 4 1 2 1 2 3 4 1 2\n3 5 2 1 1 1 2 3 4 1 2 3 4\n"
      "4 7 2 1 1 1 2 3 4 1\n5 2 2 1 1 1 2 3\n6 3 2 1 1 1 2 3 4\n7 90 0";
  std::string forty;
  for (int i = 0; i < 40; ++i)
    forty += " 1";
  const MeshContents contents =
      contents_of(format_2_2 + nodes + elements_2_2("8\n" + others + forty + "\n8 4 2 1 1 1 2 3 4\n"));
  const std::map<std::string, std::int64_t> expected{{"hexahedra", 1}, {"prisms", 3}, {"pyramids", 1}};
  REQUIRE(contents.remarks.left_out == expected);
  REQUIRE(in_few_words(contents.remarks) == ", without 1 hexahedron and 3 prisms and 1 pyramid");
  require_refused(format_2_2 + nodes + elements_2_2("1\n1 6 2 1 1 1 2 3 4 1 2\n"), "14",
                  "no tetrahedra, but prisms");
}

TEST_CASE("Gmsh 2.2: a file with some parts of a mesh says so, and one with all does not") {
  const std::string nodes = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n";
  const auto words = [&](const std::string& first, const std::string& second) {
    return in_few_words(
        contents_of(format_2_2 + nodes +
                    elements_2_2("2\n1 4 " + first + " 1 2 3 4\n2 4 " + second + " 2 3 4 5\n"))
            .remarks);
  };
  CHECK(words("2 1 1", "2 1 1").empty());
  CHECK(words("4 1 1 1 1", "4 1 1 1 2").empty());
  CHECK(words("4 1 1 1 2", "4 1 1 1 2") == ", part 2 of at least 2");
  CHECK(words("4 1 1 1 1", "4 1 1 1 1") == ", part 1 of several");
  CHECK(words("5 1 1 2 1 -3", "4 1 1 1 2") == ", parts 1, 2 of at least 3");
}

TEST_CASE("Gmsh 4.0: a file with one part of a mesh says so, and leaves copies of other parts out") {
  for (const Content content : {Content::text, Content::bytes}) {
    const MeshContents part = contents_of(test::gmsh_4_0(test::cube(1), content, 3));
    REQUIRE(part.mesh.tets.size() == 6);
    REQUIRE(part.remarks.ghosts == 1);
    REQUIRE(in_few_words(part.remarks) == ", part 1 of 3");
    REQUIRE(in_few_words(contents_of(test::gmsh_4_0(test::cube(1), content, 1)).remarks).empty());
  }
}

TEST_CASE("Gmsh: text may name any size of its numbers") {
  for (const std::string format : {"2.2 0 4", "4.1 0 4", "4.1 0 8"}) {
    std::string text = format[0] == '2' ? test::gmsh_2_2(test::cube(1), Content::text)
                                        : test::gmsh_4_1(test::cube(1), Content::text);
    const std::size_t line = text.find('\n') + 1;
    text.replace(line, text.find('\n', line) - line, format);
    CHECK(read(text).tets.size() == 6);
  }
}

TEST_CASE("Gmsh: counts that the file cannot hold are refused before memory is asked for") {
  require_refused(format_2_2 + "$Nodes\n4000000000000\n1 0 0 0\n", "5", "a wrong count");
  require_refused(format_2_2 + nodes_2_2 + "$Elements\n2000000000\n", "12", "a wrong count");
  const std::string format_4_1 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  require_refused(format_4_1 + "$Nodes\n1 4000000000000 1 1\n", "5", "a wrong count");
  require_refused(format_4_1 + "$Nodes\n1 1 1 1\n3 1 0 9000000000000000000\n1\n0 0 0\n$EndNodes\n", "6",
                  "a block of 9000000000000000000 nodes");
  require_refused(format_4_1 + "$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", "8",
                  "the blocks hold 1 nodes (the section promises 2)");
}

template <typename T>
void put(std::string& bytes, std::size_t at, T number) {
  bytes.replace(at, sizeof number, reinterpret_cast<const char*>(&number), sizeof number);
}

TEST_CASE("Gmsh binary: what is wrong is named by file and byte") {
  const std::string good = test::gmsh_2_2(test::cube(1), Content::bytes);
  const auto refused = [](const std::string& bytes, std::size_t at, const std::string& problem) {
    REQUIRE_THROWS_AS(read(bytes), InputError);
    REQUIRE_THROWS_WITH(read(bytes),
                        Contains("/m.msh: byte " + std::to_string(at) + ": ") && Contains(problem));
  };
  REQUIRE(read(good).tets.size() == 6);

  const std::size_t mark = good.find("2.2 1 8\n") + 8;
  std::string bytes = good;
  put(bytes, mark, std::int32_t{0x01000000});
  refused(bytes, mark, "another byte order");

  const std::size_t first_node = good.find("$Nodes\n8\n") + 9;
  bytes = good;
  put(bytes, first_node + 4, std::numeric_limits<double>::infinity());
  refused(bytes, first_node + 4, "x coordinate is inf");

  const std::size_t triangle = good.find("$Elements\n7\n") + 12;
  bytes = good;
  put(bytes, triangle, std::int32_t{35});
  refused(bytes, triangle + 8, "element type 35 is not known");

  // The header of the tetrahedra follows the triangle's three numbers, its own, two tags and three nodes.
  const std::size_t tets = triangle + (3 + 1 + 2 + 3) * 4;
  bytes = good;
  put(bytes, tets + 4, std::int32_t{2'000'000'000});
  refused(bytes, tets + 8, "a block of 2000000000 elements");
  bytes = good;
  put(bytes, tets + (3 + 1 + 2) * 4, std::int32_t{-1});
  refused(bytes, tets + (3 + 1 + 2) * 4, "node -1 is not in the mesh");
  refused(good.substr(0, tets + 40), tets + 40, "truncated");
}

}  // namespace
}  // namespace finegrain::problem
